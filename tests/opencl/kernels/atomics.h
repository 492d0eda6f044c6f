// OpenCL's atomics as clang's builtins: those of the library are calls.
#define atomic_load_explicit __opencl_atomic_load
#define atomic_store_explicit __opencl_atomic_store
#define atomic_exchange_explicit __opencl_atomic_exchange
#define atomic_fetch_add_explicit __opencl_atomic_fetch_add
#define atomic_fetch_max_explicit __opencl_atomic_fetch_max
#define atomic_compare_exchange_strong_explicit __opencl_atomic_compare_exchange_strong
#define atomic_work_item_fence(memory, order, scope) __builtin_amdgcn_fence(order, "agent")
