// expect: 1 data race by amdgpu
// axmem: launch sum<<<2, 1>>>(parts, done, out)
#include <hip/hip_runtime.h>
__global__ void sum(int *parts, unsigned *done, int *out) {
  parts[blockIdx.x] = blockIdx.x + 1;
  if (atomicAdd(done, 1u) == gridDim.x - 1)
    *out = parts[0] + parts[1];
}
