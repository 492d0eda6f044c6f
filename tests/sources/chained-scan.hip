// A chained scan (Yan, Long and Zhang 2013): each block waits for the sum of the one before.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch scan<<<3, 1>>>(ready, sums)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
__global__ void scan(int *ready, int *sums) {
  int block = blockIdx.x, before = 0;
#if BROKEN == 2 // waits for the one behind it
  int other = block + 1 < gridDim.x ? block + 1 : 0;
#else
  int other = block - 1;
#endif
  if (other >= 0) {
    while (!__hip_atomic_load(&ready[other], __ATOMIC_RELAXED, AGENT)) {}
    __threadfence();
    before = sums[other];
  }
  sums[block] = before + block;
#if BROKEN != 1 // the flag may be seen first
  __threadfence();
#endif
  __hip_atomic_store(&ready[block], 1, __ATOMIC_RELAXED, AGENT);
}
