"""One function, and parts of it as functions of their own.

What goes in: a function as opt writes it. What comes out: where it may be cut, what a part reads, writes and returns,
and the function of a part. `Anchored` lines do more than to compute: they access memory, call, branch, or are labels.
Parts are ranges of them; what is computed stands with the part that needs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from axmem.front.records import dataclass, replace
from axmem.litmus.words import Ordering
from axmem.passes.modules import LOCAL, RESULT, ModuleFunction, defined, is_label, operands, said
from axmem.passes.skeleton import FLAGS, is_anchored

_MEMORY = re.compile(r"  (?:%[\w.$-]+ = )?(?:tail |musttail |notail )?(load|store|atomicrmw|cmpxchg|fence|call)\b")
_IDLE = re.compile(r"  %[\w.$-]+ = load (?!volatile|atomic volatile)(?!.* (?:monotonic|acquire|seq_cst), align)")
_POINTER = re.compile(r"\bptr(?: addrspace\(\d+\))? %([\w.$-]+)")
_WIDE = re.compile(r"  (?:%[\w.$-]+ = load|store) (?:atomic )?(?:volatile )?(?:<(\d+) x i32>|i64)[ ,]")
"""An access of several elements of four bytes."""
_FENCE = re.compile(r"  fence (?:syncscope\(\"[^\"]*\"\) )?(\w+)")
STORED = re.compile(r"  store (?:atomic )?(?:volatile )?i32 %([\w.$-]+),")
TESTED = re.compile(r"  br i1 (%[\w.$-]+|true|false), ")
_COMPARED = re.compile(r"(icmp \w+ i32) %([\w.$-]+)(, -?\d+)$")
_CAST = re.compile(r"addrspacecast ptr.*? %([\w.$-]+) to ")
_BRANCH = re.compile(r"  (?:br|switch) ")
_TARGET = re.compile(r"label %([\w.$-]+)")
_INCOMING = re.compile(r", %([\w.$-]+) \]")
_INSERTED = re.compile(r"  %([\w.$-]+) = insertvalue \{ [^{}]* \} (%[\w.$-]+|poison), i32 (\S+), (\d+)$")
ARGUMENT = "v"
"""The parameter that is a value from before."""
ANY = frozenset({"*"})
"""Instead of parameters: of a fence, of what is called, and of pointers that were read."""
Accesses = dict[tuple[str, bool], frozenset[str]]
"""Addresses that are read and written, as `FunctionSide.memory` has them."""
_ACCESSES = {
    "load": (False,), "store": (True,), "atomicrmw": (False, True), "cmpxchg": (False, True), "fence": (True,),
    "call": (True,),
}  # fmt: skip
"""Whether instructions read (False) and write (True)."""


@dataclass(frozen=True, slots=True)
class FunctionSide:
    """A function: its lines without those that make its result, and the values of that.

    `anchored` are the numbers of lines that do more than to compute; `sources` has for each name the results of such
    lines from which it is computed, and `roots` the parameters; `computed` says how, of what is no such line. `entry`
    is the name of the first block.
    """

    function: ModuleFunction
    lines: tuple[str, ...]
    returned: tuple[str, ...]
    anchored: tuple[int, ...]
    sources: dict[str, frozenset[str]]
    roots: dict[str, frozenset[str]]
    computed: dict[str, str]
    entry: str

    @property
    def count(self) -> int:
        """How many lines do more than to compute."""
        return len(self.anchored)

    @property
    def given(self) -> bool:
        """Whether a parameter is a value from before."""
        return f"%{ARGUMENT}" in self.function.names

    def line(self, at: int) -> str:
        """Return one of the lines that do more than to compute; nothing behind the last."""
        return self.lines[self.anchored[at]] if at < self.count else ""

    def results(self, begin: int, end: int) -> frozenset[str]:
        """Return the results of a part."""
        return frozenset(match[1] for at in range(begin, end) if (match := RESULT.match(self.line(at))))

    def needed(self, line: str) -> frozenset[str]:
        """Return the results from which a line or a value is computed."""
        return frozenset().union(*(self.sources.get(name, frozenset()) for name in operands(line)))

    def memory(self, begin: int, end: int, *, idle: bool = True) -> Accesses:
        """Return which addresses a part reads and writes (True), each with the parameters from which it is computed.

        Without what is `idle` if that is said.
        """
        found: Accesses = {}
        for at in range(begin, end):
            line = self.line(at)
            if (match := _MEMORY.match(line)) is None or (not idle and self.idle(at, at + 1)):
                continue
            address = _POINTER.search(line)
            roots = self.roots.get(address[1], ANY) if address and match[1] not in ("fence", "call") else ANY
            keys = [*self._elements(line, address)] if roots != ANY and address else [match[1]]
            found |= {(key, writes): roots for key in keys for writes in _ACCESSES[match[1]]}
        return found

    def _elements(self, line: str, address: re.Match[str]) -> Iterator[str]:
        """Yield the addresses of the elements that an access has, each as it is written where it stands alone."""
        first = self.expression(address[1])
        yield first
        wide = _WIDE.match(line)
        for k in range(1, int(wide[1] or 2) if wide else 1):
            yield f"(getelementptr i8, {address[0].rpartition(' ')[0]} {first}, i64 {4 * k})"

    def fences(self, begin: int, end: int) -> frozenset[Ordering]:
        """Return the orderings of the fences of a part."""
        found = (_FENCE.match(self.line(at)) for at in range(begin, end))
        return frozenset(Ordering(match[1]) for match in found if match is not None)

    def gets(self, begin: int, end: int) -> bool:
        """Whether a part uses the parameter that is a value from before."""
        return any(ARGUMENT in operands(self.line(at)) for at in range(begin, end))

    def expression(self, name: str) -> str:
        """Return what computes an address, written out, whatever the address space in which it is written."""
        if (match := _CAST.match(self.computed.get(name, ""))) is not None:
            return self.expression(match[1])
        if name in self.computed:
            return f"({LOCAL.sub(lambda m: self.expression(m[1]), FLAGS.sub('', self.computed[name]))})"
        return f"%{name}"

    def block(self, at: int) -> str:
        """Return the name of the block in which a line stands, of a label the block before."""
        labels = (self.line(k)[:-1] for k in range(at - 1, -1, -1) if is_label(self.line(k)))
        return next(labels, self.entry)

    def labels(self, begin: int, end: int) -> frozenset[str]:
        """Return the blocks that begin in a part."""
        return frozenset(self.line(at)[:-1] for at in range(begin, end) if is_label(self.line(at)))

    def handed(self, begin: int, end: int, results: frozenset[str]) -> tuple[str, ...] | None:
        """Return the values of some results from elsewhere that a part stores or tests; None for any other use."""
        found: dict[str, None] = {}
        for k in range(begin, end):
            if not self.needed(self.line(k)) & results:
                continue
            name, rest = self.taken(k)
            if not name or not self.needed(f"%{name}") <= results or self.needed(rest) & results:
                return None
            found[name] = None
        return tuple(found)

    def taken(self, at: int) -> tuple[str, str]:
        """Return the value that a line stores, or that a branch asks about, and what it has besides."""
        line = self.line(at)
        if (match := STORED.match(line)) is not None:
            return match[1], line[match.end() :]
        test = self.tested(line)
        return ("", line) if test is None else (test[0], "")

    def tested(self, line: str) -> tuple[str, str] | None:
        """Return the value that a branch compares with a number, and what is asked of it."""
        match = TESTED.match(line)
        compared = _COMPARED.match(FLAGS.sub("", self.computed.get(match[1][1:], ""))) if match else None
        return None if compared is None else (compared[2], compared[1] + compared[3])

    def parts(self, at: int) -> bool:
        """Whether control passes from what stands before a place to what stands behind it there and nowhere else."""
        ahead = self.line(at)[:-1] if is_label(self.line(at)) else ""
        inside, behind = {self.entry, *self.labels(0, at)}, self.labels(at, self.count)
        if any(not {*targets(self.line(k))} <= inside | {ahead} for k in range(at)):
            return False
        if at and not ahead and _BRANCH.match(self.line(at - 1)):
            return False
        for k in range(at, self.count):
            if not {*targets(self.line(k))} <= behind - {ahead}:
                return False
            if not {*_INCOMING.findall(self.line(k))} <= behind | {"" if ahead else self.block(at)}:
                return False
        return True

    def idle(self, begin: int, end: int) -> bool:
        """Whether a part is a load that nobody has use for, and that orders nothing."""
        if end - begin != 1 or not _IDLE.match(self.line(begin)):
            return False
        own = self.results(begin, end)
        lines = (self.line(k) for k in range(self.count))
        return not any(self.needed(text) & own for text in (*lines, *self.returned))

    def shown(self, begin: int, end: int, values: Sequence[str], given: str) -> tuple[str, ...]:
        """Return what a part does, and values, with expressions for what is computed and numbers for what is read."""
        names = {given: ARGUMENT} | {
            match[1]: f"{k - begin}" for k in range(begin, end) if (match := RESULT.match(self.line(k)))
        }
        names |= {self.line(k)[:-1]: f"block{k - begin}" for k in range(begin, end) if is_label(self.line(k))}

        def written(match: re.Match[str]) -> str:
            name = match[1]
            if name in names:
                return f"%{names[name]}"
            if name in self.computed:
                return f"({LOCAL.sub(written, FLAGS.sub('', self.computed[name]))})"
            return match[0]

        lines = (said(self.line(k)) for k in range(begin, end))
        return tuple("block:" if is_label(line) else LOCAL.sub(written, line) for line in (*lines, *values))

    def part(
        self, begin: int, end: int, values: Sequence[str], given: str, frame: tuple[str, str] = ("", "")
    ) -> ModuleFunction:
        """Return the function of a part that returns values, between two more operations if there is a frame.

        `given` is a value from before, which is a parameter.
        """
        own = [self.anchored[k] for k in range(begin, end)]
        lines = [LOCAL.sub(lambda m: f"%{ARGUMENT}" if m[1] == given else m[0], line) for line in self.lines]
        used = {*self._needed([*(lines[k] for k in own), *values])} - {given}
        computed = [k for k, line in enumerate(self.lines) if k not in own and defined(line) in used]
        first, last = (own[0], own[-1]) if own else (len(self.lines), len(self.lines))
        free = [k for k in computed if not self.needed(lines[k])]
        bound = [k for k in computed if self.needed(lines[k])]
        head = [lines[k] for k in free]
        middle = [lines[k] for k in sorted((*own, *(k for k in bound if first < k < last)))]
        tail = [lines[k] for k in bound if k > last]
        label = ""
        if middle and is_label(middle[0]):
            label = middle.pop(0)
        if any(is_label(line) or _BRANCH.match(line) or " = phi " in line for line in middle):
            head.insert(0, label or f"{self.block(begin)}:")
        if middle and _BRANCH.match(middle[-1]):
            middle.append(self.line(end))
        type_ = _type(len(values))
        place = 1 if head and is_label(head[0]) else 0
        head[place:place] = [frame[0]] if frame[0] else []
        tail += [frame[1]] if frame[1] else []
        parameters = (*self.function.parameters, *([f"i32 %{ARGUMENT}"] if given else []))
        body = (*head, *middle, *tail, *_returning(values, type_))
        return replace(self.function, parameters=parameters, result=type_, body=body)

    def _needed(self, ahead: list[str]) -> Iterator[str]:
        """Yield the names that are computed for lines and values."""
        seen: set[str] = set()
        while ahead:
            for name in operands(ahead.pop()):
                if name in self.computed and name not in seen:
                    seen.add(name)
                    ahead.append(self.computed[name])
                    yield name


def keeps(sides: Sequence[FunctionSide], ranges: Sequence[tuple[int, int]], rest: Iterable[tuple[int, int]]) -> bool:
    """Whether a part loses no access that one of the rest of the function before may replace.

    What is idle may go for no reason. A fence does what a weaker one did. One operation that became another one of the
    same memory is what it is: if another one is why, the functions in which it is are asked.
    """
    rest = [*rest]
    own, made = (side.memory(*each) for side, each in zip(sides, ranges, strict=True))
    if not made.keys() <= own.keys():
        return False
    if made and all(end - begin == 1 for begin, end in ranges):
        return True
    left = sides[1].fences(*ranges[1])
    lost = [each for each in sides[0].fences(*ranges[0]) if not any(other.at_least(each) for other in left)]
    if lost and any(sides[0].fences(*each) for each in rest):
        return False
    busy = sides[0].memory(*ranges[0], idle=False)
    roots = frozenset().union(*busy.values())
    elsewhere = frozenset().union(*(used for each in rest for used in sides[0].memory(*each).values()))
    if roots | elsewhere >= ANY and elsewhere:
        elsewhere |= roots
    return {access for access, used in busy.items() if used & elsewhere} <= made.keys()


def side_of(function: ModuleFunction) -> FunctionSide | None:
    """Return a function as it is cut; None if it makes its result in another way."""
    found = _returned(function)
    if found is None:
        return None
    lines, returned = found
    entry = ""
    if lines and is_label(lines[0]):
        entry, lines = lines[0][:-1], lines[1:]
    anchored = tuple(k for k, line in enumerate(lines) if is_anchored(line))
    sources: dict[str, frozenset[str]] = {name[1:]: frozenset() for name in function.names}
    roots = {name[1:]: frozenset({name[1:]}) for name in function.names}
    for k in anchored:
        if name := defined(lines[k]):
            sources[name], roots[name] = frozenset({name}), ANY
    for k, line in enumerate(lines):
        if "unreachable" in line:
            return None
        if k in anchored:
            continue
        used = operands(line)
        if not used <= sources.keys() or not defined(line):
            return None
        sources[defined(line)] = frozenset().union(*(sources[name] for name in used))
        roots[defined(line)] = frozenset().union(*(roots[name] for name in used))
    computed = {m[1]: m[2] for k, line in enumerate(lines) if k not in anchored and (m := RESULT.match(line))}
    return FunctionSide(function, lines, returned, anchored, sources, roots, computed, entry)


def _returned(function: ModuleFunction) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the lines of a function but for those that make its result, and the values of that."""
    if sum(line.startswith("  ret ") for line in function.body) != 1:
        return None
    *body, last = function.body
    if last == "  ret void":
        return tuple(body), ()
    if last.startswith("  ret i32 "):
        return tuple(body), (last.rpartition(" ")[2],)
    values: dict[int, str] = {}
    whole = last.removeprefix(f"  ret {function.result} ")
    while body and (match := _INSERTED.match(body[-1])) and f"%{match[1]}" == whole:
        values.setdefault(int(match[4]), match[3])
        whole = match[2]
        body.pop()
    if whole != "poison" or len(values) != function.result.count(",") + 1:
        return None
    return tuple(body), tuple(values[k] for k in sorted(values))


def targets(line: str) -> list[str]:
    """Return the blocks to which a line branches."""
    return _TARGET.findall(line) if _BRANCH.match(line) else []


def _type(values: int) -> str:
    return {0: "void", 1: "i32"}.get(values, f"{{ {', '.join(['i32'] * values)} }}")


def _returning(values: Sequence[str], type_: str) -> Iterator[str]:
    """Yield the lines that return values."""
    if len(values) < 2:
        yield f"  ret i32 {values[0]}" if values else "  ret void"
        return
    whole = "poison"
    for k, value in enumerate(values):
        yield f"  %result{k} = insertvalue {type_} {whole}, i32 {value}, {k}"
        whole = f"%result{k}"
    yield f"  ret {type_} {whole}"
