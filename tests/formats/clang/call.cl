// axmem: kernel @k(@o) lanes 2
global int o[2] = {0, 0};
static __attribute__((noinline)) int twice(int a, int *b) { *b += a; return 2 * a; }
kernel void k(global int *out) {
  int b = 1, id = __builtin_amdgcn_workitem_id_x();
  int a = twice(id, &b);
  out[id] = a + b;
}
