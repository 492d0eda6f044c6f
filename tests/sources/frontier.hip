// One level of a breadth-first search, after Harish and Narayanan: a lane for each vertex, the graph passed by value.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 data race by amdgpu
#include <hip/hip_runtime.h>

// axmem: launch level<<<2, 1>>>({row, {col, 2}, dist}, seen, 0)
// axmem: init @row = {0, 1, 2}
// axmem: init @col = {2, 2}
// axmem: init @dist = {0, 0, -1}
struct Graph {
  const int *row;
  struct { const int *col; int vertices; } edges;
  int *dist;
};

__global__ void level(Graph graph, int *seen, int depth) {
  int from = blockIdx.x * blockDim.x + threadIdx.x;
  if (from >= graph.edges.vertices) return;
  if (__hip_atomic_load(&graph.dist[from], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) != depth) return;
  for (int edge = graph.row[from]; edge < graph.row[from + 1]; edge++) {
    int to = graph.edges.col[edge];
#if BROKEN == 1 // looks, and then claims
    if (graph.dist[to] == -1) graph.dist[to] = depth + 1;
#else
    atomicCAS(&graph.dist[to], -1, depth + 1);
#endif
#if BROKEN == 2 // counts as if it was alone
    *seen += 1;
#else
    atomicAdd(seen, 1);
#endif
  }
}
