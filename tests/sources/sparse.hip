// Rows of a sparse matrix whose bounds stand in memory (CSR), each row of one lane; results are added.
// expect 0: 0 data races by amdgpu: none
// expect 1: 1 data race by amdgpu
// expect 2: 1 outside every location
#include <hip/hip_runtime.h>
// axmem: launch spmv<<<2, 1>>>(row, col, val, x, y)
// axmem: init @row = {0, 2, 3}
// axmem: init @col = {0, 1, 1}
// axmem: init @val = {1, 2, 3}
// axmem: init @x = {5, 7}
__global__ void spmv(const int *row, const int *col, const int *val, const int *x, int *y) {
  int r = blockIdx.x, sum = 0;
#if BROKEN == 2
  for (int j = row[r]; j <= row[r + 1]; j++) sum += val[j] * x[col[j]];
#else
  for (int j = row[r]; j < row[r + 1]; j++) sum += val[j] * x[col[j]];
#endif
#if BROKEN == 1
  y[0] += sum;
#else
  atomicAdd(&y[0], sum);
#endif
}
