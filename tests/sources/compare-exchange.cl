// A lock by compare-exchange, as OpenCL 1.2 writes it, with OpenCL 2.0's fences.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch k<<<2, 1>>>(lock, n)
#if BROKEN == 1 // fences that do not reach the other work-group
#define REACH memory_scope_work_group
#else
#define REACH memory_scope_device
#endif
kernel void k(global int *lock, global int *n) {
  while (atomic_cmpxchg(lock, 0, 1)) {}
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, REACH);
  *n += 1;
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, REACH);
#if BROKEN == 2 // gives back what it expects to be taken by nobody
  atomic_cmpxchg(lock, 0, 0);
#else
  atomic_xchg(lock, 0);
#endif
}
