// expect 0: 1 has undefined behaviour
// axmem: launch put<<<1, 4>>>(out)
kernel void put(global int *out) {
  local int s[3];
  s[get_local_id(0)] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_local_id(0)] = s[0];
}
