"""Cat text, its meaning, and the models that come with the package: the tests of `axmem.model`."""
