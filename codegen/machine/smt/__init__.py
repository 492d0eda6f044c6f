"""The machine as constraints, written from its definition in `codegen/machine/__init__.py` alone."""
