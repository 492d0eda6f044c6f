// axmem: kernel @k(@x)
#define GLOBAL __attribute__((address_space(1)))
GLOBAL int x = 0;
int outside(int);
__attribute__((amdgpu_kernel)) void k(GLOBAL int *a) { *a = outside(*a); }
