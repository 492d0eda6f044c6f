"""What is converged in a kernel.

What goes in: the cycles of a kernel, tables of its lanes' paths, what is m-converged. Invariant: the same report gives
the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from axmem.convergence.controlled import ControlledClass, ControlledExecution
from axmem.convergence.cycles import ControlCycle, Hierarchies
from axmem.convergence.function import FlowFunction
from axmem.convergence.mconverged import PathDisagreement
from axmem.convergence.relations import Relation
from axmem.convergence.tables import ConvergenceTable
from axmem.front.records import dataclass
from axmem.report.tree import Block, Item, List, Paragraph, Section, bullets
from axmem.report.tree import Table as Grid
from axmem.report.tree import table as made


@dataclass(frozen=True, slots=True)
class ConvergenceReport:
    """All that `axmem kernel conv` says of a kernel.

    `dependent` are the blocks that are not m-converged on the paths of `bound`, `unreported` those that the document's
    criterion, asked in LLVM's hierarchy, does not report as m-converged; `divergent` the branches at which lanes may
    part. `controlled` has for each table the classes of operations with tokens. `relations` are shown with
    convergence-before.
    """

    name: str
    function: FlowFunction
    hierarchies: Hierarchies
    bound: int
    divergent: tuple[str, ...]
    dependent: dict[str, PathDisagreement]
    unreported: tuple[str, ...]
    tables: tuple[ConvergenceTable, ...]
    controlled: tuple[tuple[ControlledClass, ...], ...]
    relations: tuple[Relation, ...] = ()


HEADS = ("blocks", "cycles", "irreducible", "hierarchies", "branches", "not m-converged", "")
"""What stands over a row about a function; the branches are those at which lanes may part."""


def row(report: ConvergenceReport) -> tuple[object, ...]:
    """Return the numbers of a function, and LLVM's hierarchy."""
    own = report.hierarchies.found[0]
    cycles = tuple(own.within())
    counts = len(cycles), sum(not cycle.reducible for cycle in cycles), len(report.hierarchies.found)
    return len(report.function.graph.successors), *counts, len(report.divergent), len(report.dependent), own.name


def section(report: ConvergenceReport) -> Section:
    """Return the report of a kernel."""
    blocks: list[Block] = [*_hierarchies(report), *_dependence(report)]
    for table, controlled in zip(report.tables, report.controlled, strict=True):
        below = [*apart_lines(table), *_controlled_lines(report.function, controlled)]
        blocks.append(Section(f"hierarchy {table.hierarchy.name}", (_grid(table), *map(Paragraph, below))))
    return Section(report.name, (*blocks, *map(_relation, report.relations)))


def _relation(relation: Relation) -> Section:
    """Return the classes of a relation, and what each execution is convergence-before."""
    shown = [" ".join(relation.names[i] for i in found) for found in relation.classes]
    before = [
        f"{relation.names[one]} is convergence-before {' '.join(relation.names[i] for i in later) or 'none'}"
        for one, later in sorted(relation.before.items())
    ]
    return Section(f"converged-with, {relation.source}: {', '.join(shown) or 'none'}", (bullets(before),))


def _hierarchies(report: ConvergenceReport) -> Iterator[Block]:
    found = report.hierarchies
    kind = "all that depth-first searches give" if found.exact else "a superset of those that depth-first searches give"
    items = []
    for hierarchy in found.found:
        cycles = []
        for cycle in hierarchy.within():
            depth = sum(cycle.blocks <= outer.blocks for outer in hierarchy.around[cycle.header])
            cycles.append(f"{'  ' * (depth - 1)}{_cycle(report, cycle)}")
        items.append(Item(hierarchy.name, (bullets(cycles),)))
    title = f"hierarchies: {len(found.found)}, {kind}; LLVM's first"
    yield List((Item(title, (List(tuple(items)),)),))


def _cycle(report: ConvergenceReport, cycle: ControlCycle) -> str:
    blocks = [block for block in report.function.graph.successors if block in cycle.blocks]
    entries = f", entries {' '.join(cycle.entries)}" if not cycle.reducible else ""
    return f"header {cycle.header}, blocks {' '.join(blocks)}{entries}"


def _dependence(report: ConvergenceReport) -> Iterator[Block]:
    if len(report.hierarchies.found) == 1:
        yield Paragraph("m-converged: every block, as there is one hierarchy")
        return
    names = [hierarchy.name for hierarchy in report.hierarchies.found]
    witnesses = []
    for block, witness in report.dependent.items():
        one, two = (" ".join(path) for path in witness.paths)
        where = " and ".join(names[i] for i in witness.converged_in)
        witnesses.append(f"{block}: {one} / {two}: converged in {where} only")
    wrong = [block for block in report.dependent if block not in report.unreported]
    needless = [block for block in report.unreported if block not in report.dependent]
    remarks = [f"the criterion is wrong about {' '.join(wrong)}"] if wrong else []
    remarks += [f"the criterion is needlessly careful about {' '.join(needless)}"] if needless else []
    yield Paragraph(f"branches at which lanes may part: {' '.join(report.divergent) or 'none'}")
    dependent = f"not m-converged, on paths of bound {report.bound}: {' '.join(report.dependent) or 'no block'}"
    asked = f"not reported as m-converged by the criterion in {names[0]}: {' '.join(report.unreported) or 'no block'}"
    yield List((Item(dependent, (bullets(witnesses),)), Item(asked, (bullets(remarks),))))


def _grid(table: ConvergenceTable) -> Grid:
    """Return the columns, numbered, a row for each lane."""
    rows = [
        [f"lane {lane + 1}", *(next((table.names[i] for i in c if i.lane == lane), "") for c in table.columns)]
        for lane in range(len(table.paths))
    ]
    return made(["", *(str(number) for number in range(1, len(table.columns) + 1))], rows, row_heads=1)


def apart_lines(table: ConvergenceTable) -> Iterator[str]:
    """Yield a sentence for each two instances that are not converged."""
    for apart in table.apart:
        one, other = table.names[apart.one], table.names[apart.other]
        yield f"{one} and {other} are not converged: {table.names[apart.header]}"


def _controlled_lines(function: FlowFunction, classes: Sequence[ControlledClass]) -> Iterator[str]:
    if classes:
        yield "executions of operations with tokens, as lane.step:"
    for found in classes:
        executions = " ".join(map(_execution, found.executions))
        free = (
            ", or in any smaller classes that its anchor is in" if found.anchored and len(found.executions) > 1 else ""
        )
        yield f"  {_operation(function, found)}: {executions}{free}"


def _operation(function: FlowFunction, found: ControlledClass) -> str:
    instruction = function.blocks[found.place.block].instructions[found.place.number]
    token = f" [{instruction.control.token}]" if instruction.control.token else ""
    name = f"{instruction.register} = " if instruction.register else ""
    return f"{found.place.block}: {name}{instruction.control.role.value}{token}"


def _execution(execution: ControlledExecution) -> str:
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


def _cycle_data(report: ConvergenceReport, cycle: ControlCycle) -> dict[str, Any]:
    return {
        "header": cycle.header,
        "entries": list(cycle.entries),
        "blocks": [block for block in report.function.graph.successors if block in cycle.blocks],
        "cycles": [_cycle_data(report, child) for child in cycle.children],
    }


def _table_data(
    report: ConvergenceReport, table: ConvergenceTable, controlled: Sequence[ControlledClass]
) -> dict[str, Any]:
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
