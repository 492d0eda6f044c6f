// Craig (1993), Landin and Hagersten (1994): a queue lock, in which each waits at the node of the one before.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 data race by amdgpu
#include <hip/hip_runtime.h>
struct Node { int locked; };
template <typename T> __device__ inline T take(T *place, T value) {
  return __hip_atomic_exchange(place, value, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ unsigned acquire(unsigned *tail, Node *nodes, unsigned mine) {
  __hip_atomic_store(&nodes[mine].locked, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  unsigned before = take(tail, mine);
#if BROKEN != 1 // nobody waits
  while (__hip_atomic_load(&nodes[before].locked, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT)) {}
#endif
  return before;
}
__device__ void release(Node *nodes, unsigned mine) {
#if BROKEN == 2 // without an order
  __hip_atomic_store(&nodes[mine].locked, 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
  __hip_atomic_store(&nodes[mine].locked, 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
#endif
}
__global__ __launch_bounds__(64) void count(unsigned *__restrict__ tail, Node *__restrict__ nodes, int *__restrict__ sum) {
  if (threadIdx.x != 0) return;
  unsigned mine = blockIdx.x + 1;
  acquire(tail, nodes, mine);
  *sum += 1;
  release(nodes, mine);
}
