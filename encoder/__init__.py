"""Events, bounds, constraints, enumeration; and the brute-force oracle."""
