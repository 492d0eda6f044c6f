// axmem: thread @producer @ agent 0, workgroup 0
// axmem: thread @consumer @ agent 0, workgroup 1
// axmem: exists (out[1]=9)
#include "atomics.h"
global int table[2] = {5, 9}; global atomic_int index; global int out[2];
kernel void producer(void) { atomic_store_explicit(&index, 1, memory_order_release, memory_scope_device); }
kernel void consumer(void) { int i = atomic_load_explicit(&index, memory_order_acquire, memory_scope_device); out[i & 1] = table[i & 1]; }
