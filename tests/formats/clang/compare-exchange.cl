// axmem: kernel @k(@x, @o) workgroups 2
global int x = 0, o[2] = {0, 0};
kernel void k(global int *lock, global int *out) {
  int expected = 0;
  if (__scoped_atomic_compare_exchange_n(lock, &expected, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE))
    out[__builtin_amdgcn_workgroup_id_x()] = 1;
  else
    out[__builtin_amdgcn_workgroup_id_x()] = expected + 2;
}
