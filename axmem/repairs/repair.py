"""Repair a test, or weaken it.

What goes in: a test, the models that judge, the condition to forbid or require (or nothing: what the test expects is to
be kept), costs and bounds. What comes out: a `Repairs` with every minimal repair that was found, the cheapest first,
each as edits and as a test that says what it now expects. Invariant: each repair was judged from the very text that is
handed out, under every model; and each point directly below it in strength was judged and does not do.
What is not named by an edit is as it was, and a patched file reads back as the test that was checked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from enum import Enum

from axmem.check.selection import AnyModel, Selection, choice_of, concerns, loaded
from axmem.codegen.program import check_operations, lower
from axmem.codegen.targets import Target
from axmem.codegen.targets import target as target_named
from axmem.encoder.solve import Deadline
from axmem.formats.reading import as_test, parse
from axmem.front.records import dataclass, field, replace
from axmem.front.source import InputError
from axmem.litmus.condition_printer import condition_text
from axmem.litmus.edit import edited
from axmem.litmus.placement import kernels_in, unknown_to
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import Expectation, LitmusTest, ModelChoice, OutcomeSet, Quantifier, Statement
from axmem.litmus.walk import Path
from axmem.repairs import DEFAULT_TARGET, EXHAUSTIVE_EDITS, LIMIT
from axmem.repairs.costs import Costs, parse_weights
from axmem.repairs.edits import LineEdit, changes_of
from axmem.repairs.goals import Asking, Goal, Judge, forbidden, kept, questioning_test, raceless, required
from axmem.repairs.minimal import Cost, EditSearch, Point, SiteOrder, Stopped
from axmem.repairs.sites import OWN, Site
from axmem.repairs.spaces import repair_space, weaken_space
from axmem.repairs.task import Aim, RepairTask, aimed
from axmem.repairs.wording import DEFAULT_KINDS, KERNEL_KINDS


class RepairStatus(Enum):
    """How a search ended."""

    NEEDLESS = "needless"
    """The test is as wanted already; or nothing of it can be weakened."""
    FOUND = "found"
    """There are repairs."""
    IMPOSSIBLE = "impossible"
    """No repair is in the space that was searched."""
    UNMET = "unmet"
    """What is to be kept does not hold in the first place."""
    UNKNOWN = "unknown"
    """A limit was reached before anything was found."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One minimal set of edits. `machine` is what the instructions cost more than before, of a weakening less;
    an edit that saves is free. `size` counts the steps.

    `text` is the patched test, which expects what the models now say.
    """

    changes: tuple[LineEdit, ...]
    machine: int
    size: int
    test: LitmusTest
    text: str
    verdicts: tuple[tuple[str, str], ...]

    @property
    def edits(self) -> int:
        """The number of edits."""
        return sum(len(change.words) for change in self.changes)


@dataclass(frozen=True, slots=True)
class Repairs:
    """The outcome of a search.

    `exhausted` says that no other minimal repairs exist in the space, `cut` that the time was over. `empty` counts sets
    of edits that leave no outcome at all, which is no repair; `doubtful` those that the checker could not judge.
    `contradicted` says that the models turned out not to be monotone, so that repairs may be missing.
    `programs` were judged; `sites` have `states` in all.
    """

    test: LitmusTest
    task: RepairTask
    status: RepairStatus
    repairs: tuple[Repair, ...] = ()
    exhausted: bool = False
    cut: bool = False
    empty: int = 0
    doubtful: int = 0
    contradicted: bool = False
    programs: int = 0
    sites: int = 0
    states: int = 0


@dataclass(slots=True)
class _Found:
    """What a search has brought so far."""

    repairs: list[Repair] = field(default_factory=list)
    empty: int = 0
    cut: bool = False
    needless: bool = False


@dataclass(frozen=True, slots=True)
class RepairSearch:
    """How far to search: with kinds of edits of `EDIT_KINDS`, `max_edits` of them, for up to `limit` repairs.

    What is `exhaustive` does not suppose that what does with weak annotations does with stronger ones, too.
    """

    edits: Collection[str] = DEFAULT_KINDS
    max_edits: int | None = None
    exhaustive: bool = False
    limit: int = LIMIT
    seconds: float | None = None


CHEAPEST = RepairSearch()


def repair(
    test: str | LitmusTest,
    models: Iterable[AnyModel] = (),
    *,
    forbid: str | None = None,
    require: str | None = None,
    weaken: bool = False,
    races: bool = False,
    target: str | Target | None = DEFAULT_TARGET,
    cost: str = "",
    search: RepairSearch = CHEAPEST,
) -> Repairs:
    """Search for the cheapest edits that forbid or require a condition under all models, or `weaken` what is there.

    Without models those are meant that the test mentions; without a condition the test's own is to be forbidden, a
    `forall` to be required, and if it is weakened its expectations to be kept. With `races`, and of kernels that ask
    nothing, it is to have no data race. `cost` weighs what the edits become on
    the target (of None only edits are weighed). Raises InputError for what is wrong with the test, a model, the
    conditions, the weights, or for operations that the target does not have.
    """
    test = as_test(test)
    if unknown := (*unknown_to(test, "axmem repair"), *(kernels_in(test, "axmem repair --weaken") if weaken else ())):
        raise InputError(unknown)
    on = target_named(target) if isinstance(target, str) else target
    if on is not None and not test.kernels:
        lower(test, on, divergent=True)
    elif on is not None:
        check_operations(test, on)
    aim, test = aimed(test, forbid, require, weaken=weaken, races=races)
    choices = tuple(choice_of(model) for model in models) or Selection().models(test)
    task = RepairTask(
        aim=aim,
        judges=tuple(Judge(choice.label, loaded(choice)) for choice in dict.fromkeys(choices)),
        costs=Costs(parse_weights(cost), on),
        weakens=weaken,
        allowed=KERNEL_KINDS if test.kernels and search.edits == DEFAULT_KINDS else frozenset(search.edits),
        limit=search.limit,
        most=search.max_edits or (EXHAUSTIVE_EDITS if search.exhaustive else None),
        monotone=not search.exhaustive,
        seconds=search.seconds,
    )
    return search_repairs(test, task)


def search_repairs(test: LitmusTest, task: RepairTask) -> Repairs:
    """Search for the minimal repairs of a test, or for its weakest annotations."""
    asking = Asking(Deadline(task.seconds))
    try:
        goal = _goal(test, task, asking)
        start = goal.holds(test)
    except Stopped:
        return Repairs(test, task, RepairStatus.UNKNOWN, cut=True, programs=asking.programs)
    if start is not task.weakens:
        status = (
            RepairStatus.UNKNOWN if start is None else RepairStatus.UNMET if task.weakens else RepairStatus.NEEDLESS
        )
        return Repairs(test, task, status, programs=asking.programs)
    sites = _space(test, task)
    orders = tuple(_order(site, task) for site in sites)
    search = EditSearch(orders, lambda point: goal.holds(patched(test, sites, point)), task.most, task.monotone)
    found = _searched(test, task, sites, search, goal)
    return Repairs(
        test=test, task=task, status=_status(found, search), repairs=tuple(found.repairs), exhausted=search.exhausted,
        cut=found.cut, empty=found.empty, doubtful=search.doubtful, contradicted=search.contradicted,
        programs=asking.programs, sites=len(sites), states=sum(len(site.states) for site in sites),
    )  # fmt: skip


def _goal(test: LitmusTest, task: RepairTask, asking: Asking) -> Goal:
    if task.aim is Aim.EXPECT:
        return kept(test, task.judges, asking)
    if task.aim is Aim.RACELESS:
        return raceless(task.judges, asking)
    makes = forbidden if task.aim is Aim.FORBID else required
    return makes(test.condition, task.judges, asking)


def _space(test: LitmusTest, task: RepairTask) -> tuple[Site, ...]:
    availability = any(judge.sees_availability for judge in task.judges)
    if task.weakens:
        return weaken_space(test, task.costs, availability=availability)
    return repair_space(test, task.costs, task.allowed if availability else task.allowed - {"silent"})


def _order(site: Site, task: RepairTask) -> SiteOrder:
    """Return the states of a site as the search sees them; a state is never cheaper than the weakest one."""
    first = site.states[0].machine
    costs = tuple(_cost(max(0, s.machine - first), s.size, task) for s in site.states)
    return SiteOrder(site.below, costs, tuple(len(s.changes) for s in site.states))


def _cost(machine: int, size: int, task: RepairTask) -> Cost:
    return machine + task.costs.edit * size, size


def _searched(test: LitmusTest, task: RepairTask, sites: tuple[Site, ...], search: EditSearch, goal: Goal) -> _Found:
    """Take the minimal points of a search, as many as are wanted."""
    found = _Found()
    try:
        for point in search.points():
            made = _repair(test=test, task=task, sites=sites, point=point, goal=goal, number=len(found.repairs) + 1)
            if made is None:
                found.empty += 1
            elif not made.changes:
                found.needless = True
            else:
                found.repairs.append(made)
            if len(found.repairs) == task.limit:
                break
        if search.exhausted and not found.repairs and not found.needless and not found.empty:
            _probe(task, sites, search)
    except Stopped:
        found.cut = True
    return found


def _probe(task: RepairTask, sites: tuple[Site, ...], search: EditSearch) -> None:
    """Try, where nothing was found, what no theorem need say: each single edit, or the text that is to be weakened.

    The search notes a contradiction if one of them does.
    """
    if task.weakens:
        search.try_point(tuple(site.original for site in sites))
        return
    for number, site in enumerate(sites):
        for state in range(1, len(site.states)):
            search.try_point(tuple(state if n == number else 0 for n in range(len(sites))))


def _status(found: _Found, search: EditSearch) -> RepairStatus:
    if found.repairs:
        return RepairStatus.FOUND
    if found.needless:
        return RepairStatus.NEEDLESS
    return RepairStatus.UNKNOWN if found.cut or search.doubtful or search.contradicted else RepairStatus.IMPOSSIBLE


# ---------------------------------------------------------------- one repair


def _repair(
    test: LitmusTest, task: RepairTask, sites: tuple[Site, ...], point: Point, goal: Goal, number: int
) -> Repair | None:
    """Return the repair of a point, judged from its text; None if nothing at all can happen in it."""
    changes = changes_of(test, sites, point, task.costs)
    changed = patched(test, sites, point)
    verdicts = []
    for judge in task.judges:
        result = goal.asking.result(changed, judge, whole=False)
        if not result.positive + result.negative and not result.undefined:
            return None
        verdicts.append((judge.label, "no race" if task.aim is Aim.RACELESS else result.verdict))
    described = _described(changed, task, changes, number)
    named = _named(described, task, tuple(verdicts))
    text = print_test(named)
    if goal.holds(parse(text, f"{named.name}.litmus")) is not True:
        raise AssertionError(f"the text of {named.name} is not the test that was judged")
    spent = [change.after_cost - change.before_cost for change in changes]
    machine = sum(spent if task.weakens else (max(0, cost) for cost in spent))
    size = sum(site.states[state].size for site, state in zip(sites, point, strict=True))
    return Repair(changes=changes, machine=machine, size=size, test=named, text=text, verdicts=tuple(verdicts))


def _described(changed: LitmusTest, task: RepairTask, changes: tuple[LineEdit, ...], number: int) -> LitmusTest:
    """Return a changed test with a name of its own, and a description that says what was changed."""
    word = "weaker" if task.weakens else "repair"
    said = "; ".join(f"{c.thread}: {c.after or c.before} ({', '.join(c.words)})" for c in changes)
    return replace(changed, name=f"{changed.name}.{word}{number}", description=f"{word.capitalize()} {number}: {said}.")


def _named(changed: LitmusTest, task: RepairTask, verdicts: tuple[tuple[str, str], ...]) -> LitmusTest:
    """Return a changed test that expects what is so."""
    if task.aim is Aim.EXPECT:
        return replace(changed, expectations=tuple(_still(changed, task)), outcome_sets=_still_sets(changed, task))
    if task.aim is Aim.RACELESS:
        return questioning_test(changed, changed.condition)
    quantifier = Quantifier.NOT_EXISTS if task.aim is Aim.FORBID else Quantifier.FORALL
    asked = replace(questioning_test(changed, changed.condition), quantifier=quantifier)
    choices = {judge.label: choice_of(judge.model) for judge in task.judges}
    reason = "weakened" if task.weakens else "repaired"
    return replace(
        asked, expectations=tuple(Expectation((choices[label],), verdict, reason) for label, verdict in verdicts)
    )


def _still(changed: LitmusTest, task: RepairTask) -> Iterator[Expectation]:
    """Yield what a test expects of the models that judged."""
    for expectation in changed.expectations:
        models = _judged(expectation.models, task)
        if models:
            yield replace(expectation, models=models)


def _still_sets(changed: LitmusTest, task: RepairTask) -> tuple[OutcomeSet, ...]:
    pairs = ((block, _judged(block.models, task)) for block in changed.outcome_sets)
    return tuple(replace(block, models=models) for block, models in pairs if models)


def _judged(choices: tuple[ModelChoice, ...], task: RepairTask) -> tuple[ModelChoice, ...]:
    return tuple(choice for choice in choices if any(concerns(choice, judge.model) for judge in task.judges))


def asked(report: Repairs) -> str:
    """Return what was asked, in words."""
    aim = report.task.aim
    if aim is Aim.RACELESS:
        return "have no data race"
    wanted = "what it expects" if aim is Aim.EXPECT else f"{aim.value} {condition_text(report.test.condition)}"
    keep = "keep" if aim is Aim.EXPECT else "still"
    return f"weaken, {keep} {wanted}" if report.task.weakens else wanted


def patched(test: LitmusTest, sites: tuple[Site, ...], point: tuple[int, ...]) -> LitmusTest:
    """Return a test in which each site has the state that a point chooses for it."""
    replaced: dict[Path, tuple[Statement, ...]] = {}
    inserted: dict[Path, tuple[Statement, ...]] = {}
    for site, chosen in zip(sites, point, strict=True):
        statement = site.states[chosen].statement
        if site.slot == OWN:
            if chosen != site.original:
                replaced[site.path] = () if statement is None else (statement,)
        elif statement is not None:
            inserted[site.path] = (*inserted.get(site.path, ()), *site.states[chosen].statements)
    return edited(test, replaced, inserted)
