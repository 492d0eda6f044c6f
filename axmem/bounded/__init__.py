"""All programs of a bound as one encoding, and the searches over it."""
