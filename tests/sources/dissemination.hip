// Hensgen, Finkel and Manber (1988): a barrier in which each round each workgroup signals another one.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
#include <hip/hip_runtime.h>
enum { GROUPS = 2, ROUNDS = 1 };
struct Flags { int set[ROUNDS][GROUPS]; };
__device__ void arrive(Flags *__restrict__ flags) {
  for (int round = 0, step = 1; round < ROUNDS; round++, step <<= 1) {
    int other = (blockIdx.x + step) % GROUPS;
#if BROKEN == 1 // what was written may come later
    __hip_atomic_store(&flags->set[round][other], 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
    __hip_atomic_store(&flags->set[round][other], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
#endif
#if BROKEN == 2 // waits for what nobody sets
    while (__hip_atomic_load(&flags->set[round][blockIdx.x], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != 2)
      __builtin_amdgcn_s_sleep(1);
#else
    while (!__hip_atomic_load(&flags->set[round][blockIdx.x], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
      __builtin_amdgcn_s_sleep(1);
#endif
  }
}
__global__ __launch_bounds__(1) void exchange(Flags *flags, int *__restrict__ a, int *__restrict__ b) {
  unsigned group = blockIdx.x;
  if (group >= GROUPS) return;
  a[group] = group + 1;
  arrive(flags);
  b[group] = a[group ^ 1];
}
