// The last block sums up (CUDA's threadFenceReduction).
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 data race by amdgpu
// axmem: launch sum<<<2, 1>>>(parts, done, out)
#include <hip/hip_runtime.h>
__global__ void sum(int *parts, unsigned *done, int *out) {
  parts[blockIdx.x] = blockIdx.x + 1;
#if BROKEN != 1 // the count may be seen before the part
  __threadfence();
#endif
  if (atomicAdd(done, 1u) == gridDim.x - 1) {
#if BROKEN != 2 // parts may be read before the count
    __threadfence();
#endif
    *out = parts[0] + parts[1];
  }
}
