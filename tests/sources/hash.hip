// Keys are entered into a table with open addressing (Alcantara 2009); a value is read by who finds its key.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 goes on for ever
// axmem: launch enter<<<2, 1>>>(keys, counts)
#include <hip/hip_runtime.h>
__global__ void enter(int *keys, int *counts) {
  int key = 4 + 4 * blockIdx.x;
  unsigned at = key & 3;
  while (true) {
#if BROKEN == 1 // looks, and writes what another may write
    int was = keys[at];
    if (!was) keys[at] = key;
#else
    int was = atomicCAS(&keys[at], 0, key);
#endif
    if (!was || was == key) break;
#if BROKEN != 2 // looks at one place alone
    at = (at + 1) & 3;
#endif
  }
  atomicAdd(&counts[at], 1);
}
