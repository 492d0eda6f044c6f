// axmem: kernel @k(@v) lanes 2
typedef int int2 __attribute__((ext_vector_type(2)));
global int2 v[2] = {{1, 2}, {3, 4}};
kernel void k(global int2 *p) {
  unsigned id = __builtin_amdgcn_workitem_id_x();
  int2 a = p[id];
  p[id] = a.yx + 1;
}
