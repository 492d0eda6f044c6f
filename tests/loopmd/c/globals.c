// Arrays of which it is known that they are apart.
int ga[64], gb[64], gc[64], gd[64];

void map(long n) {
#pragma clang loop vectorize(enable)
  for (long i = 0; i < n; i++) ga[i] = gb[i] + 1;
}

void map_int(int n) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) ga[i] = gb[i] + 1;
}

void map_unsigned(unsigned n) {
#pragma clang loop vectorize(enable)
  for (unsigned i = 0; i < n; i++) ga[i] = gb[i] + 1;
}

void map_known(void) {
#pragma clang loop unroll_count(4)
  for (int i = 0; i < 48; i++) ga[i] = gb[i] + 1;
}

void separate(long n) {
#pragma clang loop distribute(enable)
  for (long i = 0; i < n; i++) {
    ga[i + 1] = ga[i] * gb[i];
    gc[i] = gd[i] * 3;
  }
}

void serial(long n) {
#pragma clang loop distribute(enable) vectorize(enable)
  for (long i = 0; i < n; i++) ga[i + 1] = ga[i] * 3;
}

void jam(long n, long m) {
#pragma unroll_and_jam(2)
  for (long i = 0; i < n; i++) {
    int s = 0;
    for (long j = 0; j < m; j++) s += gb[j];
    ga[i] = s;
  }
}

void jam_int(int n, int m) {
#pragma unroll_and_jam(4)
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (int j = 0; j < m; j++) s += gb[j];
    ga[i] = s;
  }
}

void jam_unsigned(unsigned n, unsigned m) {
#pragma unroll_and_jam(4)
  for (unsigned i = 0; i < n; i++) {
    int s = 0;
    for (unsigned j = 0; j < m; j++) s += gb[j];
    ga[i] = s;
  }
}

void jam_known(void) {
#pragma unroll_and_jam(2)
  for (int i = 0; i < 8; i++) {
    int s = 0;
    for (int j = 0; j < 6; j++) s += gb[j];
    ga[i] = s;
  }
}

void jam_and_unroll(long n, long m) {
#pragma unroll_and_jam(2)
#pragma unroll(2)
  for (long i = 0; i < n; i++) {
    int s = 0;
    for (long j = 0; j < m; j++) s += gb[j];
    ga[i] = s;
  }
}

void jam_no_unroll(long n, long m) {
#pragma unroll_and_jam(3)
#pragma nounroll
  for (long i = 0; i < n; i++) {
    int s = 0;
    for (long j = 0; j < m; j++) s += gb[j];
    ga[i] = s;
  }
}

void jam_columns(long n, long m) {
#pragma unroll_and_jam(2)
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) ga[8 * j + i] += 1;
}

void jam_dependent(long n, long m) {
#pragma unroll_and_jam(2)
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) ga[j + 1] = ga[j] + (int)i;
}

void jam_vector(long n, long m) {
#pragma unroll_and_jam(2)
  for (long i = 0; i < n; i++) {
    int s = 0;
#pragma clang loop vectorize(enable)
    for (long j = 0; j < m; j++) s += gb[j];
    ga[i] = s;
  }
}

void jam_do(long n, long m) {
  long i = 0;
#pragma unroll_and_jam(2)
  do {
    int s = 0;
    long j = 0;
    do s += gb[j];
    while (++j < m);
    ga[i] = s;
  } while (++i < n);
}

void jam_do_int(int n, int m) {
  int i = 0;
#pragma unroll_and_jam(3)
  do {
    int s = 0, j = 0;
    do s += gb[j];
    while (++j < m);
    ga[i] = s;
  } while (++i < n);
}

void jam_do_unsigned(unsigned n, unsigned m) {
  unsigned i = 0;
#pragma unroll_and_jam(4)
#pragma nounroll
  do {
    unsigned j = 0;
    int s = 0;
    do s += gb[j];
    while (++j < m);
    ga[i] = s;
  } while (++i < n);
}
