// What is handed over is asserted: not to be read before it is there.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 has undefined behaviour
// expect 2: 1 data race by amdgpu
// axmem: launch put<<<1, 1>>>(data, flag); get<<<1, 1>>>(data, flag)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
__global__ void put(int *data, int *flag) {
  *data = 42;
  __threadfence();
  __hip_atomic_store(flag, 1, __ATOMIC_RELAXED, AGENT);
}
__global__ void get(int *data, int *flag) {
  while (!__hip_atomic_load(flag, __ATOMIC_RELAXED, AGENT)) {}
#if BROKEN != 2 // the data may be read before the flag
  __threadfence();
#endif
#if BROKEN == 1 // another number
  assert(*data == 43);
#else
  assert(*data == 42);
#endif
}
