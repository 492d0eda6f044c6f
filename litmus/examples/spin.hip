#include <hip/hip_runtime.h>

// axmem: launch increment<<<1, 2>>>(lock, count)

__global__ void increment(int *lock, int *count) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  *count += 1;
  __threadfence();
  atomicExch(lock, 0);
}
