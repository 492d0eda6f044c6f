"""What may answer a question about a test."""

from __future__ import annotations

from enum import Enum


class Engine(Enum):
    """The engines by their words.

    Tables of all combinations of an execution's choices (`axmem.encoder.tables`), the solver, brute force, which shares
    neither bounds nor circuit with them; or what is fit: tables where there are few combinations, else the solver.
    """

    AUTO = "auto"
    TABLE = "table"
    Z3 = "z3"
    ORACLE = "oracle"
