// Two work-groups take turns on one datum, twice.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch k<<<2, 1>>>(turn, data)
kernel void k(global atomic_uint *turn, global int *data) {
  uint me = get_group_id(0);
  for (uint round = 0; round < 2; round++) {
    while (atomic_load_explicit(turn, memory_order_acquire, memory_scope_device) != 2 * round + me) {}
    *data += 1;
#if BROKEN == 1 // hands over within its work-group
    atomic_store_explicit(turn, 2 * round + me + 1, memory_order_release, memory_scope_work_group);
#elif BROKEN == 2 // keeps the turn
    atomic_store_explicit(turn, 2 * round + me, memory_order_release, memory_scope_device);
#else
    atomic_store_explicit(turn, 2 * round + me + 1, memory_order_release, memory_scope_device);
#endif
  }
}
