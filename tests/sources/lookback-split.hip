// Look-back (Merrill and Garland 2016), flags and sums in words of their own.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch scan<<<3, 1>>>(flag, aggregate, prefix, out)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
enum { NOTHING, AGGREGATE, PREFIX };
#if BROKEN == 1 // who sees the flag does not see the sum
#define SEES __ATOMIC_RELAXED
#else
#define SEES __ATOMIC_ACQUIRE
#endif
__global__ void scan(int *flag, int *aggregate, int *prefix, int *out) {
  int tile = blockIdx.x, sum = tile + 1, before = 0;
  if (tile) {
    aggregate[tile] = sum;
    __hip_atomic_store(&flag[tile], AGGREGATE, __ATOMIC_RELEASE, AGENT);
    for (int at = tile - 1;;) {
      int seen = __hip_atomic_load(&flag[at], SEES, AGENT);
      if (seen == NOTHING) continue;
      if (seen == PREFIX) { before += prefix[at]; break; }
      before += aggregate[at];
      at--;
    }
  }
  prefix[tile] = before + sum;
#if BROKEN == 2 // the first tile has no aggregate, and says that it has nothing else
  if (tile)
#endif
    __hip_atomic_store(&flag[tile], PREFIX, __ATOMIC_RELEASE, AGENT);
  out[tile] = before;
}
