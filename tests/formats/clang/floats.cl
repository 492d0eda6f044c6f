// axmem: kernel @k(@h, @o) workgroups 2
global float h = 1.5f;
global int o[2] = {0, 0};
kernel void k(global float *sum, global int *out) {
  float old = __scoped_atomic_fetch_add(sum, 0.5f, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  out[__builtin_amdgcn_workgroup_id_x()] = old + 1.0f > 2.75f;
}
