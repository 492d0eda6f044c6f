"""The value that is not a number."""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias

from axmem.front.typing import override


class Undef(Enum):
    """The type of `UNDEF`, the one value that is not a number."""

    UNDEF = "undef"

    @override
    def __repr__(self) -> str:
        return "undef"


UNDEF: Final = Undef.UNDEF
Value: TypeAlias = int | Undef
