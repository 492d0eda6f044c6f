"""The machine as constraints, written from docs/machine.md alone."""
