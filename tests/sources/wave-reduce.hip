// Sums by shuffles within waves, and across waves through LDS.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 has undefined behaviour
// axmem: launch k<<<1, 2x2>>>(in, out)
#include <hip/hip_runtime.h>
__global__ void k(int *in, int *out) {
  __shared__ int parts[2];
  int item = threadIdx.x;
  int sum = in[item];
  sum += __shfl_xor(sum, 1);
#if BROKEN == 2 // as many parts as there are items
  parts[item] = sum;
#else
  if (__lane_id() == 0) parts[item >= 2] = sum;
#endif
#if BROKEN != 1 // reads what the other wave may not have written
  __syncthreads();
#endif
  if (item == 0) *out = parts[0] + parts[1];
}
