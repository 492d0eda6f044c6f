"""`override`, which marks a method that stands for one of a base class, also where Python 3.11 has none."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from typing_extensions import override as override
elif sys.version_info >= (3, 12):
    from typing import override
else:

    def override(method: T) -> T:
        """Return the method."""
        return method
