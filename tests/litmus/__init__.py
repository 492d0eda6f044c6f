"""The test language: the tests of `axmem.litmus`."""
