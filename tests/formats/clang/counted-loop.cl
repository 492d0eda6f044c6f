// axmem: kernel @k(@o, 3) lanes 2
global int o[4] = {1, 2, 3, 4};
kernel void k(global int *out, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += out[i];
  if (__builtin_amdgcn_workitem_id_x() == 5)
    out[3] = sum;
}
