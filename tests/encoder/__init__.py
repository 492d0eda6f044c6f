"""The engines against each other and against plain semantics: the tests of `axmem.encoder`."""
