"""Functions with atomic pointers, as clang writes them, before and after each pass that changes them."""
