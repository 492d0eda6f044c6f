// Batcher (1968): a bitonic sort of a workgroup in local memory.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 data race by amdgpu
#define N 4
void exchange(__local int *a, __local int *b, bool up) {
  int x = *a, y = *b;
  if ((x > y) == up) { *a = y; *b = x; }
}
__kernel __attribute__((reqd_work_group_size(N / 2, 1, 1)))
void sort(__global int *restrict data) {
  __local int lds[N];
  uint i = get_local_id(0);
  lds[i] = data[i];
  lds[i + N / 2] = data[i + N / 2];
#if BROKEN != 1 // another lane may not have brought its number
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  for (uint size = 2; size <= N; size <<= 1) {
    for (uint stride = size >> 1; stride > 0; stride >>= 1) {
      uint at = 2 * i - (i & (stride - 1));
      exchange(&lds[at], &lds[at + stride], !(at & size));
#if BROKEN == 2 // some do not come
      if (i == 0) barrier(CLK_LOCAL_MEM_FENCE);
#else
      barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
  }
  data[i] = lds[i];
  data[i + N / 2] = lds[i + N / 2];
}
