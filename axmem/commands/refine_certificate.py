"""`axmem refine --certificate FILE`: what is proved, as a script that any solver checks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from axmem.front.output import output, spare
from axmem.refinement.interface.certificates import script

if TYPE_CHECKING:
    from axmem.refinement.judging import Judgement


def certify(path: str | None, found: Iterable[Judgement], read: Iterable[str]) -> None:
    """Write the proofs of judgements into a file, if one is named; of what has none the file says so.

    Raises OutputError for a file that was `read`.
    """
    if path is None:
        return
    spare(path, read)
    with output(path) as write:
        for each in found:
            name = f"{each.before} -> {each.after}, {each.model}"
            if not each.proofs:
                write(f"; {name}: nothing is proved of rows\n")
            for thread, proof in each.proofs:
                write(script(f"{name}, {thread}", proof) + "(reset)\n")
