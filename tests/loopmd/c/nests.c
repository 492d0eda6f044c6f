// Nests.
void rows(int *a, const int *b, long n, long m) {
#pragma unroll_and_jam(2)
  for (long i = 0; i < n; i++) {
    int s = 0;
    for (long j = 0; j < m; j++) s += b[j];
    a[i] = s;
  }
}

void rows_int(int *a, const int *b, int n, int m) {
#pragma unroll_and_jam(4)
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (int j = 0; j < m; j++) s += b[j];
    a[i] = s;
  }
}

void rows_unsigned(int *a, const int *b, unsigned n, unsigned m) {
#pragma unroll_and_jam(4)
  for (unsigned i = 0; i < n; i++) {
    int s = 0;
    for (unsigned j = 0; j < m; j++) s += b[j];
    a[i] = s;
  }
}

void rows_known(int *a, const int *b) {
#pragma unroll_and_jam(2)
  for (int i = 0; i < 8; i++) {
    int s = 0;
    for (int j = 0; j < 6; j++) s += b[j];
    a[i] = s;
  }
}

void nojam(int *a, const int *b, int n, int m) {
#pragma nounroll_and_jam
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (int j = 0; j < m; j++) s += b[j];
    a[i] = s;
  }
}

void jam_enable(int *a, const int *b, int n, int m) {
#pragma unroll_and_jam
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (int j = 0; j < m; j++) s += b[j];
    a[i] = s;
  }
}

void inner_vector(int *a, const int *b, long n, long m) {
  for (long i = 0; i < n; i++) {
#pragma clang loop vectorize(enable)
    for (long j = 0; j < m; j++) a[j] += b[i];
  }
}

void outer_count(int *a, long n) {
#pragma clang loop unroll_count(2)
  for (long i = 0; i < n; i++)
    for (long j = 0; j < 4; j++) a[4 * i + j] = 1;
}

void inner_full(int *a, long n) {
  for (long i = 0; i < n; i++) {
#pragma clang loop unroll(full)
    for (long j = 0; j < 4; j++) a[4 * i + j] = 1;
  }
}

void both_full(int *a) {
#pragma clang loop unroll(full)
  for (int i = 0; i < 3; i++) {
#pragma clang loop unroll(full)
    for (int j = 0; j < 4; j++) a[4 * i + j] = i;
  }
}

void three(int *a, long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
#pragma clang loop unroll_count(2)
      for (long k = 0; k < n; k++) a[k] += (int)(i + j);
    }
}

void side_by_side(int *a, int *b, long n) {
#pragma clang loop unroll_count(2)
  for (long i = 0; i < n; i++) a[i] = 1;
#pragma clang loop vectorize(enable)
  for (long i = 0; i < n; i++) b[i] = 2;
}
