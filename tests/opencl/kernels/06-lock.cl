// axmem: thread @one @ agent 0, workgroup 0
// axmem: thread @other @ agent 0, workgroup 1
// axmem: exists (count=1)
#include "atomics.h"
global atomic_int lock; global int count;
static void enter(void) { int free = 0; while (!atomic_compare_exchange_strong_explicit(&lock, &free, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)) free = 0; }
static void leave(void) { atomic_store_explicit(&lock, 0, memory_order_release, memory_scope_device); }
kernel void one(void) { enter(); count = count + 1; leave(); }
kernel void other(void) { enter(); count = count + 1; leave(); }
