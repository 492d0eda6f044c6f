"""Data races: which two accesses race in an execution, and what does not order them.

What goes in: the story of an execution under a model whose text says of a relation that its pairs race (`@race`). What
comes out: a section for each pair. A model in which a racing read is undef has no such relation: there the read says
why.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.events.graph import EventKind
from axmem.explanations.concrete import CitedRemark, Fact, ModelView
from axmem.explanations.names import enumeration
from axmem.explanations.statements import SentenceClaim, Statement
from axmem.explanations.story import Section, Story, section
from axmem.front.records import replace
from axmem.model.model import Model
from axmem.model.terms import Axiom

MOST = 4
"""Of how many pairs it is said what does not order them."""


def race_flags(model: Model) -> tuple[Axiom, ...]:
    """Return the flags of a model that report its races."""
    terms = {d.term for d in model.definitions if d.remark("race") is not None}
    return tuple(axiom for axiom in model.axioms if axiom.flag and axiom.term in terms)


def races(story: Story, where: str = "") -> tuple[Section, ...]:
    """Return a section for each two accesses of an execution that race; `where` says of which execution."""
    said = story.view.saying("race")
    pairs = dict.fromkeys((each.term, frozenset(fact)) for each in said for fact in story.view.facts(each.term))
    by_term = {each.term: each for each in said}
    told = list(pairs)[: MOST if len(pairs) > MOST + 1 else None]
    found = tuple(_race(story, by_term[term], _directed(story.view, pair), where) for term, pair in told)
    rest = len(pairs) - len(told)
    return (*found, Section(f"{rest} other pairs race{where}", ())) if rest else found


def _directed(view: ModelView, pair: frozenset[int]) -> Fact:
    """Return two accesses in the order that was missed: one that happens before the other, or a write, comes first."""
    happens = next(iter(view.saying("order")), None)
    first, last = sorted(pair)
    ways = ((first, last), (last, first))
    ordered = [way for way in ways if happens is not None and view.has(happens.term, way)]
    written = [way for way in ways if view.graph.events[way[0]].kind is not EventKind.READ]
    return (ordered or written or list(ways))[0]


def _race(story: Story, said: CitedRemark, pair: Fact, where: str) -> Section:
    first, last = (story.names.prose(e) for e in pair)
    facts = [fact for fact in (pair, pair[::-1]) if story.view.has(said.term, fact)]
    claim = SentenceClaim(said.term, facts[0], holds=True)
    by = story.words.cited(CitedRemark(said.definition, replace(said.remark, names=())))
    head = Statement(story.words.filled(said.text, pair), by, claims=(claim,))
    found = section(f"{first} and {last} race{where}", [head, *_unordered(story, said, pair)])
    # What sentences claim is claimed of the execution on display.
    return replace(found, statements=tuple(replace(s, claims=()) for s in found.statements)) if where else found


def _unordered(story: Story, said: CitedRemark, pair: Fact) -> Iterator[Statement]:
    """Yield what keeps two accesses from being ordered; of the orders that a remark names the one that others mend."""
    if not said.remark.names:
        yield from story.disorder(*pair)
        return
    orders = [o for o in story.orders if o.definition.name in said.remark.names]
    denials = [story.gaps.denial(order, pair) for order in orders]
    missing = [story.words.missing(order.term, pair) for order in orders]
    found = next(((d, m) for d, m in zip(denials, missing, strict=True) if m), None)
    if found is None:
        yield from denials
        yield story.gaps.hopeless(orders[-1].term, pair)
    else:
        yield found[0]
        yield from found[1]


def elsewhere(story: Story) -> str:
    """Return of which execution a section is that is not the one on display: what its reads read from."""
    sources = story.view.execution.rf.items()
    read = [f"{story.names[r]} reads from {story.names[w]}" for r, w in sources if w is not None and _inside(story, r)]
    return f" in another execution, in which {enumeration(read)}" if read else " in another execution"


def _inside(story: Story, read: int) -> bool:
    return story.view.graph.events[read].thread >= 0
