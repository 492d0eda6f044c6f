"""A pipeline run on loops: every case, each loop after each pass, and the warnings that are left.

What goes in: a nest of loops, the passes, what the user says of costs. What comes out: the cases that this leaves open,
each with its decisions. Invariant: given the decisions, LoopIDs and warnings are determined.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from axmem.front.records import dataclass, replace
from axmem.front.source import mistake
from axmem.front.typing import override
from axmem.transform.answers import Outcome, PassAnswer, PassSettings, described
from axmem.transform.attributes import short
from axmem.transform.cost_answers import Told, chosen
from axmem.transform.decisions import answer
from axmem.transform.forest import Tree
from axmem.transform.forest_effects import applied, before_costs, with_inner
from axmem.transform.modes import SUFFIX, deciding, left
from axmem.transform.passes import Pass

LIMIT = 256
"""So many cases of one nest are told apart."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a pass did with a loop, and why; `open` if costs might have decided otherwise.

    Of several `outcomes` nothing that is told apart here depends; none: the pass leaves the loop as it is.
    """

    pass_: str
    transformation: str
    loop: str
    outcomes: tuple[Outcome, ...]
    reason: str
    open: bool = False
    warning: str = ""

    @override
    def __str__(self) -> str:
        """Return what was decided: `vectorize@h into vectorized, epilogue`."""
        where = f"{self.pass_}@{self.loop}"
        if not self.outcomes:
            return f"no {where}"
        return f"{where} into {described(self.outcomes)}"


@dataclass(frozen=True, slots=True)
class Stage:
    """A pass, what it decided of each loop, and the loops after it."""

    pass_: str
    decisions: tuple[Decision, ...]
    loops: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning: of which loop, by which pass, its text as LLVM prints it, and why it comes to it."""

    loop: str
    pass_: str
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class CostCase:
    """What becomes of a nest if costs decide in one way."""

    before: Tree
    stages: tuple[Stage, ...]
    warnings: tuple[Warned, ...]

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """All decisions, in order."""
        return tuple(each for stage in self.stages for each in stage.decisions)

    @property
    def loops(self) -> tuple[Tree, ...]:
        """The loops after the last pass."""
        return self.stages[-1].loops if self.stages else (self.before,)


@dataclass(frozen=True, slots=True)
class Run:
    """Passes under settings, and what is told about costs; whether `transform-warning` comes last."""

    passes: tuple[Pass, ...]
    settings: PassSettings
    told: tuple[Told, ...] = ()
    warns: bool = True


def cases(nest: Tree, run: Run) -> tuple[CostCase, ...]:
    """Return the cases of a nest, of those in which the same loops have the same LoopIDs and warnings the first.

    Raises InputError if there are more than `LIMIT`.
    """
    found: list[tuple[Stage, ...]] = [()]
    for pass_ in run.passes:
        found = [(*stages, stage) for stages in found for stage in after(pass_, _left_by(nest, stages), run)]
        _few(found)
    told_apart: dict[object, CostCase] = {}
    for each in (case_of(nest, stages, run) for stages in found):
        told_apart.setdefault((tuple(stage.loops for stage in each.stages), each.warnings), each)
    return tuple(told_apart.values())


def after(pass_: Pass, trees: tuple[Tree, ...], run: Run) -> list[Stage]:
    """Return what there may be of loops after a pass."""
    return [Stage(pass_.name, decisions, new) for new, decisions in _passed(_At(pass_, run), trees, None)]


def case_of(nest: Tree, stages: tuple[Stage, ...], run: Run) -> CostCase:
    """Return a case with its warnings."""
    return CostCase(nest, stages, tuple(_warnings(_left_by(nest, stages), stages, run)))


def _left_by(nest: Tree, stages: tuple[Stage, ...]) -> tuple[Tree, ...]:
    return stages[-1].loops if stages else (nest,)


def _few(found: Sequence[object]) -> None:
    if len(found) > LIMIT:
        message = f"costs leave more than {LIMIT} cases of one nest of loops open"
        raise mistake("--do", message, "say what is done, and what is not, with --do PASS@LOOP and --dont PASS@LOOP")


@dataclass(frozen=True, slots=True)
class _At:
    """A pass in a run."""

    pass_: Pass
    run: Run


Way = tuple[tuple[Tree, ...], tuple[Decision, ...]]


def _passed(at: _At, trees: tuple[Tree, ...], around: Tree | None) -> list[Way]:
    """Return what a pass may leave of loops side by side: all ways of each with those of the others, copies alike."""
    alike = list(dict.fromkeys(trees))
    each = [_of_one(at, tree, around) for tree in alike]
    found = []
    for ways in product(*each):
        way = dict(zip(alike, ways, strict=True))
        new = tuple(t for tree in trees for t in way[tree][0])
        found.append((new, tuple(d for tree in trees for d in way[tree][1])))
        _few(found)
    return found


def _of_one(at: _At, tree: Tree, around: Tree | None) -> list[Way]:
    """Return what a pass may leave of a loop: the loops in it first, then itself, then what it returns to."""
    found: dict[tuple[tuple[Tree, ...], tuple[object, ...]], tuple[Decision, ...]] = {}
    for inner, decided in _passed(at, tree.inner, tree) if tree.inner else [((), ())]:
        now = with_inner(tree, inner, at.run.settings)
        said = answer(at.pass_, now, around, at.run.settings)
        for outcome, new, decision in _each(at, now, said):
            again = at.pass_.returns and outcome is not None and not outcome.kinds and new
            for last, more in _passed(at, new, around) if again else [(new, ())]:
                decisions = (*decided, decision, *more)
                key = last, tuple((each.loop, bool(each.outcomes)) for each in decisions)
                found[key] = _merged(found[key], decisions) if key in found else decisions
    return [(trees, decisions) for (trees, _), decisions in found.items()]


def _each(at: _At, now: Tree, said: PassAnswer) -> Iterator[tuple[Outcome | None, tuple[Tree, ...], Decision]]:
    """Yield what a pass may do itself to a loop, the loops that it leaves, and its decision."""
    for outcome, reason, is_open in _ways(at, now, said):
        decision = Decision(at.pass_.name, at.pass_.transformation, now.name, (), reason, is_open)
        if outcome is not None:
            new = applied(at.pass_, now, outcome, at.run.settings)
            yield outcome, new, replace(decision, outcomes=(outcome,))
            continue
        begun = before_costs(at.pass_, now, said, at.run.settings)
        for left_alone in dict.fromkeys((now, begun) if said.safe is None else (begun,)):
            yield None, (left_alone,), replace(decision, warning=said.warning)


def _merged(one: tuple[Decision, ...], other: tuple[Decision, ...]) -> tuple[Decision, ...]:
    """Return decisions that leave the same loops as one."""
    pairs = zip(one, other, strict=True)
    return tuple(replace(a, outcomes=tuple(dict.fromkeys((*a.outcomes, *b.outcomes)))) for a, b in pairs)


def _ways(at: _At, tree: Tree, said: PassAnswer) -> Iterator[tuple[Outcome | None, str, bool]]:
    """Yield what a pass may do to a loop: an outcome, or None; why; whether something else might be as well."""
    told = [each for each in at.run.told if each.pass_ == at.pass_.name and each.loop == tree.name]
    for each in told:
        if not each.done:
            yield None, f"--dont {each.text}", False
            return
    if told:
        outcomes = chosen(told[-1], at.pass_, said)
        yield from ((outcome, f"--do {told[-1].text}", len(outcomes) > 1) for outcome in outcomes)
        return
    if said.done is None or not said.done:
        yield None, said.reason, said.done is None
    if said.done is None or said.done:
        several = said.done is None or len(said.outcomes) > 1
        yield from ((outcome, said.reason, several) for outcome in said.outcomes)


def _warnings(trees: tuple[Tree, ...], stages: tuple[Stage, ...], run: Run) -> Iterator[Warned]:
    """Yield the warnings of passes, and those of `transform-warning`, loop by loop, outer before inner."""
    decided = [each for stage in stages for each in stage.decisions]
    yield from (Warned(each.loop, each.pass_, each.warning, each.reason) for each in decided if each.warning)
    if run.warns:
        for tree in (one for root in trees for one in root.walk()):
            for transformation, text in left(tree.attributes, run.settings.profile):
                if transformation == "interchange" and _interchanged(tree.name, decided):
                    continue
                why = _why(tree, transformation, decided, run)
                yield Warned(tree.name, "transform-warning", text + SUFFIX, why)


def _interchanged(name: str, decided: Sequence[Decision]) -> bool:
    """Whether a loop was interchanged, which leaves it what asked for it."""
    return any(d.transformation == "interchange" and d.outcomes and _is_from(name, d.loop) for d in decided)


def _why(tree: Tree, transformation: str, decided: Sequence[Decision], run: Run) -> str:
    """Return why a transformation that is forced for a loop is left."""
    own = [each for each in decided if each.transformation == transformation and _is_from(tree.name, each.loop)]
    decisive = deciding(tree.attributes, transformation, run.settings.profile)[1]
    names = " and ".join(short(each.name) for each in decisive)
    done = [each for each in own if each.outcomes]
    if done:
        return f"{done[-1].pass_}@{done[-1].loop} was done, and left {names} to this loop"
    if own and own[-1].loop == tree.name:
        return own[-1].reason
    if any(each.transformation == transformation for each in run.passes):
        return f"{names} came to this loop after the pass"
    return "no pass of the pipeline does it"


def _is_from(name: str, old: str) -> bool:
    """Whether a loop is, or was made of, a loop of a name."""
    return name == old or name.startswith(f"{old}.")
