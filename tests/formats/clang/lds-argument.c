// axmem: kernel @k(@o, @s) workgroups 2
// axmem: exists (o[0]=1)
#define GLOBAL __attribute__((address_space(1)))
#define LOCAL __attribute__((address_space(3)))
GLOBAL int o[2] = {-1, -1};
LOCAL int s __attribute__((loader_uninitialized));
__attribute__((amdgpu_kernel)) void k(GLOBAL int *out, LOCAL int *t) {
  __scoped_atomic_store_n(t, 0, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  out[__builtin_amdgcn_workgroup_id_x()] = __scoped_atomic_fetch_add(t, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
}
