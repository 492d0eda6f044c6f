// axmem: kernel @k(@o) lanes 2
global int o[1] = {0};
kernel void k(global int *out) {
  local int part[2];
  int id = __builtin_amdgcn_workitem_id_x();
  part[id] = id + 1;
  for (int step = 1; step; step >>= 1) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (id < step)
      part[id] += part[id + step];
  }
  if (id == 0)
    out[0] = part[0];
}
