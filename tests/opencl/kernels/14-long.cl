// axmem: thread @producer @ agent 0, workgroup 0
// axmem: thread @consumer @ agent 0, workgroup 1
// axmem: exists (out=1)
#include "atomics.h"
global long data; global atomic_int flag; global long out;
kernel void producer(void) { data = 42; atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_device); }
kernel void consumer(void) { if (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_device)) out = data + 1; }
