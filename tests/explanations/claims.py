"""What the sentences of an explanation say, checked by doing it.

Each sentence carries what it claims of the execution on display. A claim of what holds is evaluated; a claim of what a
change of annotations would do is tried by changing the statements of the program, and evaluating the events of that
program; where nothing is said to help, the strongest annotations of everything are tried, and some at random.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from random import Random

from axmem.check.results import outcomes
from axmem.events.graph import EventKind
from axmem.events.unroll import events_under
from axmem.explanations.concrete import ModelView
from axmem.explanations.explanation import ExplainedAnswer, Explanation
from axmem.explanations.mending import AnnotationChange, changed
from axmem.explanations.names import EventNames
from axmem.explanations.statements import SentenceClaim, Statement
from axmem.explanations.story import Section
from axmem.explanations.words import ExecutionWords
from axmem.front.records import replace
from axmem.litmus import walk
from axmem.litmus.edit import mapped, rewritten
from axmem.litmus.parser import with_condition
from axmem.litmus.syntax import LitmusTest, Make
from axmem.litmus.syntax import Statement as Operation
from axmem.litmus.words import AV_PREFIX, NONE_TAG, Ordering, SyncScope, tag_text
from axmem.repairs.strength import ANNOTATED, Annotated, Strength, annotated, strength_of

APART = " are not ordered with each other"
TRIES = 8
"""How many random annotations are tried of what is said to be without help."""


def false_sentences(test: LitmusTest, found: Explanation) -> Iterator[str]:
    """Yield what is not so of what an explanation says, with the sentence."""
    assert found.exhibit is not None
    view, names = found.exhibit.view, found.exhibit.names
    words, test = ExecutionWords(view, names), with_condition(test, found.question)
    for section in found.sections:
        for sentence in section.statements:
            if sentence.text.endswith(APART) and (order := _ordered_after_all(view, names, sentence.text)):
                yield f"{sentence.text}: {order} orders them"
            for claim in sentence.claims:
                if problem := _problem(test, view, claim):
                    yield f"{sentence.text}: {problem}"
            yield from _citation(words, sentence)
            if sentence.forbidding or sentence.hopeless:
                yield from (f"{sentence.text}: {p}" for p in _forbidden(test, view, sentence))
        yield from _still_undef(test, view, section)


def _forbidden(test: LitmusTest, view: ModelView, sentence: Statement) -> Iterator[str]:
    """Yield that changes do not forbid the outcome, or too many; or that some do where nothing is said to help."""
    changes = sentence.forbidding
    if sentence.hopeless:
        strongest = mapped(test, _strongest_if_annotated)
        allowed = outcomes(test, view.model).verdict in ("sometimes", "always")
        if allowed and outcomes(strongest, view.model).verdict == "never":
            yield "the strongest annotations forbid the outcome"
    elif not any(map(partial(_no_annotation, view), changes)):
        if (verdict := outcomes(with_changes(test, view, changes), view.model).verdict) != "never":
            yield f"with the changes the verdict is {verdict}"
        fewer = [[c for c in changes if c is not change] for change in changes]
        if any(outcomes(with_changes(test, view, some), view.model).verdict == "never" for some in fewer):
            yield "fewer changes forbid it, too"


def _ordered_after_all(view: ModelView, names: EventNames, text: str) -> str:
    """Return the order of two events that a sentence says nothing orders; empty if nothing does."""
    number = {names.prose(e.index): e.index for e in view.graph.events}
    a, b = (number[name] for name in text.removesuffix(APART).split(" and "))
    found = [o for o in view.saying("order") if view.has(o.term, (a, b)) or view.has(o.term, (b, a))]
    return found[0].definition.name if found else ""


def _citation(words: ExecutionWords, sentence: Statement) -> Iterator[str]:
    """Yield a sentence whose definition does not have what the sentence says, or has what it denies."""
    plain = [c for c in sentence.claims if not (c.changes or c.reads or c.hopeless)]
    if sentence.by is None or not plain or sentence.by.name not in words.view.definitions:
        return
    if not any(words.supports(sentence.by.name, c.fact, c.holds) for c in plain):
        yield f"{sentence.text}: {sentence.by.name} does not say so"


def _problem(test: LitmusTest, view: ModelView, claim: SentenceClaim) -> str:
    if claim.hopeless:
        return _help(test, view, claim)
    if not claim.changes and not claim.reads:
        return "" if _has(view, claim) is claim.holds else "it is not so"
    if any(map(partial(_no_annotation, view), claim.changes)):
        after: ModelView | None = changed(view, claim.changes, claim.reads)
    else:
        after = _again(with_changes(test, view, claim.changes), view, claim.reads)
    if after is None:
        return "the changed program has other events"
    return "" if _has(after, claim) is claim.holds else "the change does not do it"


def _no_annotation(view: ModelView, change: AnnotationChange) -> bool:
    """Tell whether no annotation of a statement is changed: the bytes of an access, a part of a DMA operation, what a
    wait waits for, or one address space of a fence, which is an event for each of them."""
    event = view.graph.events[change.event]
    spaces = event.one_as and sum(each.instruction == event.instruction for each in view.graph.events) > 1
    return change.lack in ("perf", "completes") or event.within is not None or spaces


def _has(view: ModelView, claim: SentenceClaim) -> bool:
    value = view.values[claim.term]
    if isinstance(value, tuple) and len(claim.fact) == 1:
        return bool(value and value[claim.fact[0]])
    return view.has(claim.term, claim.fact)


def _again(program: LitmusTest, view: ModelView, reads: Iterable[tuple[int, int]] = ()) -> ModelView | None:
    """Return the execution of a view as one of a changed program; None if that has other events."""
    graph = events_under(program, view.model)
    if [(e.kind, e.cell, e.thread) for e in graph.events] != [(e.kind, e.cell, e.thread) for e in view.graph.events]:
        return None
    rf = {**view.execution.rf, **{r: w for w, r in reads}}
    return ModelView(graph, view.model, replace(view.execution, rf=rf))


def _still_undef(test: LitmusTest, view: ModelView, section: Section) -> Iterator[str]:
    """Yield a read that is undef although everything is mended that is said to be missing."""
    claims = [c for s in section.statements for c in s.claims]
    changes = [change for c in claims for change in c.changes]
    if any(map(partial(_no_annotation, view), changes)) or any(_parts_writes(view, c) for c in claims):
        return
    if " returns undef " not in section.title or any(c.hopeless or c.reads for c in claims) or not changes:
        return
    after = _again(with_changes(test, view, changes), view)
    reads = {c.fact[-1] for c in claims if c.changes} & set(view.execution.rf)
    for read in reads if after is not None else ():
        said = [rule.name for rule in after.undef_reasons(read)] if after is not None else []
        if any(f"by {name}" in section.title for name in said):
            yield f"{section.title}: with everything that is missing it is undef by {' and '.join(said)}"


def idle_changes(test: LitmusTest, found: Explanation) -> Iterator[str]:
    """Yield a section whose changes, made together in the program, alter none of its outcomes."""
    if found.exhibit is None or found.answer is not ExplainedAnswer.ALLOWED:
        return
    view = found.exhibit.view
    for section in found.sections:
        changes = [c for s in section.statements for claim in s.claims for c in claim.changes]
        changes += [c for s in section.statements for c in s.forbidding]
        if changes and not any(map(partial(_no_annotation, view), changes)):
            after = outcomes(with_changes(test, view, changes), view.model)
            if set(after.outcomes) == set(outcomes(test, view.model).outcomes):
                yield f"{section.title}: what is said to be missing alters no outcome"


def _parts_writes(view: ModelView, claim: SentenceClaim) -> bool:
    """Tell whether a sentence says that two writes are not ordered with each other."""
    ordered = claim.term in {order.term for order in view.saying("order")}
    return ordered and not claim.holds and view.graph.events[claim.fact[-1]].kind is EventKind.WRITE


# ---------------------------------------------------------------- other annotations


def with_changes(test: LitmusTest, view: ModelView, changes: Iterable[AnnotationChange]) -> LitmusTest:
    """Return a program with the annotations that an explanation names, on its statements."""
    wanted: dict[walk.Path, list[AnnotationChange]] = {}
    for change in changes:
        wanted.setdefault(view.graph.events[change.event].path, []).append(change)

    def edit(path: walk.Path, statement: Operation | None) -> tuple[Operation, ...]:
        if statement is None:
            return ()
        for change in wanted.get(path, ()):
            assert isinstance(statement, ANNOTATED)
            statement = _changed(statement, view, change)
        return (statement,)

    return rewritten(test, edit)


def _changed(statement: Annotated, view: ModelView, change: AnnotationChange) -> Annotated:
    have = strength_of(statement)
    level = next((level for level in view.graph.levels if level.word == change.lack), None)
    scope = have.scope or SyncScope()
    if change.lack == "covers":
        assert isinstance(statement, Make)
        return replace(statement, address=None)
    if change.lack == "tagged":
        silent = have.silent and change.name != tag_text(NONE_TAG)
        have = replace(have, silent=silent, tags=frozenset(t for t in have.tags if f"{t[0]}:{t[1]}" != change.name))
    elif change.lack.startswith(("tag-compat", "as-compat", "through")):
        tags = frozenset(tag for tag in have.tags if tag[0] == AV_PREFIX)
        have = replace(have, tags=tags, scope=have.scope and replace(have.scope, one_as=False))
    elif change.lack == "OneAs":
        have = replace(have, scope=have.scope and replace(have.scope, one_as=False))
    elif level is not None:
        have = replace(have, scope=replace(scope, level=level))
    elif change.lack == "AVI":
        have = replace(have, av=True, scope=scope)
    elif change.lack == "SC":
        have = replace(have, ordering=Ordering.SEQ_CST, failure=_seq_cst(have.failure), scope=scope, av=False)
    elif change.lack == "ACQ" and view.graph.events[change.event].cas is not None:
        have = replace(have, failure=Ordering.ACQUIRE)
    else:
        have = replace(have, ordering=_stronger(have.ordering, ORDERINGS[change.lack]), scope=scope, av=False)
    return annotated(statement, have)


ORDERINGS = {
    "REL": Ordering.RELEASE, "ACQ": Ordering.ACQUIRE, "RLX": Ordering.MONOTONIC, "NA": Ordering.MONOTONIC,
}  # fmt: skip


def _stronger(have: Ordering, wanted: Ordering) -> Ordering:
    both = {have, wanted} == {Ordering.ACQUIRE, Ordering.RELEASE}
    return have if have.at_least(wanted) else Ordering.ACQ_REL if both else wanted


def _seq_cst(failure: Ordering) -> Ordering:
    return failure if failure is Ordering.NOT_ATOMIC else Ordering.SEQ_CST


def _strongest(statement: Annotated) -> Annotated:
    if isinstance(statement, Make):
        return replace(statement, address=None, scope=SyncScope(), tags=frozenset())
    have = strength_of(statement)
    strong = Strength(
        ordering=Ordering.SEQ_CST,
        av=False,
        scope=SyncScope(),
        volatile=have.volatile,
        failure=_seq_cst(have.failure),
        silent=False,
        tags=frozenset(),
    )
    return annotated(statement, strong)


def _perhaps_strongest(rng: Random, chance: float, statement: Operation) -> Operation:
    return _strongest(statement) if isinstance(statement, ANNOTATED) and rng.random() <= chance else statement


def _strongest_if_annotated(statement: Operation) -> Operation:
    """Return an operation with the strongest annotations, a plain access as it is."""
    plain = isinstance(statement, ANNOTATED) and strength_of(statement).ordering is Ordering.NOT_ATOMIC
    return _strongest(statement) if isinstance(statement, ANNOTATED) and not plain else statement


def _help(test: LitmusTest, view: ModelView, claim: SentenceClaim) -> str:
    """Return which annotations help where none are said to; nothing if none of those tried do."""
    rng = Random(f"{test.name} {claim.fact}")
    for chance in (1.0, *[0.6] * TRIES):
        after = _again(mapped(test, partial(_perhaps_strongest, rng, chance)), view)
        if after is not None and after.has(claim.term, claim.fact):
            return "other annotations do order them"
    return ""
