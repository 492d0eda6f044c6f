// expect 0: 0 data races by amdgpu: none
// axmem: launch send(data, flag); receive(data, flag, out)
extern "C" void send(int *data, int *flag) {
  *data = 42;
  __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}
extern "C" void receive(int *data, int *flag, int *out) {
  if (__atomic_load_n(flag, __ATOMIC_ACQUIRE))
    *out = *data;
}
