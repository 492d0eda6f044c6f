// axmem: kernel @k(@b, in {0, 1})
global char b[2] = {1, 2};
kernel void k(global char *p, int n) {
  short s = n ? p[0] : p[1];
  p[n] = s > 1 && p[1 - n] ? s : -s;
}
