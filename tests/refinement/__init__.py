"""Refinement of programs, rules and models: the tests of `axmem.refinement`."""
