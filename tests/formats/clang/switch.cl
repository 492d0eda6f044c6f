// axmem: kernel @k(@o, in {0, 1, 7})
global int o[1] = {0};
kernel void k(global int *out, int n) {
  switch (n) {
  case 0: out[0] = 10; break;
  case 1: out[0] = 20;
  case 2: out[0] += 1; break;
  default: out[0] = 30;
  }
}
