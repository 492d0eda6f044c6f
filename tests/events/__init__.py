"""From a test to events: the tests of `axmem.events`, most of them by the outcomes on which the engines agree."""
