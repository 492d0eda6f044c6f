"""The smallest programs that tell two models apart: a search over all programs up to a bound."""
