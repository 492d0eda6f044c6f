// axmem: kernel @k(@o, 4)
global int o[4] = {0, 1, 5, 7};
kernel void k(global int *out, int n) {
  int found = -1;
  for (int i = 0; i < n; i++) {
    if (out[i] == 0)
      continue;
    if (out[i] > 4) {
      found = i;
      break;
    }
  }
  out[0] = found;
}
