// A ring of messages between devices, at system scope: a request, and its answer in the same place.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch ask<<<1, 1>>>(bell, message, out); serve<<<1, 1>>>(bell, message)
#include <hip/hip_runtime.h>
#define SYSTEM __HIP_MEMORY_SCOPE_SYSTEM
__global__ void ask(int *bell, int *message, int *out) {
  *message = 20;
#if BROKEN != 1 // the bell may be heard before the message is there
  __threadfence_system();
#endif
  __hip_atomic_store(bell, 1, __ATOMIC_RELAXED, SYSTEM);
  while (__hip_atomic_load(bell, __ATOMIC_RELAXED, SYSTEM) != 2) {}
  __threadfence_system();
  *out = *message;
}
__global__ void serve(int *bell, int *message) {
  while (__hip_atomic_load(bell, __ATOMIC_ACQUIRE, SYSTEM) != 1) {}
  *message += 1;
#if BROKEN == 2 // rings as if it asked
  __hip_atomic_store(bell, 1, __ATOMIC_RELEASE, SYSTEM);
#else
  __hip_atomic_store(bell, 2, __ATOMIC_RELEASE, SYSTEM);
#endif
}
