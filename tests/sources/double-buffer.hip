// Two buffers in LDS: while one is read the other is filled.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 data race by amdgpu
// axmem: launch k<<<1, 2x1>>>(in, out)
#include <hip/hip_runtime.h>
__global__ void k(int *in, int *out) {
  __shared__ int buffer[2][2];
  int me = threadIdx.x, sum = 0;
  buffer[0][me] = in[me];
  __syncthreads();
  for (int step = 0; step < 3; step++) {
#if BROKEN == 2 // fills the buffer that is read
    buffer[step & 1][me] = in[2 * step + 2 + me];
#else
    buffer[~step & 1][me] = in[2 * step + 2 + me];
#endif
    sum += buffer[step & 1][1 - me];
#if BROKEN != 1 // the next step reads what may not be there
    __syncthreads();
#endif
  }
  out[me] = sum;
}
