"""The commands, one module each: `add_parser` (light) and `main` (heavy imports inside); and the plugin of pytest."""
