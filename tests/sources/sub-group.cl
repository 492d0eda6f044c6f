// A sum by sub_group_reduce_add, then one atomic of each sub-group.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 undefined behaviour
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
// axmem: launch sum<<<2, 2>>>(in, out)
// axmem: init @in = {1, 2, 3, 4}
kernel void sum(global const int *in, volatile global int *out) {
  int s = sub_group_reduce_add(in[get_global_id(0)]);
#if BROKEN == 2
  if (s != 3 + 4 * (int)get_group_id(0) + 1) __builtin_trap();
#else
  if (s != 3 + 4 * (int)get_group_id(0)) __builtin_trap();
#endif
#if BROKEN == 1
  if (get_sub_group_local_id() == 0) *out += s;
#else
  if (get_sub_group_local_id() == 0) atomic_add(out, s);
#endif
}
