"""From events and a model to outcomes: bounds, circuit, tables and solver, what excludes an outcome; and the oracle."""
