"""What would order two events: annotations of an execution's operations are changed, and the model is asked again.

What goes in: the view of an execution, and what a derivation lacks there. What comes out: whether the execution would
have the fact if the operations were annotated so, and, where no derivation says it, a smallest set of changes with
which it has, or with which something else is so. Invariant: an explanation names only changes that were tried, and says
that nothing would help only after the strongest annotations of everything did not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, product

from axmem.events.graph import Event, EventKind
from axmem.explanations.concrete import Fact, ModelView
from axmem.explanations.proofs import Derivation
from axmem.front.records import dataclass, replace
from axmem.litmus.words import AV_PREFIX, NONE_TAG, Level, Ordering
from axmem.model.primitives import lacks
from axmem.model.terms import Op, Term

Edit = Callable[[Event], Event]
Enough = Callable[[Sequence["AnnotationChange"]], bool]
"""Whether some changes do what is wanted."""
TRIALS = 32
"""How many ways to mend what a derivation lacks are tried; tags may be made compatible on either side."""


@dataclass(frozen=True, slots=True)
class AnnotationChange:
    """Another annotation for one instruction, by the name under which the vocabulary says what is lacking, and the
    event of which it is said; `name` is the scope or the tag that the text names."""

    instruction: int
    lack: str
    event: int
    edit: Edit
    name: str = ""


def lack_name(term: Term) -> str:
    """Return under which name the vocabulary says what a term may lack."""
    return term.name if term.op is Op.BASE else term.op.value


def changed(view: ModelView, changes: Iterable[AnnotationChange], reads: Iterable[tuple[int, int]] = ()) -> ModelView:
    """Return the execution with other annotations, and with reads that read from other writes (pairs, write first)."""
    events = list(view.graph.events)
    for change in changes:
        events = [change.edit(e) if e.instruction == change.instruction else e for e in events]
    sources = {read: write for write, read in reads}
    execution = replace(view.execution, rf={**view.execution.rf, **sources}) if sources else view.execution
    return ModelView(replace(view.graph, events=tuple(events)), view.model, execution)


def mends(view: ModelView, term: int, fact: Fact, lacking: Iterable[Derivation]) -> tuple[AnnotationChange, ...] | None:
    """Return changes that supply what a derivation lacks and with which the fact holds; None if none do."""
    found = list(lacking)
    names = [lack_name(view.model.terms[step.term]) for step in found]
    reads = [(s.fact[0], s.fact[-1]) for s, name in zip(found, names, strict=True) if name == "rf"]
    ways = [list(_ways(view, view.model.terms[s.term], s.fact)) for s, n in zip(found, names, strict=True) if n != "rf"]
    for way in islice(product(*ways), TRIALS):
        changes = tuple(change for part in way for change in part)
        if changed(view, changes, reads).has(term, fact):
            return changes
    return None


def _ways(view: ModelView, term: Term, fact: Fact) -> Iterator[tuple[AnnotationChange, ...]]:
    """Yield the ways in which operations could be annotated to have what they lack."""
    events, name = view.graph.events, lack_name(term)
    first, last = events[fact[0]], events[fact[-1]]
    if name.startswith("tag-compat") or name == "as-compat":
        one, other = (AnnotationChange(e.instruction, name, e.index, _untagged) for e in (first, last))
        yield from ((one,), (other,), (one, other))
    elif name == "through":
        instructions = {e.instruction: e.index for e in events if e.tags or e.one_as}
        yield tuple(AnnotationChange(i, name, e, _untagged) for i, e in instructions.items())
    elif name == "tagged":
        yield (AnnotationChange(first.instruction, name, first.index, _without(term.name), term.name),)
    elif name == "covers":
        yield (AnnotationChange(first.instruction, name, first.index, _covering(last.cell)),)
    elif name == "completes":
        yield (AnnotationChange(last.instruction, name, last.index, _completing(first.index)),)
    elif name == "perf":
        yield (AnnotationChange(first.instruction, name, first.index, _as_wide_as(last)),)
    else:
        level = next((level for level in view.graph.levels if level.word == name), None)
        edit = _widened(level) if level is not None else EDITS[name]
        yield (AnnotationChange(first.instruction, name, first.index, edit, name),)


def widening(event: Event, level: Level) -> AnnotationChange:
    """Return the change to a wider scope."""
    return AnnotationChange(event.instruction, level.word, event.index, _widened(level), level.word)


def least(
    view: ModelView, enough: Enough, kinds: Callable[[Event], bool] = lambda e: True
) -> tuple[AnnotationChange, ...] | None:
    """Return a set of changes that is enough, and none of which can be left out; None if no changes are.

    All operations of these kinds are annotated as strongly as can be; then what is dear is given up before what is
    cheap.
    """
    kept = [change for change in _strongest(view) if kinds(view.graph.events[change.event])]
    if not enough(kept):
        return None
    for change in tuple(kept):
        rest = [c for c in kept if c is not change]
        if enough(rest):
            kept = rest
    return tuple(_narrowed(view, kept, enough))


def _strongest(view: ModelView) -> list[AnnotationChange]:
    """Return every change of an annotation that strengthens it, the dearest first."""
    known, widest = lacks(view.model.levels), view.graph.levels[-1]
    found: dict[tuple[int, str, str], AnnotationChange] = {}
    for e in view.graph.events:
        if e.thread < 0 or not view.present >> e.index & 1 or e.kind not in ANNOTATED:
            continue
        for name, edit, what in _strengthenings(e, widest, view):
            found.setdefault((e.instruction, name, what), AnnotationChange(e.instruction, name, e.index, edit, what))
    return sorted(found.values(), key=lambda change: -known[change.lack].price)


ANNOTATED = (EventKind.READ, EventKind.WRITE, EventKind.FENCE, EventKind.MAKE_AVAILABLE, EventKind.MAKE_VISIBLE)


def _strengthenings(e: Event, widest: Level, view: ModelView) -> Iterator[tuple[str, Edit, str]]:
    access = e.kind in (EventKind.READ, EventKind.WRITE)
    make = e.kind in (EventKind.MAKE_AVAILABLE, EventKind.MAKE_VISIBLE)
    for prefix, suffix in sorted(e.tags):
        tag = f"{prefix}:{suffix}"
        if (prefix, suffix) == NONE_TAG or prefix != AV_PREFIX:
            yield "tagged", _without(tag), tag
    if e.one_as:
        yield "OneAs", EDITS["OneAs"], ""
    if make and e.covers is not None:
        yield "covers", _covering(*range(len(view.graph.cells))), ""
    if e.scope is not widest and (make or e.av or e.ordering is not Ordering.NOT_ATOMIC):
        yield widest.word, _widened(widest), widest.word
    if access and not e.ordering.at_least(Ordering.MONOTONIC):
        yield "RLX", EDITS["RLX"], ""
    if e.kind in (EventKind.WRITE, EventKind.FENCE) and not e.ordering.releases:
        yield "REL", EDITS["REL"], ""
    if e.kind in (EventKind.READ, EventKind.FENCE) and not e.ordering.acquires:
        yield "ACQ", EDITS["ACQ"], ""
    if (access or e.kind is EventKind.FENCE) and e.ordering is not Ordering.SEQ_CST:
        yield "SC", EDITS["SC"], ""


def _narrowed(view: ModelView, changes: Sequence[AnnotationChange], enough: Enough) -> list[AnnotationChange]:
    """Return the changes with each scope as narrow, and each ordering as weak, as the others let it be."""
    found = list(changes)
    for n, change in enumerate(found):
        for name, edit in _weaker(view, change):
            level = name if name in {level.word for level in view.graph.levels} else ""
            tried = AnnotationChange(change.instruction, name, change.event, edit, level)
            if enough([*found[:n], tried, *found[n + 1 :]]):
                found[n] = tried
                break
    return found


def _weaker(view: ModelView, change: AnnotationChange) -> Iterator[tuple[str, Edit]]:
    """Yield what is less than a change of a scope or an ordering, the least first."""
    event, levels = view.graph.events[change.event], list(view.graph.levels)
    if change.lack in {level.word for level in levels}:
        yield from ((level.word, _widened(level)) for level in levels[levels.index(event.scope) + 1 :])
    if change.lack in ("REL", "ACQ", "SC") and not event.ordering.at_least(Ordering.MONOTONIC):
        yield "RLX", EDITS["RLX"]
    if change.lack == "SC":
        sides = {"REL": (EventKind.WRITE, EventKind.FENCE), "ACQ": (EventKind.READ, EventKind.FENCE)}
        yield from ((name, EDITS[name]) for name, kinds in sides.items() if event.kind in kinds)


# ---------------------------------------------------------------- annotations


def _untagged(e: Event) -> Event:
    return replace(e, tags=frozenset(tag for tag in e.tags if tag[0] == AV_PREFIX), one_as=False)


def _without(text: str) -> Edit:
    return lambda e: replace(e, tags=frozenset(tag for tag in e.tags if f"{tag[0]}:{tag[1]}" != text))


def _covering(*cells: int) -> Edit:
    return lambda e: e if e.covers is None else replace(e, covers=e.covers | set(cells))


def _as_wide_as(other: Event) -> Edit:
    return lambda e: replace(e, footprint=other.footprint) if e.cell == other.cell else e


def _completing(end: int) -> Edit:
    return lambda e: replace(e, after=e.after | {end})


def _widened(level: Level) -> Edit:
    return lambda e: replace(e, scope=level)


def _ordered(wanted: Ordering) -> Edit:
    def edit(e: Event) -> Event:
        if e.ordering.at_least(wanted):
            return e
        both = {e.ordering, wanted} == {Ordering.ACQUIRE, Ordering.RELEASE}
        return replace(e, ordering=Ordering.ACQ_REL if both else wanted)

    return edit


EDITS: dict[str, Edit] = {
    "REL": _ordered(Ordering.RELEASE),
    "ACQ": _ordered(Ordering.ACQUIRE),
    "RLX": _ordered(Ordering.MONOTONIC),
    "NA": _ordered(Ordering.MONOTONIC),
    "SC": _ordered(Ordering.SEQ_CST),
    "AVI": lambda e: replace(e, av=e.kind in (EventKind.READ, EventKind.WRITE)),
    "OneAs": lambda e: replace(e, one_as=False),
}
"""What supplies a primitive that an operation lacks, or that it has and should not."""
