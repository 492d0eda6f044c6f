"""Litmus tests from cycles of relaxations: what must be relaxed for an execution to contain the cycle."""
