"""Explanations: the tests of `axmem.explain`."""
