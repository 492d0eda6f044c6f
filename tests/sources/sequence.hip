// A sequence lock after Boehm 2012: the reader tries again where the number has changed.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch writer<<<1, 1>>>(number, data); reader<<<1, 1>>>(number, data, out)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
__global__ void writer(unsigned *number, int *data) {
  __hip_atomic_store(number, 1u, __ATOMIC_RELAXED, AGENT);
  __threadfence();
#if BROKEN == 1 // what is read at the same time is written as by one thread
  data[0] = 1;
#else
  __hip_atomic_store(&data[0], 1, __ATOMIC_RELAXED, AGENT);
#endif
  __hip_atomic_store(&data[1], 1, __ATOMIC_RELAXED, AGENT);
#if BROKEN != 2 // the number stays odd
  __hip_atomic_store(number, 2u, __ATOMIC_RELEASE, AGENT);
#endif
}
__global__ void reader(unsigned *number, int *data, int *out) {
  unsigned before, after;
  int a, b;
  do {
    before = __hip_atomic_load(number, __ATOMIC_ACQUIRE, AGENT);
    a = __hip_atomic_load(&data[0], __ATOMIC_RELAXED, AGENT);
    b = __hip_atomic_load(&data[1], __ATOMIC_RELAXED, AGENT);
    __threadfence();
    after = __hip_atomic_load(number, __ATOMIC_RELAXED, AGENT);
  } while (before != after || (before & 1));
  *out = a - b;
}
