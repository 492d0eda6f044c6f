"""Whether every execution of a test ends: an explorer of its interleavings, and what is fair in them."""
