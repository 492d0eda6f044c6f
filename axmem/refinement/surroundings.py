"""Every context of a test before and after a change, as families of programs.

What goes in: `PairedRows`, the number of operations that each thread of the context has, a space. What comes out: a
`ProgramPair` (`axmem.families.changes`): the rows as they are, fixed before and after, and beside them threads of any
operations of the space on the places that the rows access, wherever they stand in the hierarchy; and the text of the
test that a solution is. What is compared is what all reads return, and memory at last. Invariant: what the rows do is
fixed by constants of the circuit, so that nothing but the context, its places and executions is left open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.values import Constant, Expr, Undef, reads_of
from axmem.families.attributes import FENCE_TAGS, Attributes, in_reach
from axmem.families.bound import MAKES, UNORDERED, Bound
from axmem.families.changes import ProgramPair, any_operation
from axmem.families.decoding import chosen_operation, place_of, suffixes_of
from axmem.families.execution import Substitution
from axmem.families.printed import program_text
from axmem.families.programs import statement
from axmem.families.skeleton import Skeleton
from axmem.families.symmetry import in_order
from axmem.families.vocabulary import Compatibility, SymbolicProgram
from axmem.front.records import dataclass, replace
from axmem.front.source import InputError
from axmem.front.typing import override
from axmem.litmus import syntax as ast
from axmem.litmus.resolution import resolve
from axmem.litmus.words import (
    AV_PREFIX,
    KNOWN_PREFIXES,
    NONE_TAG,
    PLACED,
    AddressSpace,
    OperationKind,
    Ordering,
    Scope,
)
from axmem.refinement.paired import PairedRows, PairedThread, Slot, is_plain
from axmem.refinement.rows import Phase, Step, Winding

OPEN = "context"
"""The prefix of tags of the context of which nothing is known but with which others they are compatible."""
ELSE = "else"
"""A suffix that the rows do not have, for each prefix that they have."""

APART = 1000
"""Above every number of an instance that a test mentions."""


Write = Callable[[Sequence[ast.Thread], str, bool], str]
"""Writes a test of a name with threads of a context beside what it is about, before or after the change."""


@dataclass(slots=True)
class _Known(Compatibility):
    """Compatibilities in which the tags of the first operations are known by name, those of the others open."""

    fixed: int = 0

    @override
    def between(self, slots: Sequence[Attributes], i: int, j: int) -> int:
        if self.skeleton.bound.any_tags and min(i, j) < self.fixed:
            return TRUE
        return Compatibility.between(self, slots, i, j)


class Surroundings:
    """The rows with threads of a context that have so many operations each."""

    def __init__(self, rows: PairedRows, context: Sequence[int], space: Bound, write: Write | None = None) -> None:
        self.rows = rows
        self.write = write
        self.threads = [t for t in rows.threads if t.slots]
        self.fixed = [(t, slot) for t in self.threads for slot in t.slots]
        self.space = _widened(space, rows, [t.placement for t in self.threads])
        self.skeleton = Skeleton(self.space, (*(len(t.slots) for t in self.threads), *context), Circuit())
        self._places(space)

    # ------------------------------------------------------------ the programs

    def pair(self, space: Bound) -> ProgramPair:
        """Return the programs before and after; `space` is that of the context's operations."""
        skeleton = self.skeleton
        free = [any_operation(skeleton, k) for k in range(len(self.fixed), len(skeleton.slots))]
        for a in free:
            self._narrowed(a, space)
        compatibility = _Known(skeleton, fixed=len(self.fixed))
        programs = []
        for after in (False, True):
            slots = [*(self._known(slot, after) for _, slot in self.fixed), *free]
            in_reach(skeleton, slots)
            order, phases = self._order(after), self._phases(after)
            # Before, a write that depends on what is read justifies no undef; after, it justifies any.
            guarded = frozenset[int]() if after else self._guarded()
            stored = self._dependent(after)
            program = SymbolicProgram(
                skeleton, slots, compatibility, order, phases=phases, guarded=guarded, dependent=stored
            )
            programs.append(program)
        in_order(skeleton, programs[0].slots, range(len(self.threads), len(skeleton.threads)), falling=True)
        return ProgramPair(programs[0], programs[1], self._substitution(), self.text)

    def _known(self, slot: Slot, after: bool) -> Attributes:
        """Return the operation of a row, of which nothing is open."""
        step = slot.side(after)
        a = self._attributes(step or slot.side(not after))
        return a if step is not None else replace(a, present=FALSE)

    def _attributes(self, step: Step | None) -> Attributes:
        assert step is not None
        operation, bound = step.operation, self.space
        plain, scoped = Ordering.NOT_ATOMIC, operation.kind is not OperationKind.BARRIER
        orderings = {o: _truth(o is operation.ordering) for o in (*bound.orderings, plain)}
        named = [tag for tag in operation.tags if tag[0] != AV_PREFIX]
        tags = (*bound.tags, NONE_TAG, *FENCE_TAGS)
        return Attributes(
            kinds={k: _truth(k is operation.kind) for k in bound.kinds},
            orderings=orderings,
            scopes={s: _truth(scoped and s is operation.scope) for s in (*bound.scopes, Scope.SYSTEM)},
            locations=tuple(_truth(k == operation.location) for k in self.skeleton.locations),
            av=_truth(operation.av),
            volatile=_truth(operation.volatile),
            tags={tag: _truth(tag in operation.tags) for tag in tags},
            tagging=_truth(bool(named)) if bound.any_tags else 0,
        )

    def _narrowed(self, a: Attributes, space: Bound) -> None:
        """Assert that an operation of the context is one of the space, which the rows may go beyond."""
        circuit = self.skeleton.circuit
        for kind, literal in a.kinds.items():
            if kind not in space.kinds:
                circuit.add(-literal)
        for ordering, literal in a.orderings.items():
            if ordering not in space.orderings and ordering is not Ordering.NOT_ATOMIC:
                circuit.add(-literal)
        if Ordering.NOT_ATOMIC not in space.orderings:
            circuit.add(-a.plain, a.kind(circuit, *MAKES))
        for scope, literal in a.scopes.items():
            if scope not in space.scopes:
                circuit.add(-literal, a.plain)
                circuit.add(-literal, -a.av)

    def _places(self, space: Bound) -> None:
        """Assert where the rows' threads stand, and what their memory is."""
        skeleton, circuit = self.skeleton, self.skeleton.circuit
        for (t, one), (u, other) in combinations(enumerate(self.threads), 2):
            for level in PLACED:
                together = one.placement.instance(level) == other.placement.instance(level)
                literal = skeleton.same(level, t, u)
                circuit.add(literal if together else -literal)
        for k, place in enumerate(self.rows.places):
            lds, initialised = skeleton.lds[k], skeleton.initialised[k]
            circuit.add(lds if place.space is AddressSpace.LDS else -lds)
            circuit.add(initialised if place.initial is not None else -initialised)

    def _order(self, after: bool) -> Callable[[int, int], int]:
        """Return the order of a side; what only the other side has stands last in its thread."""
        rank: dict[int, int] = {}
        base = 0
        for thread in self.threads:
            row = thread.after if after else thread.before
            rest = [k for k in range(len(thread.slots)) if k not in row]
            rank |= {base + k: place for place, k in enumerate((*row, *rest))}
            base += len(thread.slots)
        slots = self.skeleton.slots

        def order(i: int, j: int) -> int:
            same = slots[i].thread == slots[j].thread
            return _truth(same and rank.get(i, slots[i].position) < rank.get(j, slots[j].position))

        return order

    def _phases(self, after: bool) -> dict[int, Phase]:
        """Return where barriers of a side meet."""
        steps = ((k, slot.side(after)) for k, (_, slot) in enumerate(self.fixed))
        return {k: step.phase for k, step in steps if step is not None and step.phase is not None}

    def _guarded(self) -> frozenset[int]:
        """Return the operations before that write only if they read what they ask for."""
        return frozenset(k for k, (_, slot) in enumerate(self.fixed) if slot.before and slot.before.guarded)

    def _dependent(self, after: bool) -> frozenset[tuple[int, int]]:
        """Return the operations of a side whose reads decide what others write, each with such a one."""
        steps = [slot.side(after) for _, slot in self.fixed]
        reading = {step.read: k for k, step in enumerate(steps) if step is not None and step.read >= 0}
        return frozenset(
            (reading[read], k)
            for k, step in enumerate(steps)
            if step is not None and step.value is not None
            for read in reads_of(step.value)
        )

    # ------------------------------------------------------------ what goes and what stands for it

    def _substitution(self) -> Substitution:
        reading: dict[int, int] = {}
        forwarded: dict[int, int] = {}
        writing: dict[int, int] = {}
        idle = set()
        base = 0
        for thread in self.threads:
            sources = {c.slot: c for c in thread.columns}
            for k, slot in enumerate(thread.slots):
                if slot.before is None:
                    continue
                source, kind = sources.get(k), slot.before.operation.kind
                event = self.skeleton.reading(base + k) if slot.before.operation.reads else -1
                standing = source.source if source is not None else None
                if isinstance(standing, int):
                    if standing != k:
                        reading[event] = self.skeleton.reading(base + standing)
                elif standing is not None:
                    forwarded[event] = self.skeleton.writing(base + _stored(thread, k, standing))
                elif slot.after is None and kind is OperationKind.LOAD:
                    if not is_plain(slot.before):
                        raise Winding("an atomic load goes, and nothing stands for it")
                    idle.add(event)
                if slot.after is None and kind is OperationKind.RMW:
                    raise Winding("a read-modify-write goes")
                if slot.after is None and kind is OperationKind.STORE and (over := _overwriting(thread, k)) is not None:
                    writing[self.skeleton.writing(base + k)] = self.skeleton.writing(base + over)
            base += len(thread.slots)
        return Substitution(reading, forwarded, writing, frozenset(idle))

    # ------------------------------------------------------------ as a test

    def text(self, program: SymbolicProgram, truth: Mapping[int, bool], name: str, after: bool) -> str:
        """Return the test that a solution is, before or after the change."""
        context = self._context(program, truth)
        if self.write is not None:
            return self.write(context, name, after)
        threads = [_thread(t, self._body(t, after), self._place(k, truth)) for k, t in enumerate(self.threads)]
        return test_text(name, self.rows, [*threads, *context])

    def _context(self, program: SymbolicProgram, truth: Mapping[int, bool]) -> list[ast.Thread]:
        suffixes = suffixes_of([program], truth)
        taken = {t.name for t in self.rows.threads}
        free = len(self.fixed)
        found = []
        for k, size in enumerate(self.skeleton.threads[len(self.threads) :], len(self.threads)):
            body = [self._free(program.slots[free + i], free + i, truth, suffixes) for i in range(size)]
            label = next(n for n in (f"C{k - len(self.threads)}", f"context{k}") if n not in taken)
            found.append(ast.Thread(label, self._place(k, truth), tuple(body)))
            free += size
        return found

    def _place(self, thread: int, truth: Mapping[int, bool]) -> ast.Placement:
        """Return where a thread stands: numbers of our own, or beside the threads of the test as they are numbered."""
        place = place_of(self.skeleton, thread, truth.__getitem__)
        if self.write is None:
            return ast.Placement((*place, thread))
        numbers = [
            self.threads[first].placement.numbers[depth] if first < len(self.threads) else APART + first
            for depth, first in enumerate(place)
        ]
        return ast.Placement((*numbers, APART + thread))

    def _body(self, thread: PairedThread, after: bool) -> list[ast.Statement]:
        return body_of(self.rows, thread, after=after)

    def _free(
        self, a: Attributes, slot: int, truth: Mapping[int, bool], suffixes: Mapping[int, Sequence[str]]
    ) -> ast.Statement:
        operation = chosen_operation(a, truth.__getitem__)
        operation = replace(operation, tags=operation.tags | {(OPEN, s) for s in suffixes.get(slot, ())})
        place = self.rows.places[operation.location]
        value = ast.Number(fresh_value(self.rows) + slot, place.type)
        where = address_of(place.name) if self.write is None else place.address
        return statement(operation, f"r{slot}", value, where, place.type)


def _truth(fact: bool) -> int:
    return TRUE if fact else FALSE


def _stored(thread: PairedThread, k: int, value: Expr) -> int:
    """Return the slot of the store whose value a load that is gone has."""
    gone = thread.slots[k].before
    assert gone is not None
    for other in reversed(thread.before[: thread.before.index(k)]):
        step, left = thread.slots[other].before, thread.slots[other].after
        assert step is not None
        if step.operation.kind is OperationKind.STORE and step.operation.location == gone.operation.location:
            if left is not None and left.value == value:
                return other
            break
    raise Winding("a load becomes a value that no store before it has written")


def _overwriting(thread: PairedThread, k: int) -> int | None:
    """Return the slot of the next store to the place of one that goes."""
    gone = thread.slots[k].before
    assert gone is not None
    for other in thread.before[thread.before.index(k) + 1 :]:
        step, left = thread.slots[other].before, thread.slots[other].after
        assert step is not None
        same = step.operation.location == gone.operation.location
        if same and left is not None and step.operation.kind is OperationKind.STORE:
            return other
    return None


def _widened(space: Bound, rows: PairedRows, placements: Sequence[ast.Placement]) -> Bound:
    """Return a space that has the rows' operations, memory and threads besides those of the context."""
    used = [step.operation for step in rows.steps]
    for operation in used:
        for prefix, suffix in operation.tags:
            fence = operation.kind is OperationKind.FENCE and (prefix, suffix) in FENCE_TAGS
            if prefix in KNOWN_PREFIXES and not fence and (prefix, suffix) != NONE_TAG:
                raise Winding(f"families of programs do not have the tag {prefix}:{suffix} there")
    known = {NONE_TAG, *FENCE_TAGS}
    tags = {tag for operation in used for tag in operation.tags} - known
    alphabet = dict.fromkeys((*space.tags, *sorted(tags), *((prefix, ELSE) for prefix, _ in sorted(tags))))
    met = {one.meeting(other) for one, other in combinations(placements, 2)} & set(PLACED)
    return replace(
        space,
        kinds={*space.kinds, *(o.kind for o in used)},
        orderings={*space.orderings, *(o.ordering for o in used if o.kind not in UNORDERED)},
        scopes={*space.scopes, *(o.scope for o in used)},
        levels={*space.levels, *met},
        locations=len(rows.places),
        tags=tuple(alphabet),
        synchronize_as=space.synchronize_as or any(o.tags & set(FENCE_TAGS) for o in used),
        none=space.none or any(NONE_TAG in o.tags for o in used),
        av=space.av or any(o.av for o in used),
        volatile=space.volatile or any(o.volatile for o in used),
        volatile_atomics=space.volatile_atomics or any(o.volatile for o in used),
        guards=any(step.guarded or (step.value and reads_of(step.value)) for step in rows.steps),
        lds=any(p.space is AddressSpace.LDS for p in rows.places),
        uninitialised=any(p.initial is None for p in rows.places),
        finals=True,
    )


# ---------------------------------------------------------------- tests


def fresh_value(rows: PairedRows) -> int:
    """Return a number above everything that the rows write."""
    written = [step.value.value for step in rows.steps if isinstance(step.value, Constant)]
    known = [v for v in (*written, *(p.initial for p in rows.places)) if isinstance(v, int)]
    return max((v for v in known if v < 1 << 16), default=0) + 1


def body_of(rows: PairedRows, thread: PairedThread, *, after: bool) -> list[ast.Statement]:
    """Return the statements of a row; every instance of a register that is compared is one of its own."""
    names = {c.slot: c.instance.name for c in thread.columns if not after}
    extra: list[ast.Statement] = []
    if after:
        for c in thread.columns:
            if not isinstance(c.source, int):
                load = thread.slots[c.slot].before
                assert load is not None
                type_ = rows.places[load.operation.location].type
                extra.append(ast.Assign(c.instance.name, _value(c.source, type_)))
            elif c.source in names:
                extra.append(ast.Assign(c.instance.name, ast.Register(names[c.source])))
            else:
                names[c.source] = c.instance.name
    found: list[ast.Statement] = []
    for k in thread.after if after else thread.before:
        step = thread.slots[k].side(after)
        assert step is not None
        if step.phase is not None:
            found.append(ast.Barrier(f"b{step.phase.object}"))
            continue
        place = rows.places[step.operation.location]
        value = _value(step.value or Constant(0), place.type)
        found.append(statement(step.operation, names.get(k, f"idle{k}"), value, address_of(place.name), place.type))
    return [*found, *extra]


def address_of(name: str) -> ast.Address:
    """Return the address of a scalar that is a location of its own."""
    return ast.Address(ast.AddressOf(name))


def _value(value: Expr, type_: ast.Type) -> ast.Expr:
    assert isinstance(value, Constant)
    return ast.UndefValue(type_) if isinstance(value.value, Undef) else ast.Number(value.value, type_)


def _thread(thread: PairedThread, body: Sequence[ast.Statement], place: ast.Placement) -> ast.Thread:
    return ast.Thread(thread.name, place, tuple(body))


def test_text(name: str, rows: PairedRows, threads: Sequence[ast.Thread]) -> str:
    """Return the text of a test of straight threads over the rows' memory."""
    locations = tuple(
        ast.Location(p.name, p.space, p.type, None if p.initial is None else _value(Constant(p.initial), p.type))
        for p in rows.places
    )
    test, diagnostics = resolve(ast.LitmusTest(name, "", locations, tuple(threads)))
    if diagnostics:
        raise InputError(diagnostics)
    return program_text(test)
