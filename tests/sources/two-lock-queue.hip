// Michael and Scott's queue of two locks (1996).
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 data race by amdgpu
// axmem: launch enqueue<<<2, 1>>>(q, 5); dequeue<<<1, 1>>>(q, out)
#include <hip/hip_runtime.h>
struct Node { int value; int next; };
struct Queue { int head; int tail; int head_lock; int tail_lock; Node nodes[3]; };
__device__ void lock(int *l) { while (atomicExch(l, 1)) ; __threadfence(); }
__device__ void unlock(int *l) { __threadfence(); atomicExch(l, 0); }
__global__ void enqueue(Queue *q, int v) {
  int n = blockIdx.x + 1;
  q->nodes[n].value = v;
#if BROKEN != 2
  lock(&q->tail_lock);
#endif
#if BROKEN == 1
  __hip_atomic_store(&q->nodes[q->tail].next, n, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
#else
  __hip_atomic_store(&q->nodes[q->tail].next, n, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
#endif
  q->tail = n;
#if BROKEN != 2
  unlock(&q->tail_lock);
#endif
}
__global__ void dequeue(Queue *q, int *out) {
  lock(&q->head_lock);
  int n = __hip_atomic_load(&q->nodes[q->head].next, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
  if (n) {
    *out = q->nodes[n].value;
    q->head = n;
  }
  unlock(&q->head_lock);
}
