// A lock that two lanes of a wave take, released inside the loop. Clang's optimizer moves what is done once out of the
// loop, so that who has the lock waits for who waits for it: right as it is written, and not as it is compiled.
// expect 0 at -O0: 0 data races by amdgpu: none
// expect 0 at -O123: 1 waiting, wave: an execution goes on for ever
// expect 1: 1 waiting, wave: an execution goes on for ever
// expect 2: 1 data race by amdgpu
// axmem: launch k<<<1, 2>>>(lock, n)
#include <hip/hip_runtime.h>
__global__ void k(int *lock, int *n) {
#if BROKEN == 1 // who has the lock waits for who waits for it
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  *n += 1;
  __threadfence();
  atomicExch(lock, 0);
#else
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *n += 1;
#if BROKEN != 2 // releases before what it protects is seen
      __threadfence();
#endif
      atomicExch(lock, 0);
      done = true;
    }
  }
#endif
}
