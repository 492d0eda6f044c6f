// axmem: kernel @k(@x, @y, @o) workgroups 2
global int x = 0, y = 0, o[2] = {0, 0};
kernel void k(global int *a, global int *b, global int *out) {
  int g = __builtin_amdgcn_workgroup_id_x();
  __scoped_atomic_store_n((g ? a : b), 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
  out[g] = __scoped_atomic_load_n((g ? b : a), __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}
