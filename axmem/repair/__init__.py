"""Repairs: the cheapest annotations that forbid an outcome, and the weakest that keep what a test expects."""
