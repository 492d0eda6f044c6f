// axmem: thread @left @ agent 0, workgroup 0
// axmem: thread @right @ agent 0, workgroup 1
// axmem: exists (a=1 /\ b=1)
#include "atomics.h"
global atomic_int x; global atomic_int y; global int a = 7; global int b = 7;
kernel void left(void) { a = atomic_load_explicit(&y, memory_order_acquire, memory_scope_device); atomic_store_explicit(&x, 1, memory_order_release, memory_scope_device); }
kernel void right(void) { b = atomic_load_explicit(&x, memory_order_acquire, memory_scope_device); atomic_store_explicit(&y, 1, memory_order_release, memory_scope_device); }
