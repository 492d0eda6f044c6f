// axmem: kernel @k(@a, @b)
#define GLOBAL __attribute__((address_space(1)))
struct pair { int a[4]; };
GLOBAL struct pair a = {{1, 2, 3, 4}}, b;
__attribute__((amdgpu_kernel)) void k(GLOBAL struct pair *p, GLOBAL struct pair *q) { *q = *p; }
