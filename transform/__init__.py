"""Loop metadata, loops, and transformations of kernels, as LLVM's "Code Transformation Metadata" has them."""
