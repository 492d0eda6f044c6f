"""Transformations of loops: the tests of `axmem.transform`, and of what is said of their soundness."""
