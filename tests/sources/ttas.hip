// A lock by test and test-and-set (Rudolph and Segall 1984).
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch k<<<2, 1>>>(lock, n)
#include <hip/hip_runtime.h>
#if BROKEN == 1 // the exchange takes the lock without an order
#define TAKE __ATOMIC_RELAXED
#else
#define TAKE __ATOMIC_ACQUIRE
#endif
__global__ void k(int *lock, int *n) {
  while (true) {
    while (__hip_atomic_load(lock, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {}
    if (!__hip_atomic_exchange(lock, 1, TAKE, __HIP_MEMORY_SCOPE_AGENT)) break;
  }
  *n += 1;
#if BROKEN != 2 // the lock is kept
  __hip_atomic_store(lock, 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
#endif
}
