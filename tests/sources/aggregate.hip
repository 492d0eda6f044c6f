// Lanes of a wave draw places by one atomic (Adinetz 2014).
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 has undefined behaviour
// axmem: launch k<<<1, 4>>>(count, sum)
#include <hip/hip_runtime.h>
__shared__ int places[4];
__global__ void k(int *count, int *sum) {
  int lane = threadIdx.x;
  bool takes = lane != 1;
  unsigned long long who = __ballot(takes);
  if (takes) {
    int leader = __ffsll(who) - 1, base = 0;
    if (lane == leader) base = atomicAdd(count, __popcll(who));
    base = __shfl(base, leader);
#if BROKEN == 1 // all at one place
    int place = base;
#elif BROKEN == 2 // counts from behind the end
    int place = base + __popcll(who) + __popcll(who & ((1ull << lane) - 1));
#else
    int place = base + __popcll(who & ((1ull << lane) - 1));
#endif
    places[place] = lane;
  }
  __syncthreads();
  if (lane == 0) *sum = places[0] + places[1];
}
