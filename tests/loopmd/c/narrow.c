/* Counters of few bits, and loops that are kept in registers at -O0. */
void bytes(int *p, int n) {
#pragma unroll 4
  for (unsigned char i = 0; i < n; i++) p[i] = 3;
}
void shorts(int *p, int n) {
#pragma clang loop unroll_count(2)
  for (short i = 0; i < n; i++) p[i] = 3;
}
void twice(int *p, int n, int m) {
#pragma clang loop unroll_count(2)
  for (int i = 0; i < n; i++) {
#pragma clang loop vectorize(enable)
    for (int j = 0; j < m; j++) p[j] += i;
  }
}
void safe(int *p, int n) {
#pragma clang loop interleave(assume_safety)
  for (int i = 0; i < n; ++i) p[i + n] = p[i];
}
void whole(int p[8][8]) {
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; ++i)
#pragma clang loop unroll(disable)
    for (int j = 0; j < 8; ++j) p[j][i] = 0;
}
