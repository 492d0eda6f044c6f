"""LLVM 24, which no distribution has yet, as an llc and an opt: from the library in the wheel of triton 3.9."""
