"""Repairs: the tests of `axmem.repair`."""
