// expect 0: 1 waiting, wave: an execution goes on for ever
// axmem: launch k<<<1, 2>>>(lock, n)
#include <hip/hip_runtime.h>
__global__ void k(int *lock, int *n) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  *n += 1;
  __threadfence();
  atomicExch(lock, 0);
}
