"""What may answer a question about a test."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from axmem.encoder.solver import Session


class Engine(Enum):
    """The engines by their words.

    Tables of all combinations of an execution's choices (`axmem.encoder.tables`), the solver, brute force, which shares
    neither bounds nor circuit with them; or what is fit: tables where there are few combinations, else the solver.
    """

    AUTO = "auto"
    TABLE = "table"
    Z3 = "z3"
    ORACLE = "oracle"


class KeptSession:
    """A session of the solver, which is made when the solver is first asked: most tests need none."""

    def __init__(self) -> None:
        self.made: Session | None = None

    def get(self) -> Session:
        """Return the session."""
        from axmem.encoder.solver import Session  # noqa: PLC0415 -- heavy

        if self.made is None:
            self.made = Session()
        return self.made

    def forget(self) -> None:
        """Let the session go; the next one is new."""
        self.made = None


AnySession: TypeAlias = "Session | KeptSession | None"
"""What queries take the solver from; None for one of their own."""
