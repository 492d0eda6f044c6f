"""Overrides: definitions and rules of a reading that stand in the place of others.

What goes in: the overrides of the files that a model reads, in the order of the text, and then the model's statements.
What comes out: for each statement what stands in its place. Invariants: an override replaces one definition or rule,
which stands below it; overrides of one name that different files give are ordered by `@after`. What breaks this is a
diagnostic at the override, whether the variants chosen ask for the override or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, Source, Span, did_you_mean
from axmem.model.cursor import Refusal
from axmem.model.scoping import free_names
from axmem.model.syntax import After, Binding, Check, Conditional, File, Let, Override, Statement, Undef

Target = tuple[str, bool]
"""The name that an override replaces, and whether it is that of a rule."""


@dataclass(frozen=True, slots=True)
class ElaboratedStatement:
    """A statement as it is elaborated: `sources` says which bindings of a `let` stand in other files than it does."""

    source: Source
    statement: Statement
    sources: Mapping[str, Source]


@dataclass(frozen=True, slots=True)
class Patch:
    """One override: what it replaces, the definitions that it brings along, and the file `reading` that has it.

    `active` says whether the variants chosen ask for it.
    """

    target: Target
    statement: Let | Check | Undef
    brought: tuple[Let, ...]
    source: Source
    reading: str
    active: bool

    @property
    def binding(self) -> Binding:
        """The definition of an override of one."""
        assert isinstance(self.statement, Let), self.statement
        return self.statement.bindings[0]

    @property
    def span(self) -> Span:
        """Where the name of the override stands, or the rule."""
        return self.binding.span if isinstance(self.statement, Let) else self.statement.span

    @property
    def is_own(self) -> bool:
        """Whether a model has it, and no reading."""
        return self.reading == self.source.name

    @property
    def resumes(self) -> bool:
        """Whether it speaks of what it replaces, by its name."""
        if not isinstance(self.statement, Let) or self.statement.recursive:
            return False
        name = self.binding.name
        return any(used.text == name for used in free_names(self.binding))

    def diagnostic(self, message: str, hint: str = "") -> Diagnostic:
        """Return a diagnostic at the override."""
        return Diagnostic(self.source, self.span, message, hint)


class Overrides:
    """The overrides of one elaboration, and what they have replaced."""

    def __init__(self) -> None:
        self._patches: dict[Target, list[Patch]] = {}
        self._after: dict[str, set[str]] = {}
        self._asked: list[tuple[Source, After]] = []
        self._met: dict[Target, tuple[str, Span]] = {}
        self.replaced: list[tuple[Source, Statement, tuple[ElaboratedStatement, ...]]] = []
        """The statements in whose places others stand, in the order of the text."""

    def add(self, source: Source, reading: str, given: Override, brought: tuple[Let, ...], active: bool) -> None:
        """Add an override of a file; `brought` are definitions that it needs."""
        inner = given.statement
        for statement in _single(inner) if isinstance(inner, Let) else (inner,):
            patch = Patch(_target(statement), statement, brought, source, reading, active)
            self._patches.setdefault(patch.target, []).append(patch)

    def order(self, source: Source, reading: str, after: After) -> None:
        """Note that the overrides of a file stand above those of others."""
        self._asked.append((source, after))
        self._after.setdefault(reading, set()).update(after.names)

    def places(self, source: Source, statement: Let | Check | Undef) -> tuple[ElaboratedStatement, ...]:
        """Return what stands in the place of a statement; raise Refusal for an override that does not fit it."""
        targets = [(b.name, False) for b in statement.bindings] if isinstance(statement, Let) else [_target(statement)]
        found = {target: self._active(target, source, statement.span) for target in targets if target in self._patches}
        if not any(found.values()):
            return (ElaboratedStatement(source, statement, {}),)
        if not isinstance(statement, Let):
            last = found[targets[0]][-1]
            out = (*_brought(last), ElaboratedStatement(last.source, last.statement, {}))
        elif len(statement.bindings) == 1 and not statement.recursive:
            out = tuple(_chain(source, statement, found[targets[0]]))
        else:
            out = _group(source, statement, {name: patches[-1] for (name, _), patches in found.items() if patches})
        self.replaced.append((source, statement, out))
        return out

    def _active(self, target: Target, source: Source, span: Span) -> list[Patch]:
        """Return the overrides of a name that the choice asks for, the one that counts last."""
        met = self._met.setdefault(target, (source.name, span))
        patches = [patch for patch in self._patches[target] if patch.active]
        if patches and met != (source.name, span):
            other = f"at {met[0]}:{met[1].line} and at {source.name}:{span.line}"
            message = f"`{target[0]}` is defined {other}: an override replaces one definition"
            raise Refusal(patches[0].diagnostic(message))
        ordered: list[Patch] = []
        for patch in patches:
            above = (i for i, other in enumerate(ordered) if self._is_after(other.reading, patch.reading))
            ordered.insert(next(above, len(ordered)), patch)
        return ordered

    def _is_after(self, one: str, other: str) -> bool:
        """Tell whether a file says, or those of which it says it, that its overrides stand above those of the other."""
        seen, stack = {one}, [one]
        while stack:
            for name in self._after.get(stack.pop(), ()):
                if name == other:
                    return True
                if name not in seen:
                    seen.add(name)
                    stack.append(name)
        return False

    def wrong(self, trees: Iterable[File], readings: Iterable[str]) -> Iterator[Diagnostic]:
        """Yield what is wrong with the overrides, once all files are read."""
        known = {*readings, *(patch.reading for patches in self._patches.values() for patch in patches)}
        for source, after in self._asked:
            for name in after.names:
                if name not in known:
                    yield Diagnostic(source, after.span, f"`@after` names `{name}`, which is no reading of this model",
                                     did_you_mean(name, known))  # fmt: skip
        if not self._patches:
            return
        defined = {target for tree in trees for target in _targets(tree.statements)}
        for target, patches in self._patches.items():
            name, rule = target
            for patch in patches:
                if target not in self._met and (patch.active or target not in defined):
                    what = "rule" if rule else "definition"
                    near = did_you_mean(name, {other for other, is_rule in defined if is_rule == rule})
                    hint = near or "an override stands above what it replaces, or above the `include` of it"
                    yield patch.diagnostic(f"this override replaces nothing: no {what} `{name}` follows", hint)
            yield from self._unordered(patches)

    def _unordered(self, patches: Sequence[Patch]) -> Iterator[Diagnostic]:
        for i, patch in enumerate(patches):
            for earlier in patches[:i]:
                name, (one, other) = patch.target[0], (earlier.reading, patch.reading)
                if one == other:
                    if patch.active and earlier.active:
                        place = f"{earlier.source.name}:{earlier.span.line}"
                        yield patch.diagnostic(f"`{name}` is replaced twice", f"at {place}, too")
                elif self._is_after(one, other) == self._is_after(other, one):
                    last, first = (one, other) if earlier.is_own else (other, one)
                    hint = f"say that it is the last: (** @after {first} *) in `{last}`"
                    yield patch.diagnostic(f"`{name}` is replaced by `{one}` and by `{other}`, without an order", hint)


def _single(statement: Let) -> tuple[Let, ...]:
    """Return a `let` as one for each of its definitions."""
    return tuple(replace(statement, bindings=(b,)) for b in statement.bindings)


def _target(statement: Let | Check | Undef) -> Target:
    if isinstance(statement, Let):
        return statement.bindings[0].name, False
    return statement.name, True


def _targets(statements: Iterable[Statement]) -> Iterator[Target]:
    """Yield what statements define, those of branches that are not taken included."""
    for statement in statements:
        match statement:
            case Let():
                yield from ((b.name, False) for b in statement.bindings)
            case Check() | Undef():
                yield statement.name, True
            case Conditional():
                yield from _targets((*statement.yes, *statement.no))
            case _:
                pass


def _brought(patch: Patch) -> list[ElaboratedStatement]:
    return [ElaboratedStatement(patch.source, statement, {}) for statement in patch.brought]


def _chain(source: Source, statement: Let, patches: Sequence[Patch]) -> Iterator[ElaboratedStatement]:
    """Yield the last override and, as far as each speaks of what it replaces, what was there before it."""
    first = next((i for i in reversed(range(len(patches))) if not patches[i].resumes), -1)
    if first < 0:
        yield ElaboratedStatement(source, statement, {})
    for patch in patches[max(first, 0) :]:
        _fit(statement.bindings[0], patch)
        yield from _brought(patch)
        yield ElaboratedStatement(patch.source, patch.statement, {})


def _group(source: Source, statement: Let, patches: Mapping[str, Patch]) -> tuple[ElaboratedStatement, ...]:
    """Return a `let … and …`, or a `let rec`, some of whose definitions are replaced."""
    before: list[ElaboratedStatement] = []
    bindings = []
    recursive = statement.recursive
    for binding in statement.bindings:
        patch = patches.get(binding.name)
        if patch is None:
            bindings.append(binding)
            continue
        _fit(binding, patch)
        before += _brought(patch)
        bindings.append(patch.binding)
        assert isinstance(patch.statement, Let), patch.statement
        recursive = recursive or patch.statement.recursive
    whole = replace(statement, bindings=tuple(bindings), recursive=recursive)
    return (*before, ElaboratedStatement(source, whole, {name: patch.source for name, patch in patches.items()}))


def _fit(binding: Binding, patch: Patch) -> None:
    """Refuse an override that takes other arguments than what it replaces."""
    old, new = (None if b.parameters is None else len(b.parameters) for b in (binding, patch.binding))
    if old != new:
        takes = "no arguments" if old is None else f"{old} argument{'' if old == 1 else 's'}"
        raise Refusal(patch.diagnostic(f"`{binding.name}`, which this replaces, takes {takes}"))
