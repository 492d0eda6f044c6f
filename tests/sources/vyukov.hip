// Vyukov's bounded queue: each place has a number that says whose turn it is. Two places, two producers, one consumer.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch push<<<2, 1>>>(tail, number, place); pop<<<1, 1>>>(number, place, out)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
#if BROKEN == 1 // the place is filled without an order
#define FILLED __ATOMIC_RELAXED
#else
#define FILLED __ATOMIC_RELEASE
#endif
__global__ void push(unsigned *tail, unsigned *number, int *place) {
  unsigned at = __hip_atomic_load(tail, __ATOMIC_RELAXED, AGENT);
  while (!__hip_atomic_compare_exchange_weak(tail, &at, at + 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED, AGENT)) {}
  while (__hip_atomic_load(&number[at & 1], __ATOMIC_ACQUIRE, AGENT) != (at & ~1u)) {}
  place[at & 1] = 7;
#if BROKEN == 2 // the number of the round before
  __hip_atomic_store(&number[at & 1], at & ~1u, FILLED, AGENT);
#else
  __hip_atomic_store(&number[at & 1], (at & ~1u) + 1, FILLED, AGENT);
#endif
}
__global__ void pop(unsigned *number, int *place, int *out) {
  int sum = 0;
  for (unsigned at = 0; at < 2; at++) {
    while (__hip_atomic_load(&number[at & 1], __ATOMIC_ACQUIRE, AGENT) != (at & ~1u) + 1) {}
    sum += place[at & 1];
    __hip_atomic_store(&number[at & 1], (at & ~1u) + 2, __ATOMIC_RELEASE, AGENT);
  }
  *out = sum;
}
