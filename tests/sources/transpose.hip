// A tile is transposed through LDS.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 has undefined behaviour
// axmem: launch k<<<1, 2x2>>>(in, out)
#include <hip/hip_runtime.h>
__global__ void k(int *in, int *out) {
  __shared__ int tile[4];
  unsigned item = threadIdx.x, row = item / 2, column = item % 2;
#if BROKEN == 2 // rows as far apart as in a padded tile, which this is not
  tile[3 * row + column] = in[item];
#else
  tile[2 * row + column] = in[item];
#endif
#if BROKEN != 1 // reads what the other wave may not have written
  __syncthreads();
#endif
  out[item] = tile[2 * column + row];
}
