#include <hip/hip_runtime.h>

// axmem: launch produce<<<1, 1>>>(data, flag); consume<<<1, 1>>>(data, flag, out)

__global__ void produce(int *data, int *flag) {
  *data = 42;
  __threadfence_block();
  __hip_atomic_store(flag, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

__global__ void consume(int *data, int *flag, int *out) {
  while (!__hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {}
  __threadfence_block();
  *out = *data;
}
