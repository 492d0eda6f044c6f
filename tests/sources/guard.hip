// A lock as a class with a guard, a template, and a lambda.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 an execution goes on for ever
#include <hip/hip_runtime.h>
// axmem: launch add<<<2, 1>>>(state, count)
template <int Scope> class Lock {
  int *state;
public:
  __device__ explicit Lock(int *s) : state(s) {
    while (__hip_atomic_exchange(state, 1, __ATOMIC_ACQUIRE, Scope)) {}
  }
  __device__ ~Lock() {
#if BROKEN != 2
    __hip_atomic_store(state, 0, __ATOMIC_RELEASE, Scope);
#endif
  }
};
template <typename F> __device__ void locked(int *state, F f) {
#if BROKEN == 1
  Lock<__HIP_MEMORY_SCOPE_WORKGROUP> guard(state);
#else
  Lock<__HIP_MEMORY_SCOPE_AGENT> guard(state);
#endif
  f();
}
__global__ void add(int *state, int *count) {
  locked(state, [=] { *count += 1; });
}
