// Something is initialized once, by who comes first; the others wait.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch k<<<2, 1>>>(state, data, out)
kernel void k(global atomic_int *state, global int *data, global int *out) {
#if BROKEN == 1 // who sees that it is done does not see what
  const memory_order order = memory_order_relaxed;
#else
  const memory_order order = memory_order_acquire;
#endif
  int nobody = 0;
  if (atomic_compare_exchange_strong_explicit(state, &nobody, 1, memory_order_acquire, memory_order_relaxed)) {
    *data = 42;
#if BROKEN != 2 // nobody is told
    atomic_store_explicit(state, 2, memory_order_release);
#endif
  } else {
    while (atomic_load_explicit(state, order, memory_scope_device) != 2) {}
  }
  out[get_group_id(0)] = *data;
}
