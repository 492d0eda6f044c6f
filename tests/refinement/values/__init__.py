"""Random pairs of functions that differ in values, and attacks on the answers about them."""
