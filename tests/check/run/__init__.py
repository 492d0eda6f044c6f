"""Many jobs: the tests of `axmem.check.run`."""
