// axmem: kernel @k(@o) workgroups 2, lanes 2
global int o[2] = {0, 0};
kernel void k(global int *out) {
  local int s;
  int id = __builtin_amdgcn_workitem_id_x();
  if (id == 0)
    s = __builtin_amdgcn_workgroup_id_x() + 1;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  if (id == 1)
    out[__builtin_amdgcn_workgroup_id_x()] = s;
}
