// axmem: kernel @k(@o) lanes 2
global int o[4] = {0, 0, 0, 0};
kernel void k(global int *out) {
  int a[4];
  for (int i = 0; i < 4; i++)
    a[i] = i + 1;
  int id = __builtin_amdgcn_workitem_id_x();
  a[id] = a[id + 1] + 10;
  out[id] = a[id] + a[3];
}
