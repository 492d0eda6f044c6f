// axmem: thread @one @ agent 0, workgroup 0
// axmem: thread @other @ agent 0, workgroup 1
// axmem: exists (count=1)
#include "atomics.h"
global atomic_int count;
kernel void one(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed, memory_scope_device); }
kernel void other(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed, memory_scope_device); }
