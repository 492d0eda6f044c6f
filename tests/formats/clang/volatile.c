// axmem: kernel @k(@x, @y) workgroups 2
#define GLOBAL __attribute__((address_space(1)))
GLOBAL int x = 0, y = 0;
__attribute__((amdgpu_kernel)) void k(GLOBAL volatile int *a, GLOBAL volatile int *b) {
  if (__builtin_amdgcn_workgroup_id_x())
    *a = 1, *b = 1;
  else
    *b = *a + 2;
}
