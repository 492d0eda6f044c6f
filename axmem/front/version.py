"""The version, which stands here alone: the package root and pyproject.toml take it from this file."""

__version__ = "0.1.0"
