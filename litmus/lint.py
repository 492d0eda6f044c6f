"""What is allowed in a test but probably not meant.

What goes in: a checked test. What comes out: warnings, in the order of the text. Nothing here changes what a test
means;
a warning is about a word without effect, memory nobody writes, or a question that asks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.front.source import Diagnostic, Span, did_you_mean
from axmem.litmus import vulkan, walk
from axmem.litmus.cursor import Cursor
from axmem.litmus.layout import location_of
from axmem.litmus.lexer import tokens
from axmem.litmus.loop_metadata import GROUP, LOOP, PARALLEL, begins_with_itself
from axmem.litmus.loop_rules import loop_findings
from axmem.litmus.metadata import MetadataNode, Reference, definitions
from axmem.litmus.placement import single_lanes
from axmem.litmus.syntax import (
    AddressOf,
    AddressSpace,
    FinalValue,
    If,
    LitmusTest,
    Quantifier,
    Register,
    Statement,
    Thread,
    Truth,
)
from axmem.litmus.words import AMDGPU, AV_PREFIX, KNOWN_PREFIXES, KNOWN_TAGS, OperationKind, Ordering, Scope, tag_text

_ACCESS = re.compile(r"\b(?:load|store)\b")
EFFECTIVE_METADATA = frozenset({"mmra", "nontemporal", LOOP, GROUP, PARALLEL})


def warnings(test: LitmusTest) -> tuple[Diagnostic, ...]:
    """Return everything about a test that is allowed but probably not meant."""
    found = [
        *(finding for _, finding in _unknown_tags(test)),
        *_metadata(test),
        *_locations(test),
        *(warning for thread in test.threads for warning in _early_reads(thread)),
        *_lanes(test),
        *loop_findings(test),
        *_question(test),
        *_implied(test),
    ]
    located = (Diagnostic(test.source, span, message, hint, "warning") for span, message, hint in found)
    return tuple(sorted(dict.fromkeys(located), key=lambda d: (d.span.line, d.span.column)))


Finding = tuple[Span, str, str]


def misleading(test: LitmusTest) -> tuple[Diagnostic, ...]:
    """Return the warnings about what makes an answer mislead who means something else.

    They are about tags whose prefix is known and whose suffix is not, and accesses that an ordering makes atomic.
    """
    found = [finding for prefix, finding in _unknown_tags(test) if prefix in KNOWN_PREFIXES]
    said = (Diagnostic(test.source, *finding, "warning") for finding in (*found, *_implied(test)))
    return tuple(dict.fromkeys(said))


def _implied(test: LitmusTest) -> Iterator[Finding]:
    """Yield loads and stores with an ordering that are not called atomic, which LLVM refuses."""
    for _, statement in walk.located(test):
        mode = getattr(statement, "mode", None)
        if walk.kind_of(statement) not in (OperationKind.LOAD, OperationKind.STORE) or mode is None:
            continue
        word = _ACCESS.search(test.source.line(statement.span.line).partition("#")[0])
        if mode.ordering is Ordering.NOT_ATOMIC or word is None or "atomic" in word.string:
            continue
        what = f"'{mode.ordering.value}' makes this {word[0]} atomic; LLVM refuses an ordering without 'atomic'"
        yield statement.span, what, f"write '{word[0]} atomic', or no ordering"


def _unknown_tags(test: LitmusTest) -> Iterator[tuple[str, Finding]]:
    """Yield the tags that look like known ones and are none, with their prefixes."""
    for _, statement in walk.located(test):
        for prefix, suffix in sorted(walk.tags_of(statement)):
            known = sorted(tag_text(tag) for tag in KNOWN_TAGS if tag[0] == prefix)
            if (prefix, suffix) in KNOWN_TAGS or vulkan.is_known((prefix, suffix)):
                continue
            hint = f"known: {', '.join(known)}" if known else did_you_mean(prefix, sorted(KNOWN_PREFIXES))
            if not hint:
                # Prefixes are free ([MMRA]); only one that looks like a known one is probably not meant.
                continue
            effect = "it opts out of nothing" if prefix == AV_PREFIX else "it is only compared with other tags"
            what = f"suffix '{suffix}' of {prefix}" if known else f"tag prefix '{prefix}'"
            yield prefix, (statement.span, f"no target knows the {what}: {effect}", hint)


def _metadata(test: LitmusTest) -> Iterator[Finding]:
    """Yield metadata without effect and nodes that contain themselves; other tools' texts have what these need."""
    words, _ = tokens(test.source)
    if not any(token.kind == "test" for token in words):
        return
    cursor = Cursor(test.source, words, [])
    for index, token in enumerate(words[1:], 1):
        named = token.kind == "metadata" and not token.value.isdigit()
        if named and token.value not in EFFECTIVE_METADATA and words[index - 1].kind not in ("newline", "{"):
            yield token.span, f"metadata '!{token.value}' has no effect here", ""
    for name, node in definitions(cursor).items():
        if _mentions(node, name) and not begins_with_itself(name, node):
            yield node.span, f"metadata '!{name}' contains itself, which adds nothing", "another number may be meant"


def _mentions(node: MetadataNode, name: str) -> bool:
    return any(
        item.name == name if isinstance(item, Reference) else isinstance(item, MetadataNode) and _mentions(item, name)
        for item in node.items
    )


def unused(test: LitmusTest) -> frozenset[str]:
    """Return the names of the locations that nothing uses."""
    return frozenset(location.name for location in test.locations) - _uses(test)[0] - _observed(test)


def _observed(test: LitmusTest) -> set[str]:
    """Return the names of the locations whose final values are asked for."""
    return {o.location for o in walk.observed(test) if isinstance(o, FinalValue)}


def _locations(test: LitmusTest) -> Iterator[Finding]:
    """Yield locations that nothing uses, and uninitialised ones that are read but never written."""
    _, read, written = _uses(test)
    nobodys, observed = unused(test), _observed(test)
    indirect = any(_through_register(s) for _, s in walk.located(test))
    for location in test.locations:
        name = location.name
        if name in nobodys:
            yield location.span, f"location '{name}' is not used", ""
        elif location.initial is None and name in read | observed and name not in written and not indirect:
            hint = f"every read of it gives undef; write {location.space.name.lower()} {name} = 0 to begin with 0"
            yield location.span, f"'{name}' is read, but has no initial value and no thread writes it", hint


def _uses(test: LitmusTest) -> tuple[set[str], set[str], set[str]]:
    """Return the locations that are mentioned, read and written by name."""
    used = {p.location for loc in test.locations if loc.initial is not None for p in walk.parts(loc.initial)
            if isinstance(p, AddressOf)}  # fmt: skip
    for kernel in test.kernels:
        given = (value for parameter in kernel.parameters for value in parameter.values)
        used |= {p.location for value in given for p in walk.parts(value) if isinstance(p, AddressOf)}
    read: set[str] = set()
    written: set[str] = set()
    for _, statement in walk.located(test):
        used |= {p.location for e in walk.expressions(statement) for p in walk.parts(e) if isinstance(p, AddressOf)}
        for names, found in ((read, walk.places_read), (written, walk.places_written)):
            names |= {name for address in found(statement) if (name := location_of(address)) is not None}
    return used, read, written


def _through_register(statement: Statement) -> bool:
    """Say whether a statement writes through a pointer that a register holds."""
    return any(location_of(address) is None for address in walk.places_written(statement))


def _early_reads(thread: Thread) -> Iterator[Finding]:
    """Yield registers that are read before anything is assigned to them, and so hold 0."""
    reported: set[str] = set()

    def visit(body: tuple[Statement, ...], assigned: set[str]) -> Iterator[Finding]:
        for statement in body:
            for expr in walk.expressions(statement):
                for part in walk.parts(expr):
                    if isinstance(part, Register) and part.name not in assigned | reported:
                        reported.add(part.name)
                        hint = "on some path nothing has been assigned to it"
                        yield part.span, f"register '{part.name}' may be read before it is assigned; it holds 0", hint
            if isinstance(statement, If):
                branches = [set(assigned), set(assigned)]
                yield from visit(statement.then, branches[0])
                yield from visit(statement.otherwise, branches[1])
                assigned |= branches[0] & branches[1]
            assigned |= set(walk.results(statement))

    yield from visit(thread.body, set())


def _lanes(test: LitmusTest) -> Iterator[Finding]:
    """Yield LDS that threads of different workgroups mention: each workgroup has an instance of its own."""
    lds = {loc.name for loc in test.locations if loc.space is AddressSpace.LDS and test.levels == AMDGPU}
    groups: dict[str, set[tuple[int | None, ...]]] = {}
    first: dict[str, Span] = {}
    for thread in single_lanes(test):
        place = thread.placement
        for statement in walk.statements(thread.body):
            for expr in walk.expressions(statement):
                for part in walk.parts(expr):
                    if isinstance(part, AddressOf) and part.location in lds:
                        groups.setdefault(part.location, set()).add(place.instance(Scope.WORKGROUP))
                        if len(groups[part.location]) > 1:
                            first.setdefault(part.location, part.span)
    for name, span in first.items():
        yield span, f"LDS '{name}' is used by threads of different workgroups", "give the threads one workgroup"


def _question(test: LitmusTest) -> Iterator[Finding]:
    """Yield a condition that mentions nothing, where something is expected of it.

    Whether there is an execution at all, and whether behaviour is undefined, are questions that `exists (true)` asks.
    """
    condition = test.condition
    constant = not isinstance(condition, Truth) and not any(True for _ in walk.comparisons(condition))
    asked = isinstance(condition, Truth) and condition.span.line > 0
    if asked and any(e.verdict in ("never", "undefined") for e in test.expectations):
        return
    plain = test.quantifier is Quantifier.EXISTS and condition == Truth(True)
    if constant or asked or (plain and test.expectations):
        span = condition.span if condition.span.line else test.expectations[0].span
        yield span, "the condition mentions no register and no location", "its verdict says nothing about the program"
