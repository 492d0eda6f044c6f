// A barrier of the grid by a counter that only grows, twice.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch k<<<2, 1>>>(count, a, b)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
__device__ void sync(unsigned *count, unsigned round) {
#if BROKEN != 1 // what was written may come after the count
  __threadfence();
#endif
  atomicAdd(count, 1u);
#if BROKEN == 2 // one more than there are
  while (__hip_atomic_load(count, __ATOMIC_RELAXED, AGENT) < round * gridDim.x + 1) {}
#else
  while (__hip_atomic_load(count, __ATOMIC_RELAXED, AGENT) < round * gridDim.x) {}
#endif
  __threadfence();
}
__global__ void k(unsigned *count, int *a, int *b) {
  int me = blockIdx.x;
  a[me] = me;
  sync(count, 1);
  b[me] = a[1 - me];
  sync(count, 2);
  a[me] = b[1 - me];
}
