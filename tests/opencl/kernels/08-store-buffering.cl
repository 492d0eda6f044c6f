// axmem: thread @left @ agent 0, workgroup 0
// axmem: thread @right @ agent 0, workgroup 1
// axmem: exists (a=0 /\ b=0)
#include "atomics.h"
global atomic_int x; global atomic_int y; global int a = 7; global int b = 7;
kernel void left(void) { atomic_store_explicit(&x, 1, memory_order_seq_cst, memory_scope_device); a = atomic_load_explicit(&y, memory_order_seq_cst, memory_scope_device); }
kernel void right(void) { atomic_store_explicit(&y, 1, memory_order_seq_cst, memory_scope_device); b = atomic_load_explicit(&x, memory_order_seq_cst, memory_scope_device); }
