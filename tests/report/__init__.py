"""Tables and pictures: the tests of `axmem.report`."""
