// axmem: kernel @k(@x, @s, in {0, 1})
#define GLOBAL __attribute__((address_space(1)))
#define LOCAL __attribute__((address_space(3)))
GLOBAL int x = 4;
LOCAL int s __attribute__((loader_uninitialized));
__attribute__((amdgpu_kernel)) void k(GLOBAL int *a, LOCAL int *b, int which) {
  int *p = which ? (int *)a : (int *)b;
  *p = 7;
  *a = *p + 1;
}
