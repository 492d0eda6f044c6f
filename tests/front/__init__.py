"""Reading paths, telling progress: the tests of `axmem.front`."""
