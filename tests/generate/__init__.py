"""Tests made from cycles: the tests of `axmem.generate`."""
