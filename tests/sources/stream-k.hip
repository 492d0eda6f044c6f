// The fix-up of Stream-K (Osama and others 2023): a block adds what another has done of its tile.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch k<<<2, 2>>>(ready, partial, tile)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
__global__ void k(int *ready, int *partial, int *tile) {
  int lane = threadIdx.x, sum = blockIdx.x * 2 + lane;
  if (blockIdx.x == 1) {
    partial[lane] = sum;
#if BROKEN != 1 // one lane says of both what only one knows
    __syncthreads();
#endif
    if (lane == 0) {
      __threadfence();
      __hip_atomic_store(&ready[1], 1, __ATOMIC_RELAXED, AGENT);
    }
  } else {
#if BROKEN == 2 // waits for itself
    while (!__hip_atomic_load(&ready[0], __ATOMIC_RELAXED, AGENT)) {}
#else
    while (!__hip_atomic_load(&ready[1], __ATOMIC_RELAXED, AGENT)) {}
#endif
    __threadfence();
    tile[lane] = sum + partial[lane];
  }
}
