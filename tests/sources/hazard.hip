// Hazard pointers (Michael, 2004): a reader announces what it will read and looks again; the writer reuses the other.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 data race by amdgpu
#include <hip/hip_runtime.h>
// axmem: launch reader<<<1, 1>>>(node, head, hazard, out); writer<<<1, 1>>>(node, head, hazard)
// axmem: init @node = {5, 0}
__global__ void reader(int *node, int *head, int *hazard, int *out) {
  int h = __hip_atomic_load(head, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_store(hazard, h + 1, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT);
#if BROKEN != 1
  if (__hip_atomic_load(head, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT) == h)
#endif
    out[0] = node[h];
  __hip_atomic_store(hazard, 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
__global__ void writer(int *node, int *head, int *hazard) {
  node[1] = 6;
  __hip_atomic_store(head, 1, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT);
#if BROKEN == 2
  if (__hip_atomic_load(hazard, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) != 1) node[0] = 7;
#else
  if (__hip_atomic_load(hazard, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT) != 1) node[0] = 7;
#endif
}
