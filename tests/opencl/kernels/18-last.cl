// axmem: thread @one @ agent 0, workgroup 0
// axmem: thread @other @ agent 0, workgroup 1
// axmem: exists (out=0)
#include "atomics.h"
global int part[2]; global atomic_int done; global int out;
kernel void one(void) { part[0] = 1; if (atomic_fetch_add_explicit(&done, 1, memory_order_acq_rel, memory_scope_device) == 1) out = part[0] + part[1]; }
kernel void other(void) { part[1] = 2; if (atomic_fetch_add_explicit(&done, 1, memory_order_acq_rel, memory_scope_device) == 1) out = part[0] + part[1]; }
