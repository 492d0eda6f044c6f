// Two locks, which everybody takes in one order.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 goes on for ever
// expect 2: 1 data race by amdgpu
// axmem: launch k<<<2, 1>>>(locks, n)
#include <hip/hip_runtime.h>
__device__ void take(int *lock) {
  while (atomicCAS(lock, 0, 1)) {}
  __threadfence();
}
__device__ void give(int *lock) {
#if BROKEN != 2 // nothing orders what was protected before this
  __threadfence();
#endif
  atomicExch(lock, 0);
}
__global__ void k(int *locks, int *n) {
#if BROKEN == 1 // each begins with its own
  int first = blockIdx.x;
#else
  int first = 0;
#endif
  take(&locks[first]);
  take(&locks[1 - first]);
  *n += 1;
  give(&locks[1 - first]);
  give(&locks[first]);
}
