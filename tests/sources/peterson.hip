// Peterson's lock of two (1981), one in each block.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch k<<<2, 1>>>(wants, turn, n)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
#if BROKEN == 1 // acquire and release do not order a store before a load
#define STORE __ATOMIC_RELEASE
#define LOAD __ATOMIC_ACQUIRE
#else
#define STORE __ATOMIC_SEQ_CST
#define LOAD __ATOMIC_SEQ_CST
#endif
__global__ void k(int *wants, int *turn, int *n) {
  int me = blockIdx.x, other = 1 - me;
  __hip_atomic_store(&wants[me], 1, STORE, AGENT);
  __hip_atomic_store(turn, other, STORE, AGENT);
  while (__hip_atomic_load(&wants[other], LOAD, AGENT) && __hip_atomic_load(turn, LOAD, AGENT) == other) {}
  *n += 1;
#if BROKEN != 2 // goes on to want the lock
  __hip_atomic_store(&wants[me], 0, STORE, AGENT);
#endif
}
