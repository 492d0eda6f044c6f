// Who gives up the last reference reads what everybody wrote (as shared_ptr does).
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 data race by amdgpu
// axmem: launch drop<<<3, 1>>>(given, data, out)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
#if BROKEN == 1 // what was written before is not ordered before
#define DROP __ATOMIC_RELAXED
#else
#define DROP __ATOMIC_RELEASE
#endif
__global__ void drop(int *given, int *data, int *out) {
  data[blockIdx.x] = 1;
  if (__hip_atomic_fetch_add(given, 1, DROP, AGENT) == 2) {
#if BROKEN != 2 // what comes after is not ordered after
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
#endif
    *out = data[0] + data[1] + data[2];
  }
}
