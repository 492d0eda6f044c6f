// axmem: kernel @k(@o) lanes 2
global int o[2] = {0, 0};
kernel void k(global int *out) {
  int id = __builtin_amdgcn_workitem_id_x();
  if (id == 1)
    out[1] = __builtin_amdgcn_readfirstlane(id + 4);
  else
    out[0] = __builtin_amdgcn_readlane(id + 7, 0);
}
