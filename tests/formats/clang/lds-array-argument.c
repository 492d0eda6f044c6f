// axmem: kernel @k(@o, @s) workgroups 1, lanes 2
#define GLOBAL __attribute__((address_space(1)))
#define LOCAL __attribute__((address_space(3)))
GLOBAL int o[2] = {0, 0};
LOCAL int s[2] __attribute__((loader_uninitialized));
__attribute__((amdgpu_kernel)) void k(GLOBAL int *out, LOCAL int *t) {
  unsigned id = __builtin_amdgcn_workitem_id_x();
  t[id] = id + 5;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[id] = t[1 - id];
}
