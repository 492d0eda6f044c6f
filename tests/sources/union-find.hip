// Union-find by compare-exchange of roots (Anderson and Woll, 1991).
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
#include <hip/hip_runtime.h>
// axmem: launch unite<<<2, 1>>>(parent, edge)
// axmem: init @parent = {0, 1, 2}
// axmem: init @edge = {0, 1, 1, 2}
__device__ int root(int *parent, int x) {
  int p;
  while ((p = __hip_atomic_load(&parent[x], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) != x) x = p;
  return x;
}
__global__ void unite(int *parent, const int *edge) {
  int a = edge[2 * blockIdx.x], b = edge[2 * blockIdx.x + 1];
  for (;;) {
    a = root(parent, a);
    b = root(parent, b);
    if (a == b) return;
    if (a < b) { int c = a; a = b; b = c; }
#if BROKEN == 1 // links as if it was alone
    parent[a] = b; return;
#else
    if (atomicCAS(&parent[a], a, b) == a) return;
#endif
  }
}
