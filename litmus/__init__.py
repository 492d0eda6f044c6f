"""The test language: syntax tree, parser, well-formedness, printer."""
