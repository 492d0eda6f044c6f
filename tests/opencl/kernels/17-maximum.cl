// axmem: thread @one @ agent 0, workgroup 0
// axmem: thread @other @ agent 0, workgroup 1
// axmem: exists (best=3)
#include "atomics.h"
global atomic_int best;
kernel void one(void) { atomic_fetch_max_explicit(&best, 3, memory_order_relaxed, memory_scope_device); }
kernel void other(void) { atomic_fetch_max_explicit(&best, 5, memory_order_relaxed, memory_scope_device); }
