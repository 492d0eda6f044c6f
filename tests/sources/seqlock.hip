// Boehm (2012): a sequence lock, whose reader tries again if a writer was there.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 an execution of amdgpu has undefined behaviour
// expect 2: 1 an execution of amdgpu has undefined behaviour
#include <hip/hip_runtime.h>
#define AGENT __HIP_MEMORY_SCOPE_AGENT
template <typename T> class Cell {
  T value;
public:
  __device__ T get() const { return __hip_atomic_load(&value, __ATOMIC_RELAXED, AGENT); }
  __device__ void set(T to) { __hip_atomic_store(&value, to, __ATOMIC_RELAXED, AGENT); }
};
struct Pair {
  unsigned sequence;
  Cell<int> a, b;
};
__device__ void write(Pair *p, int number) {
  unsigned s = __hip_atomic_load(&p->sequence, __ATOMIC_RELAXED, AGENT);
  __hip_atomic_store(&p->sequence, s + 1, __ATOMIC_RELAXED, AGENT);
#if BROKEN != 1 // the numbers may be seen before the odd sequence
  __threadfence();
#endif
  p->a.set(number);
  p->b.set(number);
  __hip_atomic_store(&p->sequence, s + 2, __ATOMIC_RELEASE, AGENT);
}
__device__ bool read(const Pair *p, int &a, int &b) {
  unsigned s = __hip_atomic_load(&p->sequence, __ATOMIC_ACQUIRE, AGENT);
  a = p->a.get();
  b = p->b.get();
#if BROKEN != 2 // the sequence may be read again before the numbers
  __threadfence();
#endif
  return !(s & 1) && s == __hip_atomic_load(&p->sequence, __ATOMIC_RELAXED, AGENT);
}
__global__ __launch_bounds__(1) void both(Pair *p) {
  if (blockIdx.x == 0) {
    write(p, 7);
    return;
  }
  int a, b;
  if (read(p, a, b)) assert(a == b);
}
