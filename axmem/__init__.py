"""axmem: an exhaustive axiomatic memory-model checker for LLVM and AMDGPU."""
