"""The command line, word for word and as a process: the tests of `axmem.commands` and `axmem.cli`."""
