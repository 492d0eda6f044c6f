// A wave hands over to another of its work-group, by a flag in local memory.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch k<<<1, 2x1>>>(out)
kernel void k(global int *out) {
  local int data;
  local atomic_int flag;
  uint item = get_local_id(0);
  if (item == 0) atomic_store_explicit(&flag, 0, memory_order_relaxed, memory_scope_work_group);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    data = get_group_id(0) + 42;
#if BROKEN == 1 // the flag may be seen before the data
    atomic_store_explicit(&flag, 1, memory_order_relaxed, memory_scope_work_group);
#elif BROKEN == 2 // another value than is waited for
    atomic_store_explicit(&flag, 2, memory_order_release, memory_scope_work_group);
#else
    atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
#endif
  } else {
    while (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group) != 1) {}
    *out = data;
  }
}
