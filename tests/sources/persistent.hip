// Persistent blocks draw tasks until there are none; the first block then waits for what is done.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch k<<<2, 1>>>(next, done, tasks, out)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
__global__ void k(int *next, int *done, int *tasks, int *out) {
#if BROKEN == 1 // two may draw the same
  for (int i; (i = (*next)++) < 2;) {
#else
  for (int i; (i = atomicAdd(next, 1)) < 2;) {
#endif
    tasks[i] += 1;
    __hip_atomic_fetch_add(done, 1, __ATOMIC_RELEASE, AGENT);
  }
  if (blockIdx.x) return;
#if BROKEN == 2 // waits for more than there is
  while (__hip_atomic_load(done, __ATOMIC_ACQUIRE, AGENT) != 3) {}
#else
  while (__hip_atomic_load(done, __ATOMIC_ACQUIRE, AGENT) != 2) {}
#endif
  *out = tasks[0] + tasks[1];
}
