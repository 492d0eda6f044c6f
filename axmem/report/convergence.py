"""What is converged in a kernel, as text, as JSON, and as pictures of the document's tables.

What goes in: the cycles of a kernel, tables of its lanes' paths, what is m-converged. Invariant: the same report gives
the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from axmem.convergence.controlled import ControlledClass, Execution
from axmem.convergence.cycles import Cycle, Hierarchies
from axmem.convergence.function import Function
from axmem.convergence.mconverged import Disagreement
from axmem.convergence.relations import Relation
from axmem.convergence.tables import Table
from axmem.front.records import dataclass
from axmem.report.pictures.elements import document, element, text
from axmem.report.pictures.style import sheet


@dataclass(frozen=True, slots=True)
class ConvergenceReport:
    """All that `axmem conv` says of a kernel.

    `dependent` are the blocks that are not m-converged on the paths of `bound`, `unreported` those that the document's
    criterion, asked in LLVM's hierarchy, does not report as m-converged; `divergent` the branches at which lanes may
    part. `controlled` has for each table the classes of operations with tokens. `relations` are shown with
    convergence-before.
    """

    name: str
    function: Function
    hierarchies: Hierarchies
    bound: int
    divergent: tuple[str, ...]
    dependent: dict[str, Disagreement]
    unreported: tuple[str, ...]
    tables: tuple[Table, ...]
    controlled: tuple[tuple[ControlledClass, ...], ...]
    relations: tuple[Relation, ...] = ()


def lines(report: ConvergenceReport) -> Iterator[str]:
    """Yield the report line by line."""
    yield report.name
    yield from (f"  {line}" for line in _hierarchy_lines(report))
    yield from (f"  {line}" for line in _dependence_lines(report))
    for table, controlled in zip(report.tables, report.controlled, strict=True):
        yield ""
        yield f"  hierarchy {table.hierarchy.name}"
        yield from (f"    {line}".rstrip() for line in _grid(table))
        yield from (f"    {line}" for line in apart_lines(table))
        yield from (f"    {line}" for line in _controlled_lines(report.function, controlled))
    for relation in report.relations:
        yield ""
        yield from (f"  {line}" for line in _relation_lines(relation))


def _relation_lines(relation: Relation) -> Iterator[str]:
    """Yield the classes of a relation, and what each execution is convergence-before."""
    shown = [" ".join(relation.names[i] for i in found) for found in relation.classes]
    yield f"converged-with, {relation.source}: {', '.join(shown) or 'none'}"
    for one, later in sorted(relation.before.items()):
        yield f"  {relation.names[one]} is convergence-before {' '.join(relation.names[i] for i in later) or 'none'}"


def _hierarchy_lines(report: ConvergenceReport) -> Iterator[str]:
    found = report.hierarchies
    kind = "all that depth-first searches give" if found.exact else "a superset of those that depth-first searches give"
    yield f"hierarchies: {len(found.found)}, {kind}; LLVM's first"
    for hierarchy in found.found:
        yield f"  {hierarchy.name}"
        for cycle in hierarchy.within():
            depth = sum(cycle.blocks <= outer.blocks for outer in hierarchy.around[cycle.header])
            yield f"  {'  ' * depth}{_cycle(report, cycle)}"


def _cycle(report: ConvergenceReport, cycle: Cycle) -> str:
    blocks = [block for block in report.function.graph.successors if block in cycle.blocks]
    entries = f", entries {' '.join(cycle.entries)}" if not cycle.reducible else ""
    return f"header {cycle.header}, blocks {' '.join(blocks)}{entries}"


def _dependence_lines(report: ConvergenceReport) -> Iterator[str]:
    if len(report.hierarchies.found) == 1:
        yield "m-converged: every block, as there is one hierarchy"
        return
    yield f"branches at which lanes may part: {' '.join(report.divergent) or 'none'}"
    yield f"not m-converged, on paths of bound {report.bound}: {' '.join(report.dependent) or 'no block'}"
    names = [hierarchy.name for hierarchy in report.hierarchies.found]
    for block, witness in report.dependent.items():
        one, two = (" ".join(path) for path in witness.paths)
        yield f"  {block}: {one} / {two}: converged in {' and '.join(names[i] for i in witness.converged_in)} only"
    yield f"not reported as m-converged by the criterion in {names[0]}: {' '.join(report.unreported) or 'no block'}"
    wrong = [block for block in report.dependent if block not in report.unreported]
    needless = [block for block in report.unreported if block not in report.dependent]
    if wrong:
        yield f"  the criterion is wrong about {' '.join(wrong)}"
    if needless:
        yield f"  the criterion is needlessly careful about {' '.join(needless)}"


def _grid(table: Table) -> Iterator[str]:
    """Yield the columns, numbered, a row for each lane."""
    cells = [
        [next((table.names[i] for i in column if i.lane == lane), "") for column in table.columns]
        for lane in range(len(table.paths))
    ]
    heads = [str(number) for number in range(1, len(table.columns) + 1)]
    wide = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    rows = [("", heads), *((f"lane {lane}", row) for lane, row in enumerate(cells, 1))]
    for name, row in rows:
        yield f"{name:<8}" + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, wide, strict=True))


def apart_lines(table: Table) -> Iterator[str]:
    """Yield a sentence for each two instances that are not converged."""
    for apart in table.apart:
        one, other = table.names[apart.one], table.names[apart.other]
        yield f"{one} and {other} are not converged: {table.names[apart.header]}"


def _controlled_lines(function: Function, classes: Sequence[ControlledClass]) -> Iterator[str]:
    if classes:
        yield "executions of operations with tokens, as lane.step:"
    for found in classes:
        executions = " ".join(map(_execution, found.executions))
        free = (
            ", or in any smaller classes that its anchor is in" if found.anchored and len(found.executions) > 1 else ""
        )
        yield f"  {_operation(function, found)}: {executions}{free}"


def _operation(function: Function, found: ControlledClass) -> str:
    instruction = function.blocks[found.place.block].instructions[found.place.number]
    token = f" [{instruction.control.token}]" if instruction.control.token else ""
    name = f"{instruction.register} = " if instruction.register else ""
    return f"{found.place.block}: {name}{instruction.control.role.value}{token}"


def _execution(execution: Execution) -> str:
    return f"{execution.lane + 1}.{execution.step + 1}"


def as_data(report: ConvergenceReport) -> dict[str, Any]:
    """Return the report as plain data, for JSON."""
    return {
        "kernel": report.name,
        "exact": report.hierarchies.exact,
        "hierarchies": [
            {"name": h.name, "cycles": [_cycle_data(report, cycle) for cycle in h.cycles]}
            for h in report.hierarchies.found
        ],
        "bound": report.bound,
        "divergent": list(report.divergent),
        "dependent": {
            block: {"paths": [list(path) for path in w.paths], "converged_in": list(w.converged_in)}
            for block, w in report.dependent.items()
        },
        "unreported": list(report.unreported),
        "tables": [
            _table_data(report, table, controlled)
            for table, controlled in zip(report.tables, report.controlled, strict=True)
        ],
        "relations": [
            {
                "source": relation.source,
                "classes": [[relation.names[i] for i in found] for found in relation.classes],
                "before": {
                    relation.names[one]: [relation.names[i] for i in later]
                    for one, later in sorted(relation.before.items())
                },
            }
            for relation in report.relations
        ],
    }


def _cycle_data(report: ConvergenceReport, cycle: Cycle) -> dict[str, Any]:
    return {
        "header": cycle.header,
        "entries": list(cycle.entries),
        "blocks": [block for block in report.function.graph.successors if block in cycle.blocks],
        "cycles": [_cycle_data(report, child) for child in cycle.children],
    }


def _table_data(report: ConvergenceReport, table: Table, controlled: Sequence[ControlledClass]) -> dict[str, Any]:
    return {
        "hierarchy": table.hierarchy.name,
        "lanes": [[table.names[i] for i in sorted(table.names) if i.lane == lane] for lane in range(len(table.paths))],
        "columns": [[table.names[instance] for instance in column] for column in table.columns],
        "apart": [
            {"instances": [table.names[a.one], table.names[a.other]], "because": table.names[a.header]}
            for a in table.apart
        ],
        "controlled": [
            {
                "operation": _operation(report.function, found),
                "executions": list(map(_execution, found.executions)),
                "anchored": found.anchored,
            }
            for found in controlled
        ],
    }


CELL, ROW, MARGIN = 9, 24, 12
"""In pixels: the width of a character with its share of a gap, the height of a row, the margin."""


def as_svg(report: ConvergenceReport) -> str:
    """Return the tables as a picture: a row for each lane, a frame around each class of converged instances."""
    out: list[str] = [text(report.name, x=MARGIN, y=MARGIN + 12, class_="title")]
    y, width = MARGIN + 12, 0
    for table in report.tables:
        y += ROW + MARGIN
        out.append(text(f"hierarchy {table.hierarchy.name}", x=MARGIN, y=y, class_="title"))
        drawn, wide = _picture(table, y)
        out += drawn
        y += ROW * (len(table.paths) + 1)
        for sentence in apart_lines(table):
            y += ROW - 6
            out.append(text(sentence, x=MARGIN, y=y, class_="faint"))
            wide = max(wide, CELL * len(sentence))
        width = max(width, wide)
    return document(out, width=width + 2 * MARGIN, height=y + ROW, style=sheet(), title=report.name)


def _picture(table: Table, y: int) -> tuple[list[str], int]:
    """Return the elements of a table under a height, and how wide it is."""
    out = [
        text(f"lane {lane + 1}", x=MARGIN, y=y + ROW * (lane + 2), class_="faint") for lane in range(len(table.paths))
    ]
    x = MARGIN + 8 * CELL
    for number, column in enumerate(table.columns, 1):
        wide = CELL * max(len(table.names[instance]) for instance in column)
        out.append(text(str(number), x=x, y=y + ROW, class_="faint"))
        lanes = sorted(instance.lane for instance in column)
        top, high = y + ROW * (lanes[0] + 2) - 16, ROW * (lanes[-1] - lanes[0] + 1) - 2
        if len(column) > 1:
            out.append(element("rect", x=x - 4, y=top, width=wide + 6, height=high, rx=4, class_="grouped"))
        out += [text(table.names[i], x=x, y=y + ROW * (i.lane + 2)) for i in column]
        x += wide + 2 * CELL
    return out, x
