"""Lowering, the machine, LLVM IR and assembly: the tests of `axmem.codegen`."""
