"""What becomes of loop metadata.

What goes in: a `LoopReport`. What comes out: for each nest of loops its cases: what each pass decides and why, the
loops after it with every attribute and where that came from, the warnings that are left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from axmem.litmus.loops import Attribute
from axmem.report.tree import Block, Item, List, Paragraph, Section
from axmem.transform.answers import described
from axmem.transform.attributes import short
from axmem.transform.followups import Identity
from axmem.transform.forest import Tree
from axmem.transform.metadata import LoopReport, Nest
from axmem.transform.modes import SUFFIX
from axmem.transform.passes import WARNING
from axmem.transform.pipeline_cases import CostCase, Decision, Stage


def heading(report: LoopReport) -> str:
    """Return under which rules which passes run."""
    passes = [*report.pipeline.passes, *([WARNING] if report.pipeline.warns else [])]
    question = report.question
    head = f"{report.kernel}  {question.profile.value}, {question.target.value}, {report.pipeline.name}"
    listed = ", ".join(passes) or "no pass over loops"
    listed += f": {report.pipeline.idle}" if report.pipeline.idle else ""
    return f"{head}: {listed}" if listed != report.pipeline.name.replace(",", ", ") else head


HEADS = ("loops", "with a LoopID", "cases", "warnings", "")
"""What stands over a row about a function; the cases are those that costs leave, the last words what is done in any."""


def row(report: LoopReport) -> tuple[object, ...]:
    """Return the numbers of a function, and which passes do something in some case."""
    trees = [tree for nest in report.nests for tree in _with_inner(nest.before)]
    every = [case for nest in report.nests for case in nest.cases]
    stages = [stage for case in every for stage in case.stages]
    done = dict.fromkeys(s.pass_ for s in stages if any(decision.outcomes for decision in s.decisions))
    warned = max((sum(bool(case.warnings) for case in nest.cases) for nest in report.nests), default=0)
    with_ids = sum(tree.identity is not None for tree in trees)
    return len(trees), with_ids, len(every), warned, ", ".join(done)


def _with_inner(tree: Tree) -> Iterator[Tree]:
    """Yield a loop and those in it."""
    yield tree
    for inner in tree.inner:
        yield from _with_inner(inner)


def section(report: LoopReport) -> Section:
    """Return the report of a kernel."""
    blocks: list[Block] = [] if report.nests else [Paragraph("no loops")]
    for nest in report.nests:
        blocks.append(_trees((nest.before,)))
        blocks += [block for number, case in enumerate(nest.cases, 1) for block in _case(nest, number, case)]
    return Section(heading(report), tuple(blocks))


def _case(nest: Nest, number: int, case: CostCase) -> Iterator[Block]:
    found: list[Item] = []
    before: tuple[Tree, ...] = (case.before,)
    for stage in case.stages:
        found.append(_stage(stage, before))
        before = stage.loops
    found += [] if case.warnings else [Item("no warning")]
    for warning in dict.fromkeys(case.warnings):
        said = f"{warning.loop}{_times(case.warnings.count(warning))}: {warning.text.removesuffix(SUFFIX)}"
        found.append(Item(f"warning of {warning.pass_}, {said}", (Paragraph(warning.why),)))
    if len(nest.cases) == 1:
        yield List(tuple(found))
        return
    open_ = "; ".join(str(each) for each in dict.fromkeys(case.decisions) if each.open)
    yield List((Item(f"case {number} of {len(nest.cases)}: {open_}", (List(tuple(found)),)),))


def _stage(stage: Stage, before: tuple[Tree, ...]) -> Item:
    """Return what a pass decides, and below it the loops that it leaves if they are others."""
    items = [Item(f"{_decided(d)}{_times(n)}: {d.reason}") for d, n in Counter(stage.decisions).items()]
    if stage.loops != before:
        left = _trees(stage.loops) if stage.loops else Paragraph("no loop is left")
        said = items.pop().content if items else ""
        items.append(Item(said, (left,)))
    return Item(stage.pass_, (List(tuple(items)),))


def _times(number: int) -> str:
    return f" ({number} times)" if number > 1 else ""


def _decided(decision: Decision) -> str:
    if not decision.outcomes:
        return f"{decision.loop} stays"
    return f"{decision.loop} becomes {described(decision.outcomes)}"


def _trees(trees: tuple[Tree, ...]) -> List:
    """Return loops with their LoopIDs, those in others below them; of copies one with their number."""
    items = [
        Item(f"{t.name}{_times(n)}  {_identity(t.identity)}", (_trees(t.inner),) if t.inner else ())
        for t, n in Counter(trees).items()
    ]
    return List(tuple(items))


def _identity(identity: Identity | None) -> str:
    if identity is None:
        return "no LoopID"
    if identity.name:
        return f"!{identity.name}: {', '.join(map(written, identity.attributes)) or 'no attributes'}"
    parts = [f"{written(each.attribute)} ({each.origin})" for each in identity.carried]
    return f"new: {', '.join(parts)}"


def written(attribute: Attribute) -> str:
    """Return an attribute as lines have it: its name without what all have in common, its value, its followups."""
    if not attribute.name:
        return "a LoopID"
    inside = [*map(written, attribute.attributes), *("a LoopID" for _ in attribute.loop_ids)]
    inside += [f"!{group}" for group in attribute.groups]
    if inside:
        return f"{short(attribute.name)} {{{', '.join(inside)}}}"
    return f"{short(attribute.name)}{'' if attribute.value is None else f' {attribute.value.value}'}"


# ---------------------------------------------------------------- data


def as_data(report: LoopReport) -> dict[str, Any]:
    """Return the report as plain data, for JSON."""
    return {
        "kernel": report.kernel,
        "profile": report.question.profile.value,
        "target": report.question.target.value,
        "pipeline": report.pipeline.name,
        "passes": list(report.pipeline.passes),
        "warns": report.pipeline.warns,
        "nests": [{"loop": _tree(n.before), "cases": [_case_data(case) for case in n.cases]} for n in report.nests],
    }


def _case_data(case: CostCase) -> dict[str, Any]:
    return {
        "stages": [
            {
                "pass": stage.pass_,
                "decisions": [_decision(each) for each in stage.decisions],
                "loops": [_tree(tree) for tree in stage.loops],
            }
            for stage in case.stages
        ],
        "warnings": [
            {"loop": each.loop, "pass": each.pass_, "text": each.text, "because": each.why} for each in case.warnings
        ],
    }


def _decision(decision: Decision) -> dict[str, Any]:
    return {
        "loop": decision.loop,
        "open": decision.open,
        "because": decision.reason,
        "outcomes": [
            {"loops": list(each.kinds), "factor": each.factor, "words": list(each.words)} for each in decision.outcomes
        ],
    }


def _tree(tree: Tree) -> dict[str, Any]:
    identity = tree.identity
    return {
        "name": tree.name,
        "id": None if identity is None else identity.name or "new",
        "attributes": []
        if identity is None
        else [{**_attribute(each.attribute), "origin": each.origin} for each in identity.carried],
        "loops": [_tree(each) for each in tree.inner],
    }


def _attribute(attribute: Attribute) -> dict[str, Any]:
    return {
        "name": attribute.name,
        "value": None if attribute.value is None else attribute.value.value,
        "attributes": [_attribute(each) for each in attribute.attributes],
        "groups": list(attribute.groups),
        "ids": [each.name for each in attribute.loop_ids],
    }
