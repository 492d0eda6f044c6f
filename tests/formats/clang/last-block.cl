// axmem: kernel @k(@o, @x) workgroups 2
global int o[3] = {0, 0, 0}, x = 0;
kernel void k(global int *out, global int *count) {
  out[__builtin_amdgcn_workgroup_id_x()] = __builtin_amdgcn_workgroup_id_x() + 1;
  if (__scoped_atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE) == 1)
    out[2] = out[0] + out[1];
}
