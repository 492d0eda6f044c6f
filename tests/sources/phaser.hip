// A split barrier of the grid: arrive, do other work, wait.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
#if BROKEN == 1
#define ARRIVE __ATOMIC_RELAXED
#else
#define ARRIVE __ATOMIC_RELEASE
#endif
__global__ void phase(int *count, int *part, int *own, int *out) {
  int b = blockIdx.x, n = gridDim.x;
  part[b] = b + 1;
  __hip_atomic_fetch_add(count, 1, ARRIVE, AGENT);
  own[b] = 3 * b;
#if BROKEN == 2
  while (__hip_atomic_load(count, __ATOMIC_ACQUIRE, AGENT) != n + 1) ;
#else
  while (__hip_atomic_load(count, __ATOMIC_ACQUIRE, AGENT) != n) ;
#endif
  out[b] = part[(b + 1) % n] + own[b];
}
