// A queue lock (Mellor-Crummey and Scott 1991): who waits does so at a node of its own.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch k<<<2, 1>>>(tail, next, waits, n)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
#if BROKEN == 1 // the lock is handed on without an order
#define HAND_ON __ATOMIC_RELAXED
#else
#define HAND_ON __ATOMIC_RELEASE
#endif
__global__ void k(int *tail, int *next, int *waits, int *n) {
  int me = blockIdx.x, node = me + 1;
  __hip_atomic_store(&waits[me], 1, __ATOMIC_RELAXED, AGENT);
  int before = __hip_atomic_exchange(tail, node, __ATOMIC_ACQ_REL, AGENT);
  if (before) {
    __hip_atomic_store(&next[before - 1], node, __ATOMIC_RELEASE, AGENT);
    while (__hip_atomic_load(&waits[me], __ATOMIC_ACQUIRE, AGENT)) {}
  }
  *n += 1;
  int last = node;
  if (!__hip_atomic_compare_exchange_strong(tail, &last, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED, AGENT)) {
    int after;
#if BROKEN == 2 // does not wait for who is about to say that it comes next
    after = __hip_atomic_load(&next[me], __ATOMIC_ACQUIRE, AGENT);
    if (!after) return;
#else
    while (!(after = __hip_atomic_load(&next[me], __ATOMIC_ACQUIRE, AGENT))) {}
#endif
    __hip_atomic_store(&waits[after - 1], 0, HAND_ON, AGENT);
  }
}
