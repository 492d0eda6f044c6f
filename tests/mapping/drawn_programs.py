"""Random programs that contain a given operation, for what the tests of the suite do not ask.

What goes in: an operation in the words of a table of necessity (`store release agent global`), a number. What comes
out: the text of a test, the same for the same number: two or three threads anywhere within the reach of the
operation's scope. Most pass a message, by any release and acquire, in memory of any path, perhaps through a third
thread, with accesses of every kind before and after; the others are whatever comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from axmem.litmus.words import SPACE_NAMES, OperationKind, Ordering

LEVELS = ("workgroup", "agent", "system")
DATA, FLAGS, IN_LDS = "x", ("y", "z"), ("t", "u")
"""Locations of what is handed over and of what says so; LDS has both."""
POINTERS = {DATA: "g", FLAGS[0]: "h", FLAGS[1]: "i"}
"""Where a flat access takes its address from."""
ACQUIRES = (Ordering.ACQUIRE, Ordering.ACQ_REL, Ordering.SEQ_CST)
RELEASES = (Ordering.RELEASE, Ordering.ACQ_REL, Ordering.SEQ_CST)
FAILURES = {Ordering.ACQUIRE: "acquire", Ordering.ACQ_REL: "acquire", Ordering.SEQ_CST: "seq_cst"}
LOADS = (OperationKind.LOAD, OperationKind.AV_LOAD)
STORES = (OperationKind.STORE, OperationKind.AV_STORE)
UPDATES = (OperationKind.RMW, OperationKind.CMPXCHG)
DRAWN = (*LOADS, *STORES, *UPDATES, OperationKind.FENCE)


@dataclass(frozen=True, slots=True)
class Wish:
    """An operation: what, how ordered, over which scope, where, with which result and tag."""

    kind: OperationKind
    ordering: Ordering = Ordering.NOT_ATOMIC
    scope: str = ""
    space: str = "global"
    result: bool = True
    tag: str = ""

    @property
    def level(self) -> str:
        """The level of the scope, for both or one of the address spaces."""
        return self.scope.removesuffix("-one-as")

    @property
    def mode(self) -> str:
        """The scope and the ordering as they are written behind an operation."""
        word = {"system": "", "system-one-as": "one-as"}.get(self.scope, self.scope)
        named = [f'syncscope("{word}")'] if word or self.kind in (OperationKind.AV_LOAD, OperationKind.AV_STORE) else []
        return " ".join([*named, *([self.ordering.value] if self.ordering is not Ordering.NOT_ATOMIC else [])])


def wish_of(operation: str) -> Wish:
    """Return an operation that a table names. Raises ValueError for one that no program is drawn for."""
    words = operation.split()
    if words[0] not in DRAWN:
        raise ValueError(f"no program is drawn for '{operation}'")
    found = Wish(OperationKind(words.pop(0)), result=False, space="")
    for word in words:
        if word in {ordering.value for ordering in Ordering}:
            found = replace(found, ordering=Ordering(word))
        elif word in SPACE_NAMES.values():
            found = replace(found, space=word)
        elif word == "(result)":
            found = replace(found, result=True)
        elif ":" in word:
            found = replace(found, tag=word)
        else:
            found = replace(found, scope=word)
    return found


def program(operation: str, number: int) -> str:
    """Return a test that contains an operation."""
    return _Program(Random(f"{operation} {number}"), wish_of(operation)).text(f"drawn-{number}")


class _Program:
    """A test on its way."""

    def __init__(self, rng: Random, wish: Wish) -> None:
        self.rng = rng
        self.wish = wish
        self.level = wish.level if wish.level in LEVELS else rng.choice(LEVELS)
        count = rng.choice((2, 2, 3))
        self.places = [(0, 0, 0)]
        while len(self.places) < count:
            self.places.append(self._place())
        self.near = len({place[:2] for place in self.places}) == 1 and (wish.space == "lds" or rng.random() < 0.5)
        self.registers = self.values = 0

    def _place(self) -> tuple[int, int, int]:
        """Return a place for one more thread, within the reach of the scope of another."""
        agent, group, wave = self.rng.choice(self.places)
        step = "workgroup" if self.wish.space == "lds" else self.rng.choice(LEVELS[: LEVELS.index(self.level) + 1])
        new = len(self.places)
        return {"workgroup": (agent, group, wave + new), "agent": (agent, new, 0), "system": (new, 0, 0)}[step]

    def text(self, name: str) -> str:
        """Return the whole test."""
        threads = self._passing() if self.rng.random() < 0.7 else self._free()
        used = set(" ".join(line for body in threads for line in body).replace(",", " ").split())
        lines = [f"litmus {name}", *(f"lds {v} = 0" for v in IN_LDS if v in used)]
        pointed = [(v, p) for v, p in POINTERS.items() if p in used]
        lines += [f"global {v} = 0" for v, p in POINTERS.items() if v in used or p in used or v == DATA]
        lines += [f"global ptr {p} = &{v}" for v, p in pointed]
        for k, (body, place) in enumerate(zip(threads, self.places, strict=True)):
            lines += [f"thread P{k} @ agent {place[0]}, workgroup {place[1]}, wavefront {place[2]} {{", *body, "}"]
        return "\n".join([*lines, *([f"observe {DATA}"] * (self.rng.random() < 0.4)), ""])

    # ------------------------------------------------------------ shapes

    def _passing(self) -> list[list[str]]:
        """Return threads of which each hands over to the next; the operation is put where it can be."""
        rng, wish, last = self.rng, self.wish, len(self.places) - 1
        role = rng.choice(list(self._roles(last)))
        flags = [self._flag(k, wished=role in (("release", k), ("acquire", k + 1))) for k in range(last)]
        bodies = []
        for k in range(last + 1):
            body, register = [], ""
            if k:
                lines, register = self._acquire(flags[k - 1], wish if role == ("acquire", k) else None)
                body += lines
            accesses = [self._data(register) for _ in range(rng.choice((0, 1, 1) if 0 < k < last else (1, 1, 2)))]
            if role == ("access", k):
                accesses.insert(rng.randrange(len(accesses) + 1), self._operation(wish, "", register))
            body += [line for lines in accesses for line in lines]
            if k < last:
                body += self._release(flags[k], wish if role == ("release", k) else None)
            bodies.append(body)
        return bodies

    def _roles(self, last: int) -> Iterator[tuple[str, int]]:
        """Yield what the operation may be, in which thread: what sets a flag, what reads one, an access beside."""
        wish = self.wish
        for k in range(last):
            if wish.kind not in LOADS and wish.ordering in (*RELEASES, Ordering.MONOTONIC):
                yield "release", k
            if wish.kind not in STORES and wish.ordering in (*ACQUIRES, Ordering.MONOTONIC):
                yield "acquire", k + 1
        if wish.kind is not OperationKind.FENCE:
            yield from (("access", k) for k in range(last + 1))

    def _free(self) -> list[list[str]]:
        """Return threads of any operations."""
        rng = self.rng
        lengths = [rng.randrange(1, 4 if len(self.places) == 2 else 3) for _ in self.places]
        chosen = rng.randrange(len(lengths))
        at = rng.randrange(lengths[chosen])
        bodies = []
        for k, length in enumerate(lengths):
            body = []
            for j in range(length):
                place = rng.choice((DATA, FLAGS[0]))
                if (k, j) == (chosen, at):
                    body += self._operation(self.wish, place if self.wish.space in ("global", "generic") else "", "")
                elif self.wish.kind is OperationKind.FENCE or rng.random() < 0.8:
                    body += self._atomic(self._space(), place)
                else:
                    body += [self._fence(rng.choice((*RELEASES, Ordering.ACQUIRE)))]
            bodies.append(body)
        return bodies

    # ------------------------------------------------------------ parts of a thread

    def _flag(self, number: int, *, wished: bool) -> tuple[str, str]:
        """Return where a flag is: the path to it, and the location."""
        space = self.wish.space if wished and self.wish.space else self._space()
        return space, (IN_LDS if space == "lds" else FLAGS)[number]

    def _space(self) -> str:
        words = ["global"] * 4 + ["lds"] * (2 * self.near) + ["generic"]
        return self.rng.choice(words)

    def _release(self, flag: tuple[str, str], wish: Wish | None) -> list[str]:
        """Return what sets a flag to 1, releasing."""
        rng, (space, place) = self.rng, flag
        if wish and wish.kind is OperationKind.FENCE:
            return [self._fence_of(wish), *self._operation(self._mono(OperationKind.STORE, space), place, "", 1)]
        if wish and wish.ordering is not Ordering.MONOTONIC:
            return self._operation(wish, place, "", 1)
        if wish:
            return [self._fence(rng.choice(RELEASES)), *self._operation(wish, place, "", 1)]
        kind = rng.choice((OperationKind.STORE, OperationKind.STORE, *UPDATES))
        orderings = RELEASES if kind in UPDATES else (Ordering.RELEASE, Ordering.SEQ_CST)
        if rng.random() < 0.25:
            return [self._fence(rng.choice(RELEASES)), *self._operation(self._mono(kind, space), place, "", 1)]
        wish = Wish(kind, rng.choice(orderings), self.level, space, rng.random() < 0.5, self._tag(kind))
        return self._operation(wish, place, "", 1)

    def _acquire(self, flag: tuple[str, str], wish: Wish | None) -> tuple[list[str], str]:
        """Return what reads a flag, acquiring, and the register that has its value."""
        rng, (space, place) = self.rng, flag
        fence = []
        kind = rng.choice((OperationKind.LOAD, OperationKind.LOAD, *UPDATES))
        orderings = ACQUIRES if kind in UPDATES else ACQUIRES[::2]
        read = Wish(kind, rng.choice(orderings), self.level, space, tag=self._tag(kind))
        if wish and wish.kind is OperationKind.FENCE:
            read, fence = self._mono(OperationKind.LOAD, space), [self._fence_of(wish)]
        elif wish:
            read, fence = wish, [self._fence(rng.choice(ACQUIRES))] if wish.ordering is Ordering.MONOTONIC else []
        elif rng.random() < 0.25:
            read, fence = self._mono(kind, space), [self._fence(rng.choice(ACQUIRES))]
        lines = self._operation(read, place, "", 0)
        return [*lines, *fence], f"r{self.registers}" if read.kind in LOADS or read.result else ""

    def _data(self, register: str) -> list[str]:
        """Return an access of what is handed over; a plain store follows only if it was."""
        kind = self.rng.choice((OperationKind.LOAD, OperationKind.LOAD, OperationKind.STORE, OperationKind.STORE))
        space = self._space()
        if self.rng.random() < 0.3:
            return self._atomic(space, self.rng.choice((DATA, DATA, FLAGS[0])))
        return self._operation(Wish(kind, space=space), "", register)

    def _atomic(self, space: str, place: str) -> list[str]:
        """Return some atomic access."""
        kind = self.rng.choice((OperationKind.LOAD, OperationKind.STORE, *UPDATES))
        part = {OperationKind.LOAD: Ordering.ACQUIRE, OperationKind.STORE: Ordering.RELEASE}.get(kind, Ordering.ACQ_REL)
        ordering = self.rng.choice((Ordering.MONOTONIC, Ordering.MONOTONIC, part, Ordering.SEQ_CST))
        where = self.rng.choice(IN_LDS) if space == "lds" else place
        return self._operation(Wish(kind, ordering, self.level, space, self.rng.random() < 0.7), where, "")

    def _tag(self, kind: OperationKind) -> str:
        """Return what a release or an acquire opts out of, now and then."""
        return "amdgcn-av:none" if kind not in UPDATES and self.rng.random() < 0.15 else ""

    def _mono(self, kind: OperationKind, space: str) -> Wish:
        return Wish(kind, Ordering.MONOTONIC, self.level, space)

    def _fence(self, ordering: Ordering) -> str:
        return self._fence_of(Wish(OperationKind.FENCE, ordering, self.level))

    def _fence_of(self, wish: Wish) -> str:
        return f"fence {wish.mode}{f' # {wish.tag}' if wish.tag else ''}"

    # ------------------------------------------------------------ one operation

    def _operation(self, wish: Wish, place: str, register: str, value: int | None = None) -> list[str]:
        """Return the lines of an operation: `value` is what a flag becomes, 0 for one that is only read; plain stores
        come under the condition that a register is 1."""
        if wish.kind is OperationKind.FENCE:
            return [self._fence_of(wish)]
        before: list[str] = []
        where = place or (self.rng.choice(IN_LDS) if wish.space == "lds" else DATA)
        if wish.space == "generic":
            self.registers += 1
            pointer = f"p{self.registers}"
            before, where = [f"{pointer} = load {POINTERS[where]}"], pointer
        tag = f" # {wish.tag}" if wish.tag else ""
        line = f"{self._access(wish, where, value)} {wish.mode}".rstrip()
        line = f"{line} {FAILURES.get(wish.ordering, 'monotonic')}" if wish.kind is OperationKind.CMPXCHG else line
        plain = wish.kind is OperationKind.STORE and wish.ordering is Ordering.NOT_ATOMIC
        guarded = register and plain
        return [*before, f"if {register} == 1 {{ {line}{tag} }}" if guarded else line + tag]

    def _access(self, wish: Wish, where: str, value: int | None) -> str:
        """Return an operation without its mode."""
        typed = "i32 " if where.startswith("p") else ""
        atomic = "" if wish.ordering is Ordering.NOT_ATOMIC else " atomic"
        self.values += 1
        new = value if value else self.values % 3 + 1
        if wish.kind in LOADS:
            word = "load-visible" if wish.kind is OperationKind.AV_LOAD else f"load{atomic}"
            return f"{self._register()} = {word} {typed and 'i32, '}{where}"
        if wish.kind in STORES:
            word = "store-available" if wish.kind is OperationKind.AV_STORE else f"store{atomic}"
            return f"{word} {typed}{new}, {where}"
        if wish.kind is OperationKind.CMPXCHG:
            first, second = (1, 2) if value == 0 else (0, new)
            return f"{self._register()}, ok{self.registers} = cmpxchg {where}, {typed}{first}, {typed}{second}"
        update = "add" if value is not None or self.rng.random() < 0.5 else "xchg"
        result = f"{self._register()} = " if wish.result else ""
        return f"{result}atomicrmw {update} {where}, {typed}{new if value != 0 else 0}"

    def _register(self) -> str:
        self.registers += 1
        return f"r{self.registers}"
