kernel void producer(global int *x, global atomic_int *f) {
  *x = 1;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent", "global");
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent", "local");
  __opencl_atomic_store(f, 1, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE);
}
