// expect: 0 data races by amdgpu: none
// axmem: launch sum<<<2, 1>>>(parts, done, out)
#include <hip/hip_runtime.h>
__global__ void sum(int *parts, unsigned *done, int *out) {
  parts[blockIdx.x] = blockIdx.x + 1;
  __threadfence();
  if (atomicAdd(done, 1u) == gridDim.x - 1) {
    __threadfence();
    *out = parts[0] + parts[1];
  }
}
