// A queue of one producer and one consumer (Lamport 1983), which has one place, for two messages.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch produce<<<1, 1>>>(head, tail, slot); consume<<<1, 1>>>(head, tail, slot, out)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
#if BROKEN == 1 // the place is given back without an order
#define GIVE_BACK __ATOMIC_RELAXED
#else
#define GIVE_BACK __ATOMIC_RELEASE
#endif
__global__ void produce(unsigned *head, unsigned *tail, int *slot) {
  for (unsigned i = 0; i < 2; i++) {
#if BROKEN == 2 // waits for a place more than there is
    while (i + 1 - __hip_atomic_load(head, __ATOMIC_ACQUIRE, AGENT) >= 1) {}
#else
    while (i - __hip_atomic_load(head, __ATOMIC_ACQUIRE, AGENT) >= 1) {}
#endif
    *slot = i + 1;
    __hip_atomic_store(tail, i + 1, __ATOMIC_RELEASE, AGENT);
  }
}
__global__ void consume(unsigned *head, unsigned *tail, int *slot, int *out) {
  int sum = 0;
  for (unsigned i = 0; i < 2; i++) {
    while (__hip_atomic_load(tail, __ATOMIC_ACQUIRE, AGENT) == i) {}
    sum += *slot;
    __hip_atomic_store(head, i + 1, GIVE_BACK, AGENT);
  }
  *out = sum;
}
