// A lock of readers and a writer: readers count up, and take back where the writer is.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch writer<<<1, 1>>>(lock, data); reader<<<1, 1>>>(lock, data, out)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
__global__ void writer(int *lock, int *data) {
  int nobody = 0;
  while (!__hip_atomic_compare_exchange_strong(lock, &nobody, 1024, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, AGENT))
    nobody = 0;
  *data = 1;
#if BROKEN == 1 // leaves without an order
  __hip_atomic_fetch_add(lock, -1024, __ATOMIC_RELAXED, AGENT);
#elif BROKEN == 2 // leaves half
  __hip_atomic_fetch_add(lock, -512, __ATOMIC_RELEASE, AGENT);
#else
  __hip_atomic_fetch_add(lock, -1024, __ATOMIC_RELEASE, AGENT);
#endif
}
__global__ void reader(int *lock, int *data, int *out) {
  while (__hip_atomic_fetch_add(lock, 1, __ATOMIC_ACQUIRE, AGENT) >= 512)
    __hip_atomic_fetch_add(lock, -1, __ATOMIC_RELAXED, AGENT);
  *out = *data;
  __hip_atomic_fetch_add(lock, -1, __ATOMIC_RELEASE, AGENT);
}
