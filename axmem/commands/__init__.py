"""The commands of the command line, one module each: `add_parser` (light) and `main` (heavy imports inside)."""
