"""The edits of a repair as lines of a test, before and after.

What goes in: a test, its sites, a point. What comes out: a `LineEdit` for each site that differs from the text, in the
order of the text, with the instructions that it adds and takes away.
"""

from __future__ import annotations

from collections import Counter

from axmem.codegen.instructions import EmittedInstruction
from axmem.front.records import dataclass
from axmem.litmus.printer import statement_line
from axmem.litmus.syntax import LitmusTest
from axmem.litmus.walk import Path, located, units
from axmem.repairs.costs import Costs
from axmem.repairs.sites import Site, SiteState
from axmem.repairs.source_lines import source_patch


@dataclass(frozen=True, slots=True)
class LineEdit:
    """What becomes of one line. `before` is empty for a new one, `after` for one that goes.

    `line` is that of the statement in the text, of a new one the line before which it stands (0: at the end of the
    thread, or of a text that was not parsed). `words` are the edits; `adds` and `drops` instructions. Of a program that
    was compiled `source` is the line as it is and as it is to be, or what is to be inserted before it; the second is
    empty if that is not known.
    """

    thread: str
    line: int
    before: str
    after: str
    words: tuple[str, ...]
    adds: tuple[str, ...]
    drops: tuple[str, ...]
    before_cost: int
    after_cost: int
    source: tuple[str, str] = ("", "")


def changes_of(test: LitmusTest, sites: tuple[Site, ...], point: tuple[int, ...], costs: Costs) -> tuple[LineEdit, ...]:
    """Return the changes that a point makes, in the order of the text."""
    chosen = zip(sites, point, strict=True)
    return tuple(_change(test, site, state, costs) for site, state in chosen if state != site.original)


def _change(test: LitmusTest, site: Site, chosen: int, costs: Costs) -> LineEdit:
    old, new = site.states[site.original], site.states[chosen]
    before, after = (tuple(i for s in state.statements for i in costs.instructions(s)) for state in (old, new))
    line = _line(test, site.path)
    return LineEdit(
        thread=units(test)[site.path[0]].name,
        line=line,
        before=_text(test, old),
        after=_text(test, new),
        words=new.changes,
        adds=_more(after, before),
        drops=_more(before, after),
        before_cost=old.machine,
        after_cost=new.machine,
        source=source_patch(test.source, line, old.statement, new.statement),
    )


def _text(test: LitmusTest, state: SiteState) -> str:
    return "; ".join(statement_line(test, statement) for statement in state.statements)


def _line(test: LitmusTest, path: Path) -> int:
    """Return the line of the statement at a path, or 0 if that is the end of a block."""
    statements = dict(located(test))
    return statements[path].span.line if path in statements else 0


def _more(one: tuple[EmittedInstruction, ...], other: tuple[EmittedInstruction, ...]) -> tuple[str, ...]:
    """Return the instructions of one that the other has not, in their order."""
    left = Counter(instruction.text for instruction in other)
    found = []
    for instruction in one:
        if left[instruction.text]:
            left[instruction.text] -= 1
        else:
            found.append(instruction.text)
    return tuple(found)
