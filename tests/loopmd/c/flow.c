// Loops with branches, calls, atomics, several exits, waits.
void ext(int);

void call(int *a, long n) {
#pragma clang loop unroll_count(2)
  for (long i = 0; i < n; i++) ext(a[i]);
}

void branch(int *a, long n) {
#pragma clang loop unroll_count(2)
  for (long i = 0; i < n; i++)
    if (a[i] > 3) a[i] = 0;
}

void two_exits(int *a, long n) {
#pragma clang loop unroll_count(2)
  for (long i = 0; i < n; i++) {
    if (a[i] == 7) break;
    a[i] = 1;
  }
}

void two_exits_constant(int *a) {
#pragma clang loop unroll_count(4)
  for (int i = 0; i < 16; i++) {
    if (a[i] == 7) break;
    a[i] = 1;
  }
}

void two_exits_vector(int *a, long n) {
#pragma clang loop vectorize(enable)
  for (long i = 0; i < n; i++) {
    if (a[i] == 7) return;
    a[i] = 1;
  }
}

void do_while(int *a, long n) {
  long i = 0;
#pragma clang loop unroll_count(4)
  do a[i] = 2;
  while (++i < n);
}

void wait(volatile int *flag) {
#pragma clang loop unroll_count(2)
  while (*flag == 0)
    ;
}

void wait_atomic(int *flag) {
#pragma clang loop unroll_count(2)
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0)
    ;
}

void chase(int *a, int n) {
#pragma clang loop unroll_count(2)
  while (n) n = a[n];
}

void relaxed(int *a, int *b, long n) {
#pragma clang loop vectorize(enable)
  for (long i = 0; i < n; i++) b[i] = __atomic_load_n(&a[i], __ATOMIC_RELAXED);
}

void release(int *a, long n) {
#pragma clang loop unroll_count(4)
  for (long i = 0; i < n; i++) __atomic_store_n(&a[i], 1, __ATOMIC_RELEASE);
}

void update(int *a, long n) {
#pragma clang loop vectorize(enable) unroll_count(2)
  for (long i = 0; i < n; i++) __atomic_fetch_add(&a[0], 1, __ATOMIC_RELAXED);
}

void fenced(int *a, long n) {
#pragma clang loop vectorize(enable)
  for (long i = 0; i < n; i++) {
    a[i] = 1;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

void shifted(unsigned *a, unsigned n) {
#pragma clang loop unroll_count(2)
  for (unsigned m = n; m; m >>= 1) a[m] = 1;
}

void both(int *a, long n) {
#pragma clang loop vectorize(enable) unroll(enable)
  for (long i = 0; i < n; i++) a[i] = (int)i;
}

void masked(int *a, int *b, int n) {
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) a[i] = b[i] & 15;
}
