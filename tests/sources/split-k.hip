// Serial split-K: blocks add to a tile in their order, by a semaphore (CUTLASS).
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch k<<<3, 1>>>(turn, tile)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
__global__ void k(int *turn, int *tile) {
  int me = blockIdx.x;
  while (__hip_atomic_load(turn, __ATOMIC_ACQUIRE, AGENT) != me) {}
  *tile += me;
#if BROKEN == 1 // a release that reaches its own block
  __hip_atomic_store(turn, me + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
#elif BROKEN == 2 // begins again too early
  __hip_atomic_store(turn, me == 1 ? 0 : me + 1, __ATOMIC_RELEASE, AGENT);
#else
  __hip_atomic_store(turn, me + 1 == gridDim.x ? 0 : me + 1, __ATOMIC_RELEASE, AGENT);
#endif
}
