// What AMD's device library says of who a work-item is, as it says it: by registers, and by the arguments behind those
// of the kernel. Only code has these bodies: where tests are read, the launch itself gives the numbers.
#pragma once

#ifdef __HIP__
#define __axmem_library(name) extern "C" inline __attribute__((device, const, always_inline)) unsigned long __ockl_get_##name(unsigned d)
#define __axmem_arguments(type) ((const __attribute__((address_space(4))) type *)__builtin_amdgcn_implicitarg_ptr())
#else
#define __axmem_library(name) extern inline __attribute__((const, gnu_inline, always_inline)) unsigned long __ockl_get_##name(unsigned d)
#define __axmem_arguments(type) ((const __constant type *)__builtin_amdgcn_implicitarg_ptr())
#endif
#define __axmem_by_dimension(name) d == 0 ? __builtin_amdgcn_##name##_x() : d == 1 ? __builtin_amdgcn_##name##_y() : __builtin_amdgcn_##name##_z()

__axmem_library(num_groups) { return __axmem_arguments(unsigned)[d]; }
__axmem_library(local_size) { return __axmem_arguments(unsigned short)[6 + d]; }
#ifndef __HIP__
__axmem_library(local_id) { return __axmem_by_dimension(workitem_id); }
__axmem_library(group_id) { return __axmem_by_dimension(workgroup_id); }
__axmem_library(global_id) { return __ockl_get_group_id(d) * __ockl_get_local_size(d) + __ockl_get_local_id(d); }
__axmem_library(global_size) { return __ockl_get_num_groups(d) * __ockl_get_local_size(d); }
#endif
