// axmem: kernel @k(@o) lanes 3
global int o[4] = {0, 0, 0, 0};
kernel void k(global int *out) {
  int id = __builtin_amdgcn_workitem_id_x();
  long mask = __builtin_amdgcn_ballot_w64(id > 0);
  out[id] = (int)mask;
}
