// Two buffers of which the reader uses the published one, and counts itself in; the writer waits for it (RCU).
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 data race by amdgpu
#include <hip/hip_runtime.h>
// axmem: launch writer<<<1, 1>>>(buf, which, readers); reader<<<1, 1>>>(buf, which, readers, out)
// axmem: init @buf = {1, 0}
__global__ void writer(int *buf, int *which, int *readers) {
  buf[1] = 2;
#if BROKEN == 1
  __hip_atomic_store(which, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
  __hip_atomic_store(which, 1, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT);
#endif
#if BROKEN != 2
  while (__hip_atomic_load(readers, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT)) {}
#endif
  buf[0] = 3;
}
__global__ void reader(int *buf, int *which, int *readers, int *out) {
  __hip_atomic_store(readers, 1, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT);
  int w = __hip_atomic_load(which, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT);
  out[0] = buf[w];
  __hip_atomic_store(readers, 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
