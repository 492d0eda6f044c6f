// Loops alone: counters and elements of every width, up and down, by steps, and bounds that are known and not.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long u64;

void copy(int *a, const int *b, int n) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) a[i] = b[i];
}

void add_one(int *a, long n) {
#pragma clang loop unroll_count(4)
  for (long i = 0; i < n; i++) a[i] += 1;
}

void add_one_int(int *a, int n) {
#pragma clang loop unroll_count(4)
  for (int i = 0; i < n; i++) a[i] += 1;
}

void add_one_unsigned(int *a, u32 n) {
#pragma clang loop unroll_count(4)
  for (u32 i = 0; i < n; i++) a[i] += 1;
}

void full(int *a) {
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; i++) a[i] = i;
}

void full_unknown(int *a, int n) {
#pragma clang loop unroll(full)
  for (int i = 0; i < n; i++) a[i] = i;
}

void disabled(int *a, int n) {
#pragma clang loop unroll(disable) vectorize(disable)
  for (int i = 0; i < n; i++) a[i] = 7;
}

void by_three(int *a, long n) {
#pragma clang loop unroll_count(3)
  for (long i = 0; i < n; i++) a[i] = a[i] * 3;
}

void thirty(int *a) {
#pragma clang loop unroll_count(4)
  for (int i = 0; i < 30; i++) a[i] = a[i] + 5;
}

void sixty_four(int *a) {
#pragma clang loop vectorize(enable) vectorize_width(4) interleave_count(2)
  for (int i = 0; i < 64; i++) a[i] = a[i] + 5;
}

void width_four(int *a, long n) {
#pragma clang loop vectorize_width(4) interleave_count(1)
  for (long i = 0; i < n; i++) a[i] = a[i] + 5;
}

void width_one(int *a, long n) {
#pragma clang loop vectorize_width(1) interleave_count(2)
  for (long i = 0; i < n; i++) a[i] = a[i] + 5;
}

void bytes(u8 *a, int n) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) a[i] ^= 1;
}

void shorts(u16 *a, u16 n) {
#pragma clang loop unroll_count(2)
  for (u16 i = 0; i < n; i++) a[i] = i;
}

void longs(u64 *a, u64 n) {
#pragma clang loop unroll(enable)
  for (u64 i = 0; i < n; i++) a[i] = i;
}

void down(int *a, int n) {
#pragma clang loop unroll_count(2)
  for (int i = n; i > 0; i--) a[i] = 1;
}

void down_long(int *a, long n) {
#pragma clang loop vectorize(enable)
  for (long i = n - 1; i >= 0; i--) a[i] += 1;
}

void by_twos(int *a, int n) {
#pragma clang loop unroll_count(2)
  for (int i = 0; i < n; i += 2) a[i] = 1;
}

void by_fours_constant(int *a) {
#pragma clang loop unroll_count(2)
  for (int i = 0; i < 40; i += 4) a[i] = 1;
}

void at_most(int *a, int n) {
#pragma clang loop unroll_count(2)
  for (int i = 0; i <= n; i++) a[i] = 1;
}

void from_one(int *a, long n) {
#pragma clang loop unroll_count(4)
  for (long i = 1; i < n; i++) a[i] = 1;
}

void from_m(int *a, long m, long n) {
#pragma clang loop unroll_count(4)
  for (long i = m; i < n; i++) a[i] = 1;
}

void recurrence(int *a, long n) {
#pragma clang loop vectorize(enable)
  for (long i = 0; i < n; i++) a[i + 1] = a[i] * 3;
}

void two_arrays(int *a, int *b, long n) {
#pragma clang loop vectorize(enable)
  for (long i = 0; i < n; i++) b[i] = a[i];
}

void assume_safe(int *a, int *b, long n) {
#pragma clang loop vectorize(assume_safety)
  for (long i = 0; i < n; i++) b[i] = a[i];
}

void assume_safe_int(int *a, int *b, int n) {
#pragma clang loop vectorize(assume_safety) unroll(disable)
  for (int i = 0; i < n; i++) b[i] = a[i] + b[i];
}

void no_pragma(int *a, long n) {
  for (long i = 0; i < n; i++) a[i] += 3;
}

void no_pragma_constant(int *a) {
  for (int i = 0; i < 100; i++) a[i] += 3;
}

void predicate(int *a, const int *b, long n) {
#pragma clang loop vectorize(enable) vectorize_predicate(enable)
  for (long i = 0; i < n; i++) a[i] = b[i] * 2;
}

void interleaved(int *a, long n) {
#pragma clang loop interleave_count(4)
  for (long i = 0; i < n; i++) a[i] -= 1;
}

void floats(float *a, const float *b, long n) {
#pragma clang loop vectorize(enable)
  for (long i = 0; i < n; i++) a[i] = b[i] + 1.0f;
}

void doubles(double *a, int n) {
#pragma clang loop unroll_count(4)
  for (int i = 0; i < n; i++) a[i] = a[i] * 0.5;
}

int sum(const int *a, long n) {
  int s = 0;
#pragma clang loop vectorize(enable)
  for (long i = 0; i < n; i++) s += a[i];
  return s;
}

u32 max_of(const u32 *a, int n) {
  u32 s = 0;
#pragma clang loop unroll_count(2)
  for (int i = 0; i < n; i++) s = a[i] > s ? a[i] : s;
  return s;
}

void nounroll(int *a, int n) {
#pragma nounroll
  for (int i = 0; i < n; i++) a[i] = i;
}

void unroll_eight(int *a, int n) {
#pragma unroll 8
  for (int i = 0; i < n; i++) a[i] = i;
}

void distribute(int *a, int *b, long n) {
#pragma clang loop distribute(enable)
  for (long i = 0; i < n; i++) a[i] = b[i] + 1;
}

void apart(int *a, int *b, int *c, int *d, long n) {
#pragma clang loop distribute(enable)
  for (long i = 0; i < n; i++) {
    a[i + 1] = a[i] * b[i];
    c[i] = d[i] * 3;
  }
}

void volatile_store(volatile int *a, int n) {
#pragma clang loop unroll_count(2) vectorize(enable)
  for (int i = 0; i < n; i++) a[i] = i;
}

void store_invariant(int *a, int *p, long n) {
#pragma clang loop vectorize(enable)
  for (long i = 0; i < n; i++) a[i] = *p + 1;
}
