// expect 0: 1 data race by amdgpu
// axmem: launch send(data, flag); receive(data, flag, out)
void send(int *data, int *flag) {
  *data = 42;
  __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
}
void receive(int *data, int *flag, int *out) {
  if (__atomic_load_n(flag, __ATOMIC_ACQUIRE))
    *out = *data;
}
