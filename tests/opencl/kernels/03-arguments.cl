// axmem: thread @producer(@d, @f) @ agent 0, workgroup 0
// axmem: thread @consumer(@d, @f, @o) @ agent 0, workgroup 1
// axmem: exists (o=1)
#include "atomics.h"
global int d; global atomic_int f; global int o;
kernel void producer(global int *data, global atomic_int *flag) { *data = 42; atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device); }
kernel void consumer(global int *data, global atomic_int *flag, global int *out) { if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) *out = *data + 1; }
