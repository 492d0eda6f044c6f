"""Files of cat beside the one that is read: how includes are found, and the files that give a tradition its names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from axmem.front.records import dataclass
from axmem.front.source import Source
from axmem.model.vocabulary import PRELUDE

Finder: TypeAlias = Callable[[str, Source], Source | None]
"""Return the file of this name as included from that source, or None where there is none."""

PRELUDE_SOURCE = Source("prelude.cat", PRELUDE)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What another tradition's names stand for: files of our cat, whose definitions are all the names there are.

    A flag in these files names events that the tradition has no meaning for, and no test may have; the definition
    `universe` says what `_` is. `label` names the tradition, `include`
    finds what these files include.
    """

    label: str
    files: tuple[Source, ...]
    include: Finder
