"""One program against another: is what it may do after a change among what it might do before?

What goes in: two tests, what of them is the same (`Matching`), a model. What comes out: a `Refinement`: the verdict,
the outcomes that are new, and of the first of them two explanations: why it is allowed after the change, and why it was
forbidden before. Registers and the final values of memory are compared; a register that the branches taken before the
change have not assigned matches everything. Nothing but the tests runs: of further threads nothing is said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial

from axmem.check.results import Result, format_lanes, outcomes_of
from axmem.check.selection import AnyModel, choice_of, loaded
from axmem.encoder.solve import UNLIMITED, Deadline, Limits, Row
from axmem.events.graph import EventGraph
from axmem.events.unroll import events_under
from axmem.explanations.explanation import Explanation, explain
from axmem.formats.reading import as_test
from axmem.front.records import dataclass, replace
from axmem.litmus import syntax as ast
from axmem.litmus.condition_printer import observable_text
from axmem.litmus.edit import untraced
from axmem.model.model import Model
from axmem.refinement.inclusion import UNSOUND, inclusion
from axmem.refinement.matching import matching, name_of


@dataclass(frozen=True, slots=True)
class Refinement:
    """What became of a comparison under one model.

    `new` are the outcomes after the change that nothing before matches, as text in the names after the change, and
    `former` the same in the names before. `undefined` are reasons of undefined behaviour that is new. `explanations`
    are empty if the verdict is not unsound; else why the first new outcome is allowed after and, unless it is undefined
    behaviour, why it is forbidden before.
    """

    before: str
    after: str
    model: str
    verdict: str
    compared: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]
    new: tuple[str, ...] = ()
    former: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    explanations: tuple[Explanation, ...] = ()


def refine(
    before: str | ast.LitmusTest,
    after: str | ast.LitmusTest,
    model: AnyModel,
    *,
    renamed: Iterable[str] = (),
    limits: Limits = UNLIMITED,
    explained: bool = True,
    own: Collection[str] = (),
) -> Refinement:
    """Return whether every outcome of a test after a change is one of the test before, under a model.

    What has the same name is compared; `renamed` are pairs `P0:r1=P0:r2` of what has another name after the change,
    `own` locations of which nobody sees what they hold at last. Raises InputError for what is wrong with a test, a pair
    or the model.
    """
    before, after = untraced(as_test(before)), untraced(as_test(after))  # `noalias` has its own rule here.
    matched = matching(before, after, renamed)
    pairs = [p for p in matched.pairs if not (isinstance(p[0], ast.FinalValue) and p[0].location in own)]
    label, model = choice_of(model).label, loaded(model)
    deadline = Deadline(limits.seconds, worked=limits.worked)
    results = []
    for k, one in enumerate((before, after)):
        test = _showing(one, [p[k] for p in pairs])
        events = partial(_events, test, model, frozenset(name_of(p[k]) for p in pairs), partly=not k)
        results.append(outcomes_of(test, model, events, limits=replace(limits, seconds=deadline.left())))
    first, second = results
    names = tuple((name_of(b), name_of(a)) for b, a in pairs)
    places = [{c.name: k for k, c in enumerate(result.columns)} for result in (first, second)]
    found = inclusion(first, second, [(places[0][b], places[1][a]) for b, a in names])
    new = [_texts(row, names, second, places[1]) for row in found.new]
    result = Refinement(
        before=before.name,
        after=after.name,
        model=label,
        verdict=found.verdict,
        compared=names,
        left_out=matched.left_out,
        new=tuple("  ".join(f"{a}={v}" for (_, a), v in zip(names, row, strict=True)) for row in new),
        former=tuple("  ".join(f"{b}={v}" for (b, _), v in zip(names, row, strict=True)) for row in new),
        undefined=found.undefined,
        reasons=found.reasons,
    )
    if found.verdict != UNSOUND or not explained:
        return result
    shown = [
        " /\\ ".join(f"{observable_text(pair[side])}={v}" for pair, v in zip(pairs, row, strict=True))
        for row in new[:1]
        for side in (1, 0)
    ]
    why = partial(explain, model=model, label=label, seconds=limits.seconds)
    if not shown:  # The first one's undefined behaviour is what is new.
        return replace(result, explanations=(why(after),))
    return replace(result, explanations=(why(after, outcome=shown[0]), why(before, outcome=shown[1])))


def _showing(test: ast.LitmusTest, shown: Sequence[ast.Observable]) -> ast.LitmusTest:
    """Return a test whose outcomes show at least what is to be compared, and that asks nothing."""
    observed = (*test.observe, *[o for o in shown if o not in test.observe])
    return replace(test, observe=observed, condition=ast.Truth(value=True))


def _events(test: ast.LitmusTest, model: Model, compared: Collection[str], *, partly: bool) -> EventGraph:
    """Return the events of a test that show what is compared, and of the rest what a filter may ask about.

    Kernels show all registers: together these have many times more values than what is compared.
    """
    graph = events_under(test, model, partly=partly)
    if test.filter is not None:
        return graph
    return replace(graph, observed=tuple(o for o in graph.observed if o.name in compared))


def _texts(row: Row, names: Sequence[tuple[str, str]], result: Result, places: dict[str, int]) -> tuple[str, ...]:
    types = [result.columns[places[a]].type for _, a in names]
    return tuple(format_lanes(lanes, type_, result.locations) for lanes, type_ in zip(row, types, strict=True))
