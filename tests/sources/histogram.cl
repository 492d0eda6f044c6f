// A histogram in local memory, added to the global one.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 data race by amdgpu
// axmem: launch k<<<1, 2x2>>>(in, out)
kernel void k(global uint *in, global int *out) {
  local int bins[2];
  uint item = get_local_id(0);
  if (item < 2) bins[item] = 0;
#if BROKEN != 1 // counts in what may not be zero yet
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if BROKEN == 2 // counts as if it was alone
  bins[in[item] & 1]++;
#else
  atomic_add(&bins[in[item] & 1], 1);
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < 2) atomic_add(&out[item], bins[item]);
}
