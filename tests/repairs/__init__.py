"""Repairs: the tests of `axmem.repairs`."""
