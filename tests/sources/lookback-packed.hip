// Look-back with the flag and the sum in one word, which needs no order.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch scan<<<3, 1>>>(state, out)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
#define WORD(flag, sum) ((unsigned long long)(flag) << 32 | (unsigned)(sum))
__global__ void scan(unsigned long long *state, unsigned *out) {
  unsigned tile = blockIdx.x, sum = tile + 1, before = 0;
  if (tile) {
#if BROKEN == 1 // the word is written as by one thread
    state[tile] = WORD(1, sum);
#elif BROKEN != 2 // nothing is said before the sum of all is known, and then of the first tile alone
    __hip_atomic_store(&state[tile], WORD(1, sum), __ATOMIC_RELAXED, AGENT);
#endif
    for (int at = tile - 1;;) {
      unsigned long long seen = __hip_atomic_load(&state[at], __ATOMIC_RELAXED, AGENT);
      unsigned flag = seen >> 32;
      if (flag == 0) continue;
      before += (unsigned)seen;
      if (flag == 2) break;
      at--;
    }
  }
#if BROKEN == 2
  if (!tile)
#endif
    __hip_atomic_store(&state[tile], WORD(2, before + sum), __ATOMIC_RELAXED, AGENT);
  out[tile] = before;
}
