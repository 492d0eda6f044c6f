"""All programs of a bound at once, and differences of models: the tests of `axmem.refinement.bounded`."""
