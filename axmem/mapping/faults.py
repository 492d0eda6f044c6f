"""Faults of LLVM that a change of assembly mends: where each is, and what the page of the finding asks for there.

What goes in: a test, a target whose profile is the compiler's, its assembly. What comes out: the assembly with what a
page asks for, at the places where that compiler leaves it out for the reason that the page names, and nowhere else.
What is missing elsewhere is another fault, which the change does not mend.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from axmem.codegen.assembly.check import code_name, kernels_of
from axmem.codegen.assembly.registers import OperandError, dwords
from axmem.codegen.assembly.requests import Request, counted, request_of
from axmem.codegen.assembly.text import AssemblyKernel, AssemblyLine, read_listing
from axmem.codegen.assembly.waits import limits_of
from axmem.codegen.machine.families import machine_of
from axmem.codegen.machine.program import HazardKind, RegisterHazard
from axmem.codegen.targets import Target
from axmem.front.records import dataclass
from axmem.front.source import InputError
from axmem.litmus.syntax import AccessMode, AccessStatement, Fence, LitmusTest
from axmem.litmus.walk import statements

UNAWAITED, OVERTAKEN = "unawaited-scalar-load", "fixed/overtaken-scalar-load"
LOST = "replayed-read-modify-write"
PENDING = "overwritten-source"
"""Of registers that are used too early only this page says something: what drops its wait drops those of sources."""
OLDEST = "llvm-22"
"""The profile of versions before those that mend anything."""


class KernelCode:
    """A kernel as the places of faults are asked for in it; `modes` are those of the operations of its threads."""

    def __init__(self, kernel: AssemblyKernel, target: Target, modes: tuple[AccessMode, ...]) -> None:
        self.lines = kernel.lines
        self.target = target
        self.modes = modes
        self.after = {index: tuple(_following(kernel, index)) for index in range(len(kernel.lines))}
        self.before: dict[int, list[int]] = {}
        for index, later in self.after.items():
            for each in later:
                self.before.setdefault(each, []).append(index)
        self.requests = [request_of(line) for line in kernel.lines]

    def named(self, name: str) -> Iterator[int]:
        """Yield the lines with a mnemonic."""
        return (index for index, line in enumerate(self.lines) if line.mnemonic == name)

    def writing(self, index: int) -> bool:
        """Say whether a line is a store or a read-modify-write of memory that is not LDS."""
        request = self.requests[index]
        return request is not None and request.action != "load" and request.memory in ("global", "flat")

    def counted(self, index: int, counter: str) -> bool:
        """Say whether a counter counts an access."""
        request = self.requests[index]
        return request is not None and counter in counted(machine_of(self.target.family.name), request)[0]

    def waits(self, index: int, *counters: str) -> bool:
        """Say whether a line waits until nothing that one of some counters counts is on its way."""
        return any(limits_of(self.lines[index], self.target.family).get(counter) == 0 for counter in counters)

    def meets(
        self, start: int, met: Callable[[int], bool], until: Callable[[int], bool], *, back: bool = False
    ) -> bool:
        """Say whether some path from a line on, or back to it, comes to a line that is met before one that ends it."""
        ways: Mapping[int, tuple[int, ...] | list[int]] = self.before if back else self.after
        left, seen = [*ways.get(start, ())], set[int]()
        while left:
            index = left.pop()
            if index in seen:
                continue
            seen.add(index)
            if met(index):
                return True
            if not until(index):
                left += ways.get(index, ())
        return False


def _following(kernel: AssemblyKernel, index: int) -> Iterator[int]:
    line = kernel.lines[index]
    if line.target in kernel.labels:
        yield kernel.labels[line.target]
    if line.mnemonic not in ("s_branch", "s_endpgm", "s_setpc_b64") and index + 1 < len(kernel.lines):
        yield index + 1


@dataclass(frozen=True, slots=True)
class KnownFault:
    """What a page asks for: on which targets (how their names begin), at which lines, and what to put there.

    `mended` are the targets on which LLVM 24 is right.
    """

    page: str
    targets: tuple[str, ...]
    places: Callable[[KernelCode], Iterator[int]]
    put: str
    before: bool = False
    mended: tuple[str, ...] = ()

    def is_of(self, target: Target) -> bool:
        """Say whether the compiler of a target's profile has the fault there."""
        right = self.mended if target.profile != OLDEST else ()
        return target.name.startswith(self.targets) and not (right and target.name.startswith(right))

    def made(self, test: LitmusTest, target: Target, text: str) -> str:
        """Return assembly with the change; the same if it is not the test's, or has nothing to change."""
        lines = text.split("\n")
        kernels = codes(test, target, text)
        for number in {kernel.lines[index].span.line for kernel in kernels for index in self.places(kernel)}:
            line = lines[number - 1]
            lines[number - 1] = f"{self.put}\n{line}" if self.before else f"{line}\n{self.put}"
        return "\n".join(lines)


def codes(test: LitmusTest, target: Target, text: str) -> Iterator[KernelCode]:
    """Yield the kernels of a test's assembly; none if it is not the test's."""
    try:
        listing = read_listing(text, test.name)
        executed = kernels_of(test, listing)
    except InputError:
        return
    named = [(each.kernel, thread.body) for each, thread in zip(executed, test.threads, strict=False)]
    named += [(listing.kernels[code_name(kernel)], kernel.body) for kernel in test.kernels]
    found: dict[str, tuple[AssemblyKernel, list[AccessMode]]] = {}
    for kernel, body in named:
        modes = [each.mode for each in statements(body) if isinstance(each, (AccessStatement, Fence))]
        found.setdefault(kernel.name, (kernel, []))[1].extend(modes)
    for kernel, modes in found.values():
        yield KernelCode(kernel, target, tuple(modes))


# ---------------------------------------------------------------- where the faults are


def _uncounted_writeback(code: KernelCode) -> Iterator[int]:
    """A writeback counts nowhere in LLVM 22, so that the wait after it is dropped where nothing else is on its way."""
    for index in code.named("buffer_wbl2"):
        if not code.meets(index, lambda k: code.counted(k, "vmcnt"), lambda k: code.waits(k, "vmcnt"), back=True):
            yield index


def _uncounted_invalidate(name: str) -> Callable[[KernelCode], Iterator[int]]:
    """Return where nothing but an invalidate, which counts nowhere, is on its way as something is published."""

    def places(code: KernelCode) -> Iterator[int]:
        for index in filter(code.writing, range(len(code.lines))):
            if code.meets(
                index,
                lambda k: code.lines[k].mnemonic == name,
                lambda k: code.counted(k, "vmcnt") or code.waits(k, "vmcnt"),
                back=True,
            ):
                yield index

    return places


def _unawaiting_writeback(code: KernelCode) -> Iterator[int]:
    """LLVM 22 waits after a writeback of gfx1250, and not before it."""
    for index in code.named("global_wb"):
        if not code.meets(index, code.writing, lambda k: code.waits(k, "storecnt")):
            yield index


def _overwriting_update(code: KernelCode) -> Iterator[int]:
    """The wait for translations is dropped before an update whose result overwrites what is still to be translated."""
    for index, request in enumerate(code.requests):
        if request is None or request.action != "rmw" or request.memory == "lds" or not request.result:
            continue
        result = _registers(code.lines[index].operands[:1])

        def overwritten(k: int, result: set[str] = result) -> bool:
            return bool(result & _sources(code.lines[k], code.requests[k]))

        def settled(k: int) -> bool:
            return 0 in limits_of(code.lines[k], code.target.family).values()

        if code.meets(index, overwritten, settled, back=True):
            yield index


def _access(code: KernelCode) -> Iterator[int]:
    return (k for k, request in enumerate(code.requests) if request is not None and request.memory != "lds")


def _cluster_release(code: KernelCode) -> Iterator[int]:
    """A release to the cluster waits for stores, and does not write back; its store or update has that scope."""
    for index in (k for k in range(len(code.lines)) if code.waits(k, "storecnt")):

        def published(k: int) -> bool:
            return code.writing(k) and "scope:SCOPE_SE" in code.lines[k].bits

        if code.meets(index, published, lambda k: code.writing(k) or code.lines[k].mnemonic == "global_wb"):
            yield index


def _unawaited_load(code: KernelCode) -> Iterator[int]:
    """No release of GFX12 waits for scalar loads; before, those of a `-one-as` scope do not."""
    scopes = [mode.scope for mode in code.modes if mode.ordering.releases]
    if scopes and (code.target.name.startswith("gfx12") or all(scope.one_as for scope in scopes)):
        yield from _scalar_loads(code)


def _overtaken_load(code: KernelCode) -> Iterator[int]:
    """A store waits for a scalar load of what it writes only if both have one pointer in the IR."""
    counter = "kmcnt" if "kmcnt" in code.target.family.counters else "lgkmcnt"
    for index in filter(code.writing, range(len(code.lines))):
        line = code.lines[index]

        def elsewhere(k: int, line: AssemblyLine = line) -> bool:
            other = code.lines[k]
            same = other.operands[1:2] == line.operands[-1:] and _offset(other) == _offset(line)
            return other.mnemonic.startswith("s_load_") and (not same or "cmpswap" in line.mnemonic)

        if code.meets(index, elsewhere, lambda k: code.waits(k, counter), back=True):
            yield index


def _scalar_loads(code: KernelCode) -> Iterator[int]:
    return (k for k, line in enumerate(code.lines) if line.mnemonic.startswith("s_load_"))


def acquires_before_scalar_loads(test: LitmusTest, target: Target, text: str) -> bool:
    """Say whether a thread that acquires has scalar loads, which an acquire does not reach."""
    return any(
        any(mode.ordering.acquires for mode in code.modes) and any(True for _ in _scalar_loads(code))
        for code in codes(test, target, text)
    )


def taken_for_free(test: LitmusTest, target: Target, text: str, hazard: RegisterHazard) -> bool:
    """Say whether a hazard is what the page `LOST` says of registers: a source is overwritten, after an access whose
    result overwrites another source of what is still to be translated."""
    if hazard.kind is not HazardKind.SOURCE or hazard.counter != "xcnt":
        return False
    for code in codes(test, target, text):
        at = {line.span.line: index for index, line in enumerate(code.lines)}
        if hazard.span.line not in at:
            continue
        read: set[str] = set()
        for index in range(at[hazard.awaited_span.line], at[hazard.span.line] + 1):
            request, line = code.requests[index], code.lines[index]
            if request is not None and request.result and read & _registers(line.operands[:1]):
                return True
            read |= _sources(line, request)
    return False


def taken_for_scalar(test: LitmusTest, target: Target, text: str, hazard: RegisterHazard) -> bool:
    """Say whether a hazard is what the page `PENDING` says of loops: a source is overwritten by what waits for a scalar
    load just before, which the first iteration alone has on its way."""
    if hazard.kind is not HazardKind.SOURCE or hazard.counter != "xcnt":
        return False
    for code in codes(test, target, text):
        at = {line.span.line: index for index, line in enumerate(code.lines)}
        index = at.get(hazard.span.line, 0)
        if index and code.lines[index - 1].mnemonic == "s_wait_kmcnt" and index <= at[hazard.awaited_span.line]:
            return True
    return False


def _sources(line: AssemblyLine, request: Request | None) -> set[str]:
    """Return the vector registers that an access reads."""
    if request is None or request.memory in ("lds", "scalar"):
        return set()
    return _registers(line.operands[1 if request.result else 0 :])


def _registers(operands: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    for operand in operands:
        try:
            found.update(name for name in dwords(operand) if name.startswith("v"))
        except OperandError:
            continue
    return found


def _offset(line: AssemblyLine) -> int:
    """Return how many bytes behind its address an access is."""
    words = " ".join((*line.operands[2:], *line.bits)) if line.mnemonic.startswith("s_") else " ".join(line.bits)
    match = re.search(r"(?:offset:)?(-?(?:0x[0-9a-f]+|\d+))\b", words)
    return int(match[1], 0) if match else 0


VMCNT, LGKMCNT, KMCNT, XCNT = (
    f"\t{wait}" for wait in ("s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_wait_kmcnt 0x0", "s_wait_xcnt 0x0")
)
CLUSTER = "\tglobal_wb scope:SCOPE_SE\n\ts_wait_storecnt 0x0"
BEFORE12, SINCE12 = ("gfx9", "gfx10", "gfx11"), ("gfx12",)
FAULTS = (
    KnownFault("fixed/missing-wait-after-writeback", ("gfx9",), _uncounted_writeback, VMCNT, mended=("gfx",)),
    KnownFault("unawaited-invalidate", ("gfx90a",), _uncounted_invalidate("buffer_invl2"), VMCNT, before=True),
    KnownFault("unawaited-invalidate", ("gfx942",), _uncounted_invalidate("buffer_inv"), VMCNT, before=True,
               mended=("gfx942",)),
    KnownFault("unawaited-invalidate", ("gfx10", "gfx11"), _uncounted_invalidate("buffer_gl1_inv"), VMCNT, before=True),
    KnownFault("fixed/replayed-store", ("gfx1250",), _unawaiting_writeback, "\ts_wait_storecnt 0x0", before=True,
               mended=("gfx",)),
    KnownFault(LOST, ("gfx1250",), _overwriting_update, XCNT, before=True),
    KnownFault("cluster-release", ("gfx1250",), _cluster_release, CLUSTER),
    KnownFault(UNAWAITED, SINCE12, _unawaited_load, KMCNT),
    KnownFault(UNAWAITED, BEFORE12, _unawaited_load, LGKMCNT),
    KnownFault(OVERTAKEN, SINCE12, _overtaken_load, KMCNT, before=True, mended=("gfx1200", "gfx1201")),
    KnownFault(OVERTAKEN, BEFORE12, _overtaken_load, LGKMCNT, before=True, mended=("gfx11",)),
)  # fmt: skip
REGISTERS = KnownFault(LOST, ("gfx1250",), _access, XCNT)
"""What the same page asks for where a source is overwritten."""
