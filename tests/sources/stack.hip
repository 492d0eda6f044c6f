// Treiber's stack (1986): one pushes a node, another takes it.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch push<<<2, 1>>>(top, next, value); pop<<<1, 1>>>(top, next, value, out)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
#if BROKEN == 1 // the node is pushed without an order
#define PUSH __ATOMIC_RELAXED
#else
#define PUSH __ATOMIC_RELEASE
#endif
__global__ void push(int *top, int *next, int *value) {
  int node = blockIdx.x + 1;
  value[node - 1] = 7;
  int was = __hip_atomic_load(top, __ATOMIC_RELAXED, AGENT);
  do {
    next[node - 1] = was;
  } while (!__hip_atomic_compare_exchange_weak(top, &was, node, PUSH, __ATOMIC_RELAXED, AGENT));
}
__global__ void pop(int *top, int *next, int *value, int *out) {
#if BROKEN == 2 // waits for three of two
  for (int taken = 0; taken < 3;) {
#else
  for (int taken = 0; taken < 1;) {
#endif
    int node = __hip_atomic_load(top, __ATOMIC_ACQUIRE, AGENT);
    if (!node) continue;
    if (__hip_atomic_compare_exchange_strong(top, &node, next[node - 1], __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, AGENT)) {
      *out = value[node - 1];
      taken++;
    }
  }
}
