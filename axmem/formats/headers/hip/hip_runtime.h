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
#define __launch_bounds__(...)
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

#define __axmem_atomics(suffix, scope) \
  template <typename T> __axmem_device T atomicAdd##suffix(T *at, T by) { return __hip_atomic_fetch_add(at, by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicSub##suffix(T *at, T by) { return __hip_atomic_fetch_add(at, -by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicMin##suffix(T *at, T by) { return __hip_atomic_fetch_min(at, by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicMax##suffix(T *at, T by) { return __hip_atomic_fetch_max(at, by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicAnd##suffix(T *at, T by) { return __hip_atomic_fetch_and(at, by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicOr##suffix(T *at, T by) { return __hip_atomic_fetch_or(at, by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicXor##suffix(T *at, T by) { return __hip_atomic_fetch_xor(at, by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicExch##suffix(T *at, T by) { return __hip_atomic_exchange(at, by, __ATOMIC_RELAXED, scope); } \
  template <typename T> __axmem_device T atomicCAS##suffix(T *at, T expected, T by) { \
    __hip_atomic_compare_exchange_strong(at, &expected, by, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope); \
    return expected; \
  }
__axmem_atomics(, __HIP_MEMORY_SCOPE_AGENT)
__axmem_atomics(_block, __HIP_MEMORY_SCOPE_WORKGROUP)
__axmem_atomics(_system, __HIP_MEMORY_SCOPE_SYSTEM)

__axmem_device unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
__axmem_device unsigned long long __ballot(int condition) { return __builtin_amdgcn_ballot_w64(condition); }
__axmem_device int __any(int condition) { return __builtin_amdgcn_ballot_w64(condition) != 0; }
__axmem_device int __all(int condition) { return __builtin_amdgcn_ballot_w64(!condition) == 0; }
__axmem_device int __popc(unsigned n) { return __builtin_popcount(n); }
__axmem_device int __popcll(unsigned long long n) { return __builtin_popcountll(n); }
__axmem_device int __ffsll(unsigned long long n) { return __builtin_ffsll(n); }
__axmem_device int __ffs(int n) { return __builtin_ffs(n); }
template <typename T> __axmem_device T min(T a, T b) { return a < b ? a : b; }
template <typename T> __axmem_device T max(T a, T b) { return a < b ? b : a; }

// Shuffles of 32 bits: every lane reads the register of another. As in HIP a lane beyond the width reads its own.
#define __axmem_shuffled(name, other) \
  template <typename T> __axmem_device T name(T value, int by, int width = warpSize) { \
    static_assert(sizeof(T) == 4, "axmem's shuffles are of 32 bits"); \
    int self = __lane_id(), at = other; \
    return __builtin_bit_cast(T, __builtin_amdgcn_ds_bpermute(at << 2, __builtin_bit_cast(int, value))); \
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
