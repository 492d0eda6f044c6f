// expect: 1 data race by amdgpu
// axmem: launch reduce<<<1, 2x2>>>(d, o)
kernel void reduce(global int *d, global int *o) {
  local int s[4];
  uint l = get_local_id(0);
  s[l] = d[get_global_id(0)];
  for (uint n = get_local_size(0) / 2; n; n /= 2) {
    if (l < n) s[l] += s[l + n];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) *o = s[0];
}
