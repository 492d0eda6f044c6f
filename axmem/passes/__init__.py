"""What passes of LLVM make of small functions that access memory: every one of a size, or random ones, judged."""
