// expect: 1 goes on for ever
// axmem: launch k<<<2, 1>>>(next, serving, n)
#include <hip/hip_runtime.h>
__global__ void k(unsigned *next, unsigned *serving, int *n) {
  unsigned mine = atomicAdd(next, 1u);
  while (__hip_atomic_load(serving, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != mine) {}
  *n += 1;
  __hip_atomic_store(serving, mine + 2, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
