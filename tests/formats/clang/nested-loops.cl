// axmem: kernel @k(@o, 2, 2)
global int o[4] = {0, 0, 0, 0};
kernel void k(global int *out, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out[2 * i + j] = i + j;
}
