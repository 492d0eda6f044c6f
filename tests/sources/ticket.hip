// A ticket lock: who draws a number waits until it is served.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch k<<<2, 1>>>(next, serving, n)
#include <hip/hip_runtime.h>
__global__ void k(unsigned *next, unsigned *serving, int *n) {
#if BROKEN == 1 // waits without an order
  int order = __ATOMIC_RELAXED;
#else
  int order = __ATOMIC_ACQUIRE;
#endif
  unsigned mine = atomicAdd(next, 1u);
  while (__hip_atomic_load(serving, order, __HIP_MEMORY_SCOPE_AGENT) != mine) {}
  *n += 1;
#if BROKEN == 2 // leaves out a number
  __hip_atomic_store(serving, mine + 2, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
#else
  __hip_atomic_store(serving, mine + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
#endif
}
