"""What tests do not show of functions of LLVM IR: what is promised only after a change, and what concerns other lanes.

What goes in: functions before and after a change. What comes out: the promises that only the second makes, in words;
the callees by which a function that is judged as one lane cannot be judged. To add a promise is a change, since it may
not be kept; to drop one is none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from axmem.formats.ir.attributes import POISON_ELEMENTS, UNDEF_ELEMENTS
from axmem.formats.ir.flow import ADDRESSED, FunctionFlow
from axmem.formats.ir.layouts import offset_of_root
from axmem.formats.ir.linkage import REPLACED, SEVERAL
from axmem.formats.ir.pairs import FunctionPair, Side, called, instructions
from axmem.formats.ir.promises import PARAMETER, promises, what
from axmem.formats.ir.ranges import meant
from axmem.formats.ir.syntax import Instruction, Module, Promise
from axmem.formats.ir.types import IRType, alignment
from axmem.litmus.kernels import SIGNATURES
from axmem.litmus.layout import natural_alignment
from axmem.refinement.inferred import Body

CALLED = "called"
"""What a promise of a function that is called is of, before what it is of there."""
_TARGET = "llvm.amdgcn."
_UNALIGNED = re.compile(r'^target datalayout = "[^"]*-i(?:16:8|32:8|32:16|64:8|64:16)[:"-]', re.MULTILINE)
"""The layout of a target that aligns numbers less than to their size, even where it may choose."""
_ALIGN = re.compile(r"align ([0-9]+)")
_OTHER_LANES = (
    *(name for name, signature in SIGNATURES.items() if signature.result),
    *("wave.", "permlane", "writelane", "inverse.ballot", "ds.permute", "ds.swizzle", "update.dpp", "mov.dpp", "wqm"),
    *("softwqm", "wwm", "strict.", "set.inactive", "icmp", "fcmp", "live.mask", "ps.live"),
)
"""How intrinsics of AMDGPU begin that other lanes share: those that a test has, and some that none has."""


def promised(pair: FunctionPair) -> tuple[str, ...]:
    """Return what is promised after a change and not before, sorted: `!range`, `noundef of %a`, `align 8 of a load`.

    Promises of the functions that are called count as well, those of declared ones, too. What lasts is promised by
    dropping it: `no convergent`.
    """
    before, after = (Counter(_promises(side)) for side in (pair.before, pair.after))
    inner = {each._replace(of=each.of[1:]) for each in before if each.of[:1] == (CALLED,)}
    undef = any(each.shown == UNDEF_ELEMENTS for each in before)
    first, second = (_alignments(side) for side in (pair.before, pair.after))
    least = min((n for some in first.values() for n in some), default=0)
    found = {
        _words(each, pair.after)
        for each in after - before
        if each.shown != UNDEF_ELEMENTS
        and each not in inner  # What was called is inlined.
        and (undef or each.shown != POISON_ELEMENTS)
        and not (_of_elements(each) and _alignment(each) <= least)
    }
    calls = [len({*called(side)}) for side in (pair.before, pair.after)]
    lost = (each for each in before - after if each.lasting and (calls[0] == calls[1] or each.of[:1] != (CALLED,)))
    found |= {f"no {_words(each, pair.before)}" for each in lost}
    for key, given in second.items():
        # What stands only after the change has no alignment to be compared with.
        for less, more in zip(first.get(key, []), given, strict=False):
            if more > less:
                found.add(f"align {more} of a {key[0]}")
    return tuple(sorted(found))


def concerning_other_lanes(pair: FunctionPair) -> tuple[str, ...]:
    """Return the callees of both functions, and of what they call, whose result, or whose effect, other lanes share."""
    functions = (function for side in (pair.before, pair.after) for function in called(side))
    names = {each.callee for function in functions for each in instructions(function)}
    return tuple(sorted(n for n in names if n.startswith(_TARGET) and n[len(_TARGET) :].startswith(_OTHER_LANES)))


def _promises(side: Side) -> Iterator[Promise]:
    own = any(i.operation == "alloca" for function in called(side) for i in instructions(function))
    for number, function in enumerate(called(side)):
        if function.name.startswith("llvm."):
            continue  # What an intrinsic promises LLVM knows.
        body = Body(side.module, function)
        for each in promises(side.module, function):
            if body.keeps(each) or meant(each, function, called=bool(number)):
                continue  # It promises nothing, or the tests have it.
            if own or each.shown != "tail":  # Without memory of its own nothing is promised by it.
                yield each._replace(of=(CALLED, *each.of)) if number else each


def _of_elements(promise: Promise) -> bool:
    """Whether a promise is of a call that accesses element by element, each by an atomic operation.

    It replaces accesses, and needs no better alignment than the worst of these has.
    """
    return promise.of[:1] == ("call",) and ".element.unordered.atomic." in promise.of[2]


def _alignment(promise: Promise) -> float:
    """Return to how many bytes a promise says that something is aligned; infinitely many if it says something else."""
    match = _ALIGN.fullmatch(promise.shown)
    return int(match[1]) if match else math.inf


def _words(promise: Promise, side: Side) -> str:
    match promise.of:
        case (kind, index) if kind == PARAMETER:
            return f"{promise.shown} of %{side.function.parameters[int(index)].name}"
    return promise.shown


def _alignments(side: Side) -> dict[tuple[str, ...], list[int]]:
    """Return how accesses are aligned, the least first, by what they are but for that."""
    found: dict[tuple[str, ...], list[int]] = {}
    for flow in map(FunctionFlow, called(side)):
        for each in flow.instructions:
            if each.operation in ("load", "store", "cmpxchg", "atomicrmw"):
                type_ = each.operands[0].type if each.operation == "store" else each.type
                align = max(each.mode.align or _natural(type_), _known(each, flow, side.module))
                own = ("its own",) * (flow.accessed(each) <= flow.private)  # Of that passes leave less than of others'.
                found.setdefault((*what(each), str(type_), *own), []).append(align)
    return {key: sorted(some) for key, some in found.items()}


def _known(access: Instruction, flow: FunctionFlow, module: Module) -> int:
    """Return to how many bytes the memory of an access is aligned there, since it is a variable or an alloca."""
    place = offset_of_root(flow, access.operands[ADDRESSED[access.operation]].value)
    if place is None:
        return 1
    root, offset = place
    made = flow.results.get(root.name) if not root.variable else None
    variable = module.globals.get(root.name) if root.variable else None
    if variable is not None and variable.type.sized:
        # What is defined here without a word is aligned as the target prefers, and elsewhere as it must be.
        strong = variable.initial is not None and not (REPLACED | SEVERAL) & {*variable.words}
        most = _natural_most(module) if strong else 1
        known = variable.align or min(alignment(variable.type), most)
    elif made is not None and made.operation == "alloca" and made.mode.align:
        known = made.mode.align
    else:
        return 1
    return math.gcd(known, offset) if offset else known


def _natural_most(module: Module) -> int:
    """Return up to how many bytes numbers are aligned to their size, as far as the layout of a module says."""
    return 1 if _UNALIGNED.search(module.source.text) else 8


def _natural(type_: IRType) -> int:
    """Return to how many bytes an access of a type is aligned that does not say, or more."""
    return natural_alignment(-(-type_.bits // 8)) if type_.kind == "int" else 16
