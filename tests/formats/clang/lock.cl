// axmem: kernel @k(@x, @o) workgroups 2
// axmem: bound 2
global int x = 0, o[1] = {0};
kernel void k(global int *lock, global int *out) {
  int expected = 0;
  while (!__scoped_atomic_compare_exchange_n(lock, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE))
    expected = 0;
  out[0] = out[0] + 1;
  __scoped_atomic_store_n(lock, 0, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
}
