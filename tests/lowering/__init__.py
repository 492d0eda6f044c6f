"""The lowering tables against LLVM.

Every operation of a large cross product is compiled by LLVM for every target and compared with what the tables say:
`python -m tests.lowering`. What LLVM said is recorded, in part, in `recorded.json.xz`, which
`tests/codegen/test_lowering_llvm.py` compares with the tables where there is no LLVM.
"""
