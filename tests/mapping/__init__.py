"""Lowerings and compilers verified: the tests of `axmem.mapping`."""
