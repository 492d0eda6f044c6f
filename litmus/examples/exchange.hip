#include <hip/hip_runtime.h>

// axmem: launch put<<<1, 1>>>(); take<<<1, 1>>>(out)

__device__ int data, flag;

__global__ void put() {
  data = 42;
  __hip_atomic_store(&flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

__global__ void take(int *out) {
  if (__hip_atomic_exchange(&flag, 0, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
    *out = data;
}
