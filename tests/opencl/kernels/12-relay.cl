// axmem: thread @producer @ agent 0, workgroup 0
// axmem: thread @relay @ agent 0, workgroup 1
// axmem: thread @consumer @ agent 0, workgroup 2
// axmem: exists (out=1)
#include "atomics.h"
global int data; global atomic_int flag; global atomic_int next; global int out;
kernel void producer(void) { data = 42; atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_device); }
kernel void relay(void) { if (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_device)) atomic_store_explicit(&next, 1, memory_order_release, memory_scope_device); }
kernel void consumer(void) { if (atomic_load_explicit(&next, memory_order_acquire, memory_scope_device)) out = data + 1; }
