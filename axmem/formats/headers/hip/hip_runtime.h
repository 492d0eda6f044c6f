// HIP and CUDA, as far as one kernel's code needs them, in terms of clang's builtins.
#pragma once

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(lanes, ...) __attribute__((amdgpu_flat_work_group_size(1, lanes)))
#define __restrict__ __restrict
#define warpSize ((int)__builtin_amdgcn_wavefrontsize())
#define __axmem_device static inline __attribute__((device, always_inline))
#define assert(condition) ((condition) ? (void)0 : __builtin_trap())

typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned long size_t;
typedef unsigned int uint;

extern "C" __attribute__((device, const)) unsigned long __ockl_get_local_size(unsigned int);
extern "C" __attribute__((device, const)) unsigned long __ockl_get_num_groups(unsigned int);

struct __axmem_thread { unsigned x, y, z; };
#define __axmem_coordinates(name, each_x, each_y, each_z) \
  struct __axmem_##name { \
    __declspec(property(get = __x)) unsigned x; \
    __declspec(property(get = __y)) unsigned y; \
    __declspec(property(get = __z)) unsigned z; \
    __attribute__((device, always_inline)) static unsigned __x() { return each_x; } \
    __attribute__((device, always_inline)) static unsigned __y() { return each_y; } \
    __attribute__((device, always_inline)) static unsigned __z() { return each_z; } \
  }; \
  extern const __attribute__((device, weak)) __axmem_##name name;
__axmem_coordinates(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z())
__axmem_coordinates(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z())
__axmem_coordinates(blockDim, (unsigned)__ockl_get_local_size(0), (unsigned)__ockl_get_local_size(1), (unsigned)__ockl_get_local_size(2))
__axmem_coordinates(gridDim, (unsigned)__ockl_get_num_groups(0), (unsigned)__ockl_get_num_groups(1), (unsigned)__ockl_get_num_groups(2))

__axmem_device void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
__axmem_device void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
__axmem_device void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
__axmem_device void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__axmem_device void __syncwarp() { __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"); __builtin_amdgcn_wave_barrier(); }
__axmem_device void __builtin_axmem_sleep() { __builtin_amdgcn_s_sleep(1); }
#define __nanosleep(n) __builtin_axmem_sleep()

// What is converted to the type of another argument, and decides nothing itself.
template <typename T> struct __axmem_type { typedef T type; };
template <typename T> using __axmem_same = typename __axmem_type<T>::type;

#define __axmem_atomics(suffix, scope, name) \
  template <typename T> __axmem_device T atomicAdd##suffix(T *at, __axmem_same<T> by) { return __hip_atomic_fetch_add(at, by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicMin##suffix(T *at, __axmem_same<T> by) { return __hip_atomic_fetch_min(at, by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicMax##suffix(T *at, __axmem_same<T> by) { return __hip_atomic_fetch_max(at, by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicAnd##suffix(T *at, __axmem_same<T> by) { return __hip_atomic_fetch_and(at, by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicOr##suffix(T *at, __axmem_same<T> by) { return __hip_atomic_fetch_or(at, by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicXor##suffix(T *at, __axmem_same<T> by) { return __hip_atomic_fetch_xor(at, by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicExch##suffix(T *at, __axmem_same<T> by) { return __hip_atomic_exchange(at, by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicSub##suffix(T *at, __axmem_same<T> by) { return __hip_atomic_fetch_add(at, -by, __ATOMIC_RELAXED, scope); } \
  __axmem_device unsigned atomicInc##suffix(unsigned *at, unsigned most) { return __builtin_amdgcn_atomic_inc32(at, most, __ATOMIC_RELAXED, name); } \
  __axmem_device unsigned atomicDec##suffix(unsigned *at, unsigned most) { return __builtin_amdgcn_atomic_dec32(at, most, __ATOMIC_RELAXED, name); } \
  template <typename T> __axmem_device T atomicCAS##suffix(T *at, __axmem_same<T> expected, __axmem_same<T> by) { \
    __hip_atomic_compare_exchange_strong(at, &expected, by, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope); \
    return expected; \
  }
__axmem_atomics(, __HIP_MEMORY_SCOPE_AGENT, "agent")
__axmem_atomics(_block, __HIP_MEMORY_SCOPE_WORKGROUP, "workgroup")
__axmem_atomics(_system, __HIP_MEMORY_SCOPE_SYSTEM, "")

__axmem_device unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
__axmem_device unsigned long long __ballot(int condition) { return __builtin_amdgcn_ballot_w64(condition); }
__axmem_device int __any(int condition) { return __builtin_amdgcn_ballot_w64(condition) != 0; }
__axmem_device int __all(int condition) { return __builtin_amdgcn_ballot_w64(!condition) == 0; }
__axmem_device int __popc(unsigned n) { return __builtin_popcount(n); }
__axmem_device int __popcll(unsigned long long n) { return __builtin_popcountll(n); }
__axmem_device int __ffsll(unsigned long long n) { return __builtin_ffsll(n); }
__axmem_device int __ffs(int n) { return __builtin_ffs(n); }
__axmem_device int __clz(int n) { return n ? __builtin_clz(n) : 32; }
__axmem_device int __clzll(long long n) { return n ? __builtin_clzll(n) : 64; }
__axmem_device unsigned __brev(unsigned n) { return __builtin_bitreverse32(n); }
__axmem_device unsigned long long __brevll(unsigned long long n) { return __builtin_bitreverse64(n); }
__axmem_device int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
__axmem_device unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
__axmem_device int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
__axmem_device unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
__axmem_device int __float_as_int(float n) { return __builtin_bit_cast(int, n); }
__axmem_device unsigned __float_as_uint(float n) { return __builtin_bit_cast(unsigned, n); }
__axmem_device float __int_as_float(int n) { return __builtin_bit_cast(float, n); }
__axmem_device float __uint_as_float(unsigned n) { return __builtin_bit_cast(float, n); }
template <typename T> __axmem_device T __ldg(const T *at) { return *at; }
template <typename T> __axmem_device T abs(T n) { return n < 0 ? -n : n; }
template <typename T, typename U> __axmem_device decltype(T() + U()) min(T a, U b) { return a < b ? a : b; }
template <typename T, typename U> __axmem_device decltype(T() + U()) max(T a, U b) { return a < b ? b : a; }
template <typename... A> __axmem_device int printf(const char *, A...) { return 0; }

// Barriers that count: the number lies in memory of the workgroup, and two barriers part its uses.
__axmem_device int __syncthreads_count(int condition) {
  static __shared__ int count;
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) count = 0;
  __syncthreads();
  if (condition) atomicAdd_block(&count, 1);
  __syncthreads();
  return count;
}
__axmem_device int __syncthreads_or(int condition) { return __syncthreads_count(condition) != 0; }
__axmem_device int __syncthreads_and(int condition) { return __syncthreads_count(!condition) == 0; }

struct dim3 {
  unsigned x, y, z;
  __attribute__((host, device)) constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
#define __axmem_vectors(type, name) \
  typedef type name##2 __attribute__((ext_vector_type(2))); \
  typedef type name##4 __attribute__((ext_vector_type(4))); \
  __axmem_device name##2 make_##name##2(type x, type y) { return (name##2){x, y}; } \
  __axmem_device name##4 make_##name##4(type x, type y, type z, type w) { return (name##4){x, y, z, w}; }
__axmem_vectors(int, int)
__axmem_vectors(unsigned, uint)
__axmem_vectors(float, float)
__axmem_vectors(double, double)
__axmem_vectors(long long, longlong)

// Shuffles of 32 and 64 bits: every lane reads the register of another. As in HIP a lane beyond the width reads its own.
template <typename T> __axmem_device T __axmem_moved(T value, int at) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "axmem's shuffles are of 32 and 64 bits");
  if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, __builtin_amdgcn_ds_bpermute(at << 2, __builtin_bit_cast(int, value)));
  } else {
    unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
    unsigned low = __builtin_amdgcn_ds_bpermute(at << 2, (int)bits), high = __builtin_amdgcn_ds_bpermute(at << 2, (int)(bits >> 32));
    return __builtin_bit_cast(T, (unsigned long long)high << 32 | low);
  }
}
#define __axmem_shuffled(name, other) \
  template <typename T> __axmem_device T name(T value, int by, int width = warpSize) { \
    int self = __lane_id(), at = other; \
    return __axmem_moved(value, at); \
  }
__axmem_shuffled(__shfl, (self & ~(width - 1)) + (by & (width - 1)))
__axmem_shuffled(__shfl_xor, (self ^ by) < ((self + width) & ~(width - 1)) ? self ^ by : self)
__axmem_shuffled(__shfl_up, self - by < (self & ~(width - 1)) ? self : self - by)
__axmem_shuffled(__shfl_down, (self & (width - 1)) + by >= width ? self : self + by)
#define __shfl_sync(mask, ...) __shfl(__VA_ARGS__)
#define __shfl_xor_sync(mask, ...) __shfl_xor(__VA_ARGS__)
#define __shfl_up_sync(mask, ...) __shfl_up(__VA_ARGS__)
#define __shfl_down_sync(mask, ...) __shfl_down(__VA_ARGS__)
#define __ballot_sync(mask, condition) __ballot(condition)
#define __any_sync(mask, condition) __any(condition)
#define __all_sync(mask, condition) __all(condition)
#define __activemask() __ballot(1)
