"""What passes do to the functions in LLVM's own tests, as a page of results."""
