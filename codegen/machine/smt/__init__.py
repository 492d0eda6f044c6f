"""The machine as constraints for Z3, written from docs/machine.md alone."""
