// A tree of sums in local memory.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 has undefined behaviour
// axmem: launch reduce<<<1, 2x2>>>(d, o)
kernel void reduce(global int *d, global int *o) {
  local int s[4];
  uint l = get_local_id(0);
  s[l] = d[get_global_id(0)];
#if BROKEN != 1 // reads what the other wave may not have written
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  for (uint n = get_local_size(0) / 2; n; n /= 2) {
#if BROKEN == 2 // everybody adds, also what is behind the end
    int more = s[l + n];
    barrier(CLK_LOCAL_MEM_FENCE);
    s[l] += more;
#else
    if (l < n) s[l] += s[l + n];
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) *o = s[0];
}
