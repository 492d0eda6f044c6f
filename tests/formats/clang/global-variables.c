// axmem: kernel @k() workgroups 2
#define GLOBAL __attribute__((address_space(1)))
GLOBAL int x = 0;
static GLOBAL int y = 0;
__attribute__((amdgpu_kernel)) void k(void) {
  __scoped_atomic_fetch_add(&x, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  y = __scoped_atomic_load_n(&x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
