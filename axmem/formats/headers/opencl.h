// OpenCL C, as far as one kernel's code needs it, in terms of clang's builtins: work-items, barriers, fences, atomics.
#pragma once

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
#define __axmem_inline static inline __attribute__((overloadable, always_inline))
#define __axmem_asked __attribute__((const))
#define NULL ((void *)0)
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define CLK_IMAGE_MEM_FENCE 4
typedef uint cl_mem_fence_flags;

size_t __axmem_asked __ockl_get_local_size(uint);
size_t __axmem_asked __ockl_get_num_groups(uint);
size_t __axmem_asked __ockl_get_local_id(uint);
size_t __axmem_asked __ockl_get_group_id(uint);
size_t __axmem_asked __ockl_get_global_id(uint);
size_t __axmem_asked __ockl_get_global_size(uint);
#define get_local_size(d) __ockl_get_local_size(d)
#define get_enqueued_local_size(d) __ockl_get_local_size(d)
#define get_num_groups(d) __ockl_get_num_groups(d)
#define get_local_id(d) __ockl_get_local_id(d)
#define get_group_id(d) __ockl_get_group_id(d)
#define get_global_id(d) __ockl_get_global_id(d)
#define get_global_size(d) __ockl_get_global_size(d)
#define get_local_linear_id() __ockl_get_local_id(0)
#define get_global_linear_id() __ockl_get_global_id(0)
#define get_global_offset(d) ((size_t)0)
#define get_work_dim() ((uint)1)
#define get_sub_group_local_id() __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u))

typedef enum {
  memory_scope_work_item = __OPENCL_MEMORY_SCOPE_WORK_ITEM,
  memory_scope_work_group = __OPENCL_MEMORY_SCOPE_WORK_GROUP,
  memory_scope_device = __OPENCL_MEMORY_SCOPE_DEVICE,
  memory_scope_all_svm_devices = __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES,
  memory_scope_all_devices = __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES,
  memory_scope_sub_group = __OPENCL_MEMORY_SCOPE_SUB_GROUP,
} memory_scope;
typedef enum {
  memory_order_relaxed = __ATOMIC_RELAXED,
  memory_order_acquire = __ATOMIC_ACQUIRE,
  memory_order_release = __ATOMIC_RELEASE,
  memory_order_acq_rel = __ATOMIC_ACQ_REL,
  memory_order_seq_cst = __ATOMIC_SEQ_CST,
} memory_order;

#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_FLAG_INIT 0

// A fence of clang's names its order, its scope and the memory that it orders by constants.
#define __axmem_fence_of(order, ...) \
  switch (order) { \
    case memory_order_acquire: __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, __VA_ARGS__); break; \
    case memory_order_release: __builtin_amdgcn_fence(__ATOMIC_RELEASE, __VA_ARGS__); break; \
    case memory_order_acq_rel: __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, __VA_ARGS__); break; \
    case memory_order_seq_cst: __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, __VA_ARGS__); break; \
    default: break; \
  }
#define __axmem_fence_at(flags, order, scope) \
  switch ((flags) & (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)) { \
    case CLK_LOCAL_MEM_FENCE: __axmem_fence_of(order, scope, "local"); break; \
    case CLK_GLOBAL_MEM_FENCE: __axmem_fence_of(order, scope, "global"); break; \
    case CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE: __axmem_fence_of(order, scope); break; \
    default: break; \
  }
__axmem_inline void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
  switch (scope) {
    case memory_scope_sub_group: __axmem_fence_at(flags, order, "wavefront"); break;
    case memory_scope_work_group: __axmem_fence_at(flags, order, "workgroup"); break;
    case memory_scope_device: __axmem_fence_at(flags, order, "agent"); break;
    case memory_scope_all_svm_devices: __axmem_fence_at(flags, order, ""); break;
    default: break;
  }
}
#define mem_fence(flags) atomic_work_item_fence(flags, memory_order_acq_rel, memory_scope_work_group)
#define read_mem_fence(flags) atomic_work_item_fence(flags, memory_order_acquire, memory_scope_work_group)
#define write_mem_fence(flags) atomic_work_item_fence(flags, memory_order_release, memory_scope_work_group)
__axmem_inline void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
  atomic_work_item_fence(flags, memory_order_release, scope);
  __builtin_amdgcn_s_barrier();
  atomic_work_item_fence(flags, memory_order_acquire, scope);
}
__axmem_inline void work_group_barrier(cl_mem_fence_flags flags) { work_group_barrier(flags, memory_scope_work_group); }
#define barrier(flags) work_group_barrier(flags, memory_scope_work_group)
// Lanes of a wave wait for one another where they meet.
__axmem_inline void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
  atomic_work_item_fence(flags, memory_order_release, scope);
  __builtin_amdgcn_wave_barrier();
  atomic_work_item_fence(flags, memory_order_acquire, scope);
}
__axmem_inline void sub_group_barrier(cl_mem_fence_flags flags) { sub_group_barrier(flags, memory_scope_sub_group); }
// What the lanes of a wave that execute it together have.
#define sub_group_all(condition) (__builtin_amdgcn_ballot_w64(!(condition)) == 0)
#define sub_group_any(condition) (__builtin_amdgcn_ballot_w64(condition) != 0)
#define sub_group_broadcast(value, lane) __builtin_amdgcn_readlane(value, lane)
#if __has_builtin(__builtin_amdgcn_wave_reduce_add_u32)
#define __axmem_reduced(name, type, built_in) \
  __axmem_inline type sub_group_reduce_##name(type value) { return (type)built_in(value, 0); }
__axmem_reduced(add, int, __builtin_amdgcn_wave_reduce_add_u32)
__axmem_reduced(add, uint, __builtin_amdgcn_wave_reduce_add_u32)
__axmem_reduced(min, int, __builtin_amdgcn_wave_reduce_min_i32)
__axmem_reduced(min, uint, __builtin_amdgcn_wave_reduce_min_u32)
__axmem_reduced(max, int, __builtin_amdgcn_wave_reduce_max_i32)
__axmem_reduced(max, uint, __builtin_amdgcn_wave_reduce_max_u32)
#endif

#define atomic_init(at, value) (*(at) = (value))
#define __axmem_order(order, scope, ...) order
#define __axmem_scope(order, scope, ...) scope
#define __axmem_scoped(...) __axmem_order(__VA_ARGS__, memory_scope_device), __axmem_scope(__VA_ARGS__, memory_scope_device)
#define atomic_load_explicit(at, ...) __opencl_atomic_load(at, __axmem_scoped(__VA_ARGS__, memory_scope_device))
#define atomic_store_explicit(at, value, ...) __opencl_atomic_store(at, value, __axmem_scoped(__VA_ARGS__, memory_scope_device))
#define atomic_exchange_explicit(at, value, ...) __opencl_atomic_exchange(at, value, __axmem_scoped(__VA_ARGS__, memory_scope_device))
#define atomic_fetch_add_explicit(at, value, ...) __opencl_atomic_fetch_add(at, value, __axmem_scoped(__VA_ARGS__, memory_scope_device))
#define atomic_fetch_sub_explicit(at, value, ...) __opencl_atomic_fetch_sub(at, value, __axmem_scoped(__VA_ARGS__, memory_scope_device))
#define atomic_fetch_and_explicit(at, value, ...) __opencl_atomic_fetch_and(at, value, __axmem_scoped(__VA_ARGS__, memory_scope_device))
#define atomic_fetch_or_explicit(at, value, ...) __opencl_atomic_fetch_or(at, value, __axmem_scoped(__VA_ARGS__, memory_scope_device))
#define atomic_fetch_xor_explicit(at, value, ...) __opencl_atomic_fetch_xor(at, value, __axmem_scoped(__VA_ARGS__, memory_scope_device))
#define atomic_fetch_min_explicit(at, value, ...) __opencl_atomic_fetch_min(at, value, __axmem_scoped(__VA_ARGS__, memory_scope_device))
#define atomic_fetch_max_explicit(at, value, ...) __opencl_atomic_fetch_max(at, value, __axmem_scoped(__VA_ARGS__, memory_scope_device))
#define __axmem_failing(at, expected, value, success, failure, scope, ...) \
  __opencl_atomic_compare_exchange_strong(at, expected, value, success, failure, scope)
#define atomic_compare_exchange_strong_explicit(at, expected, value, success, ...) \
  __axmem_failing(at, expected, value, success, __VA_ARGS__, memory_scope_device, memory_scope_device)
#define atomic_compare_exchange_weak_explicit atomic_compare_exchange_strong_explicit
#define atomic_load(at) atomic_load_explicit(at, memory_order_seq_cst)
#define atomic_store(at, value) atomic_store_explicit(at, value, memory_order_seq_cst)
#define atomic_exchange(at, value) atomic_exchange_explicit(at, value, memory_order_seq_cst)
#define atomic_fetch_add(at, value) atomic_fetch_add_explicit(at, value, memory_order_seq_cst)
#define atomic_fetch_sub(at, value) atomic_fetch_sub_explicit(at, value, memory_order_seq_cst)
#define atomic_fetch_and(at, value) atomic_fetch_and_explicit(at, value, memory_order_seq_cst)
#define atomic_fetch_or(at, value) atomic_fetch_or_explicit(at, value, memory_order_seq_cst)
#define atomic_fetch_xor(at, value) atomic_fetch_xor_explicit(at, value, memory_order_seq_cst)
#define atomic_compare_exchange_strong(at, expected, value) \
  atomic_compare_exchange_strong_explicit(at, expected, value, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_compare_exchange_weak atomic_compare_exchange_strong
#define atomic_flag_test_and_set_explicit(at, ...) (atomic_exchange_explicit(at, 1, __VA_ARGS__) != 0)
#define atomic_flag_clear_explicit(at, ...) atomic_store_explicit(at, 0, __VA_ARGS__)

// OpenCL 1.x's atomics are relaxed, of the device's scope.
#define __axmem_old(name, operation) \
  __axmem_inline int name(volatile __global int *at, int by) { return operation((__global atomic_int *)at, by, memory_order_relaxed, memory_scope_device); } \
  __axmem_inline uint name(volatile __global uint *at, uint by) { return operation((__global atomic_uint *)at, by, memory_order_relaxed, memory_scope_device); } \
  __axmem_inline int name(volatile __local int *at, int by) { return operation((__local atomic_int *)at, by, memory_order_relaxed, memory_scope_device); } \
  __axmem_inline uint name(volatile __local uint *at, uint by) { return operation((__local atomic_uint *)at, by, memory_order_relaxed, memory_scope_device); }
__axmem_old(atomic_add, __opencl_atomic_fetch_add)
__axmem_old(atomic_sub, __opencl_atomic_fetch_sub)
__axmem_old(atomic_xchg, __opencl_atomic_exchange)
__axmem_old(atomic_min, __opencl_atomic_fetch_min)
__axmem_old(atomic_max, __opencl_atomic_fetch_max)
__axmem_old(atomic_and, __opencl_atomic_fetch_and)
__axmem_old(atomic_or, __opencl_atomic_fetch_or)
__axmem_old(atomic_xor, __opencl_atomic_fetch_xor)
#define atomic_inc(at) atomic_add(at, 1)
#define atomic_dec(at) atomic_sub(at, 1)
#define atom_add atomic_add
#define atom_sub atomic_sub
#define atom_xchg atomic_xchg
#define atom_min atomic_min
#define atom_max atomic_max
#define atom_and atomic_and
#define atom_or atomic_or
#define atom_xor atomic_xor
#define atom_inc atomic_inc
#define atom_dec atomic_dec
#define __axmem_exchanged(space, type, atomic) \
  __axmem_inline type atomic_cmpxchg(volatile space type *at, type expected, type value) { \
    __opencl_atomic_compare_exchange_strong((space atomic *)at, &expected, value, memory_order_relaxed, memory_order_relaxed, memory_scope_device); \
    return expected; \
  }
__axmem_exchanged(__global, int, atomic_int)
__axmem_exchanged(__global, uint, atomic_uint)
__axmem_exchanged(__local, int, atomic_int)
__axmem_exchanged(__local, uint, atomic_uint)
#define atom_cmpxchg atomic_cmpxchg

#define __axmem_pair(type) \
  __axmem_inline type min(type a, type b) { return a < b ? a : b; } \
  __axmem_inline type max(type a, type b) { return a < b ? b : a; }
__axmem_pair(int)
__axmem_pair(uint)
__axmem_pair(long)
__axmem_pair(ulong)
#define popcount(n) __builtin_popcount(n)
