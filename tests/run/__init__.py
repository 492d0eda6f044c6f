"""Many jobs: the tests of `axmem.run`."""
