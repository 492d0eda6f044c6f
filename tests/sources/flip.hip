// Two buffers behind pointers, of which a flag says which one is read.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 data race by amdgpu
// axmem: launch produce<<<1, 1>>>(a, b, side); consume<<<1, 1>>>(a, b, side, out)
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
struct Buffer { int length; int data[2]; };
__global__ void produce(Buffer *a, Buffer *b, int *side) {
  int now = __hip_atomic_load(side, __ATOMIC_RELAXED, AGENT);
#if BROKEN == 2
  Buffer *back = now ? b : a;
#else
  Buffer *back = now ? a : b;
#endif
#if BROKEN == 1
  __hip_atomic_store(side, !now, __ATOMIC_RELEASE, AGENT);
#endif
  for (int i = 0; i < 2; i++)
    back->data[i] = i + 7;
  back->length = 2;
#if BROKEN != 1
  __hip_atomic_store(side, !now, __ATOMIC_RELEASE, AGENT);
#endif
}
__global__ void consume(Buffer *a, Buffer *b, int *side, int *out) {
  Buffer *front = __hip_atomic_load(side, __ATOMIC_ACQUIRE, AGENT) ? b : a;
  int sum = 0;
  for (int i = 0; i < front->length && i < 2; i++)
    sum += front->data[i];
  *out = sum;
}
