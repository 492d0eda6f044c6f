// A ring of slots, each with a state and a wide value.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch producer<<<1, 1>>>(ring, 3); consumer<<<1, 1>>>(ring, out, 3)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
struct Slot { int state; char tag; long value; };
__global__ void producer(Slot *ring, int n) {
  for (int i = 0; i < n; i++) {
    Slot *s = &ring[i & 1];
    while (__hip_atomic_load(&s->state, __ATOMIC_ACQUIRE, AGENT) != 0) ;
    s->value = 10l * i;
    s->tag = (char)i;
#if BROKEN == 1
    __hip_atomic_store(&s->state, 1, __ATOMIC_RELAXED, AGENT);
#else
    __hip_atomic_store(&s->state, 1, __ATOMIC_RELEASE, AGENT);
#endif
  }
}
__global__ void consumer(Slot *ring, long *out, int n) {
  for (int i = 0; i < n; i++) {
#if BROKEN == 2
    Slot *s = &ring[i * 3 & 2];
#else
    Slot *s = &ring[i & 1];
#endif
    while (__hip_atomic_load(&s->state, __ATOMIC_ACQUIRE, AGENT) != 1) ;
    out[i] = s->value + s->tag;
    __hip_atomic_store(&s->state, 0, __ATOMIC_RELEASE, AGENT);
  }
}
