"""Assembly that LLVM 22 made of tests, recorded, so that reading it is tested where there is no LLVM.

`python -m tests.assembly` makes the record anew; it needs llc-22 and llvm-objdump-22.
"""
