// A barrier of the grid that reverses its sense (Hensgen, Finkel and Manber 1988), twice.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch k<<<2, 1>>>(count, sense, a, b)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
#if BROKEN == 1 // the last to come does not see what the others did
#define COME __ATOMIC_RELAXED
#else
#define COME __ATOMIC_ACQ_REL
#endif
__device__ void sync(unsigned *count, int *sense, int mine) {
  if (__hip_atomic_fetch_add(count, 1u, COME, AGENT) == gridDim.x - 1) {
#if BROKEN != 2 // counts on from the first round
    __hip_atomic_store(count, 0u, __ATOMIC_RELAXED, AGENT);
#endif
    __hip_atomic_store(sense, mine, __ATOMIC_RELEASE, AGENT);
  } else {
    while (__hip_atomic_load(sense, __ATOMIC_ACQUIRE, AGENT) != mine) {}
  }
}
__global__ void k(unsigned *count, int *sense, int *a, int *b) {
  int me = blockIdx.x;
  a[me] = me;
  sync(count, sense, 1);
  b[me] = a[1 - me];
  sync(count, sense, 0);
  a[me] = b[1 - me];
}
