"""One test judged: the tests of `axmem.check`."""
