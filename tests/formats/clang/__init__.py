"""Kernels in OpenCL C and C, and what clang 22 makes of them without and with optimization (`python -m` records it)."""
