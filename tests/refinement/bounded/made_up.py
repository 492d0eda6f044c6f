"""CONTRIBUTING's recipe for a primitive, followed: a set and a relation that nobody has, in every engine.

`python -m tests.refinement.bounded.made_up FOLDER` adds their rows and functions to a process of its own, keeps what it
needs in the folder, and fails if an engine does not know them. `Strong` are the accesses that acquire or release, and
`twin` relates accesses of two threads to one cell. Both can be said in the vocabulary, so that what they mean is known.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

from tests.paths import ROOT

ROWS = """
    _set(
        "Strong", "accesses that acquire or release", speaks_of="orderings",
        lack=Lack(2.0, "{a} is not strong", _kinds("R W")),
    ),
    _relation("twin", "accesses of one cell by two threads", FactRole.EDGE, pictured="twin"),
"""
"""What is written into `ROWS` of model/primitives.py."""


def edited() -> ModuleType:
    """Return the registry with the rows, as if they stood in its text."""
    path = ROOT / "model" / "primitives.py"
    module = ModuleType("axmem.model.primitives")
    module.__file__ = str(path)
    text = path.read_text(encoding="utf-8")
    assert text.count("\nROWS = [\n") == 1
    exec(compile(text.replace("\nROWS = [\n", f"\nROWS = [{ROWS}"), str(path), "exec"), module.__dict__)
    return module


sys.modules["axmem.model.primitives"] = edited()

# ruff: noqa: E402
from axmem import diff, explain, load_model, outcomes, refine
from axmem.encoder import outlines, statics
from axmem.encoder.circuit import FALSE
from axmem.encoder.oracle import enumerate_outcomes
from axmem.events.graph import Event, EventKind
from axmem.events.unroll import event_graph
from axmem.formats.reading import parse_file
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import Ordering
from axmem.refinement.bounded import vocabulary as families
from axmem.refinement.bounded.skeleton import SymbolicEvent
from axmem.refinement.bounded_check import check, models_claim
from axmem.refinement.contexts import slots
from axmem.refinement.difference import DiffSearch, Programs
from axmem.report.executions import labels
from axmem.report.explanation import section
from axmem.report.printers.text import lines

ORDERINGS = (Ordering.ACQUIRE, Ordering.RELEASE, Ordering.ACQ_REL, Ordering.SEQ_CST)
ACCESSES = (EventKind.READ, EventKind.WRITE)


def strong(p: families.SymbolicProgram, e: SymbolicEvent) -> int:
    """Return the literal that an event of a family's program is strong."""
    if e.slot < 0:
        return FALSE
    access = families.SETS["M"](p, e)
    return p.circuit.both(access, p.slots[e.slot].ordered(p.circuit, ORDERINGS))


def twins(p: families.SymbolicProgram, a: SymbolicEvent, b: SymbolicEvent) -> int:
    """Return the literal that two events of a family's program are twins."""
    return p.same_location(a, b) if a.thread >= 0 <= b.thread != a.thread else FALSE


def related(a: Event, b: Event) -> bool:
    """Tell whether two events of one cell are twins."""
    return a.thread >= 0 <= b.thread != a.thread


# What the recipe calls the functions: one for each engine.
statics.SETS["Strong"] = lambda e: e.kind in ACCESSES and e.ordering in ORDERINGS
outlines.RELATIONS["twin"] = lambda s: s.pairs(related, lambda e: e.cell if e.cell >= 0 else None)
families.SETS["Strong"] = strong
families.RELATIONS["twin"] = twins
slots.SETS["Strong"] = lambda a, e, circuit: a.ordered(circuit, ORDERINGS) if e.kind in ACCESSES else FALSE

CLASSIC = ROOT / "litmus" / "corpus" / "classic"
BEFORE = "r0 = load atomic x acquire\n  r1 = load atomic y monotonic"
AFTER = "r1 = load atomic y monotonic\n  r0 = load atomic x acquire"


def written(folder: Path, name: str, strong_text: str, twin_text: str) -> ModelChoice:
    """Write a model: strong accesses keep program order, and what passes between twins orders them."""
    path = folder / f"{name}.cat"
    kept = f"([{strong_text}] ; po) | (po ; [{strong_text}])"
    order = f"acyclic ({kept}) | ((rf | co | fr) & ({twin_text})) as kept"
    usual = "acyclic po-loc | rf | co | fr as coherence\nacyclic po | rf as no-thin-air"
    path.write_text(f'"{name}"\n{usual}\n{order}\n', encoding="utf-8")
    return ModelChoice(str(path))


def main(folder: Path) -> None:
    """Use the primitives in every engine, beside a model that says the same in other words."""
    made = written(folder, "made", "Strong", "twin")
    told = written(folder, "told", "M & (ACQ | REL | ACQ_REL | SC)", "loc & ext")
    weak = written(folder, "weak", "Strong & F", "twin")
    model, other = load_model(made.model), load_model(told.model)
    differ = 0
    for path in (*sorted(CLASSIC.glob("[LS]B*.litmus"))[:16], *sorted(CLASSIC.glob("MP*.litmus"))[:8]):
        test = parse_file(path)
        found = outcomes(test, model).outcomes
        assert found == outcomes(test, other).outcomes, path.name
        rows = enumerate_outcomes(event_graph(test), model).outcomes
        assert len(rows) == len(enumerate_outcomes(event_graph(test), other).outcomes) == len(found), path.name
        differ += found != outcomes(test, load_model(weak.model)).outcomes
    assert differ
    path = folder / "shown.cat"
    path.write_text('"shown"\nacyclic twin as none\n', encoding="utf-8")
    shown = list(lines([section(explain(parse_file(CLASSIC / "SB+mono+mono.litmus"), load_model(str(path))))]))
    assert any("—twin→" in line for line in shown), shown
    assert "twin" in labels(model)
    for claim in (models_claim(made, told), models_claim(told, made)):
        assert check(claim, 2).status == "holds"
    assert not diff(made, told, Programs(3), DiffSearch(explained=False)).distinctions
    assert diff(made, weak, Programs(4), DiffSearch(explained=False)).distinctions
    before, after = (f"litmus t\nglobal x = 0\nglobal y = 0\nthread P0 {{\n  {body}\n}}\n" for body in (BEFORE, AFTER))
    judged = [refine(before, after, choice, context=2) for choice in (made, told)]
    assert {each.verdict for each in judged} == {"unsound"} and judged[0].context == judged[1].context, judged


if __name__ == "__main__":
    main(Path(sys.argv[1]))
