// A lock by exchanges alone.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch k<<<2, 1>>>(lock, n)
#include <hip/hip_runtime.h>
__global__ void k(int *lock, int *n) {
  while (atomicExch(lock, 1)) {}
#if BROKEN != 1 // nothing orders the exchange before what it protects
  __threadfence();
#endif
  *n += 1;
  __threadfence();
#if BROKEN == 2 // the lock is given the value of a lock that is taken
  atomicExch(lock, 1);
#else
  atomicExch(lock, 0);
#endif
}
