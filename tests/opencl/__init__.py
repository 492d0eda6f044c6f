"""Twenty kernels of OpenCL C, as clang 22 compiles them: `axmem verify` of its assembly against its LLVM IR.

`kernels/` has the sources; comments `// axmem:` say what runs where. `record` compiles them for five targets and keeps
what comes of it in `recorded.json.xz`; `python -m tests.opencl` compiles anew and verifies all of it.
"""
