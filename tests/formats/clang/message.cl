// axmem: kernel @k(@x, @flag, @o) workgroups 2
// axmem: exists (o[1]=1)
global int x = 0, flag = 0, o[2] = {0, 0};
kernel void k(global int *data, global int *f, global int *out) {
  if (__builtin_amdgcn_workgroup_id_x() == 0) {
    *data = 1;
    __scoped_atomic_store_n(f, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
  } else if (__scoped_atomic_load_n(f, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE)) {
    out[1] = *data;
  }
}
