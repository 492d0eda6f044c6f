// The owner of a deque and a thief want its last element (Chase and Lev 2005; Le and others 2013).
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 data race by amdgpu
// axmem: launch owner<<<1, 1>>>(top, bottom, element); thief<<<1, 1>>>(top, bottom, element)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
__global__ void owner(int *top, int *bottom, int *element) {
  *element = 1;
  __hip_atomic_store(bottom, 1, __ATOMIC_RELEASE, AGENT);
  __hip_atomic_store(bottom, 0, __ATOMIC_RELAXED, AGENT);
  __threadfence();
  int t = __hip_atomic_load(top, __ATOMIC_RELAXED, AGENT);
  if (t > 0) return;
#if BROKEN != 1 // takes the last element without asking the thief
  if (!__hip_atomic_compare_exchange_strong(top, &t, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED, AGENT)) return;
#endif
  *element += 1;
}
__global__ void thief(int *top, int *bottom, int *element) {
  int t = __hip_atomic_load(top, __ATOMIC_ACQUIRE, AGENT);
  __threadfence();
#if BROKEN == 2 // what the owner wrote is not ordered before
  int b = __hip_atomic_load(bottom, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
#else
  int b = __hip_atomic_load(bottom, __ATOMIC_ACQUIRE, AGENT);
#endif
  if (t < b && __hip_atomic_compare_exchange_strong(top, &t, t + 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED, AGENT))
    *element += 1;
}
