"""Attributes that a function keeps by what it does, so that promising them adds nothing.

What goes in: a function with its module, and attributes of it, of its parameters, or of a call in it. What comes out:
whether every execution of the function, or of what is called, keeps them, for all that the body shows. Invariant: a
body that calls something unknown keeps nothing, nor does one for which another may be linked; what is not understood is
not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from axmem.formats.ir.flow import ADDRESSED, FunctionFlow, Root, effect, places
from axmem.formats.ir.inlining import inlined
from axmem.formats.ir.intrinsics import computing, has_no_effect
from axmem.formats.ir.layouts import offset_of_root
from axmem.formats.ir.linkage import one_of_several
from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.own import COMMENT, LOCAL
from axmem.formats.ir.promises import PARAMETER
from axmem.formats.ir.ranges import parts
from axmem.formats.ir.returned import Returned
from axmem.formats.ir.syntax import Function, Instruction, Module, Promise
from axmem.formats.ir.transfers import is_transfer, transferred
from axmem.formats.ir.types import size
from axmem.litmus.syntax import Register
from axmem.litmus.words import Ordering

_WITHOUT_CALLS = frozenset({"nofree", "norecurse", "nounwind", "nocallback"})
"""What a function keeps that calls nothing."""
_MEMORY = re.compile(r"memory\((.*)\)")
_EFFECTS = {"none": "", "read": "r", "write": "w", "readwrite": "rw"}
_OTHER, _ARGUMENTS, _INACCESSIBLE = "other", "argmem", "inaccessiblemem"
_ARGUMENT = re.compile(r" of argument ([0-9]+)")
_INITIALIZES = re.compile(r"initializes\(+ *0 *, *([0-9]+) *\)+")
CONVENTIONS = frozenset({"fastcc", "coldcc"})
"""Calling conventions that passes give functions that no other module knows."""
_ELSEWHERE = "!noalias.addrspace"
"""Metadata of an access: its memory is of none of some address spaces, each range with its first and the one behind."""
_NUMBER = re.compile(r"i32 (\d+)")
_LOCAL = (Ordering.NOT_ATOMIC, Ordering.UNORDERED, Ordering.MONOTONIC)
"""The orderings of accesses that synchronize nothing."""


class Body:
    """A function with those that it calls in their places; `flow` is None if it calls something unknown."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module = module
        self.function = function
        self.flow: FunctionFlow | None = None
        try:
            flow = FunctionFlow(inlined(module, function))
        except Unspeakable:
            return
        if function.blocks and not one_of_several(function) and not any(_calls(each) for each in flow.instructions):
            self.flow = flow

    def keeps(self, promise: Promise) -> bool:
        """Say whether the function keeps an attribute of its own, of a parameter, or of a call, by what it does."""
        if promise.shown == _ELSEWHERE:
            return _of_spaces(promise, FunctionFlow(self.function))
        if promise.shown in CONVENTIONS:
            name = promise.of[2] if promise.of[:1] == ("call",) else self.function.name
            return (not promise.of or promise.of[0] == "call") and _is_called_by(promise.shown, name, self.module)
        if promise.of[:1] == ("call",):
            return self._called(promise)
        if self.flow is None:
            return False
        if promise.of[:1] == (PARAMETER,):
            root = Root(self.function.parameters[int(promise.of[1])].name)
            return _of_parameter(promise.shown, root, self.flow)
        return not promise.of and _of_function(promise.shown, self.flow, self.module, self.function)

    def _called(self, promise: Promise) -> bool:
        """Say whether what a call calls keeps what the call promises of it, or of an argument."""
        callee = self.module.functions.get(promise.of[2])
        if callee is None or not callee.blocks:
            return False
        argument = _ARGUMENT.search(promise.says)
        index = int(argument[1]) - 1 if argument else 0
        if index >= len(callee.parameters):
            return False
        of = (PARAMETER, str(index)) if argument else ()
        return Body(self.module, callee).keeps(promise._replace(of=of))


def _is_called_by(convention: str, name: str, module: Module) -> bool:
    """Say whether a function that no other module knows has a calling convention, and every call of it."""
    function = module.functions.get(name)
    if function is None or convention not in function.words or not LOCAL & set(function.words):
        return False
    everything = [each for f in module.functions.values() for block in f.blocks for each in block.instructions]
    taken = any(name in places(operand.value) for each in everything for operand in each.operands)
    calls = [each for each in everything if each.callee == name]
    mentioned = len(re.findall(rf"@{re.escape(name)}(?![\w.$-])", COMMENT.sub("", module.source.text)))
    alike = all(any(p.shown == convention for p in each.promises) for each in calls)
    return alike and not taken and mentioned == len(calls) + 1


def _of_spaces(promise: Promise, flow: FunctionFlow) -> bool:
    """Say whether every access that promises not to be of some address spaces is of a parameter of another one."""
    numbers = [int(each) for each in _NUMBER.findall(promise.says)]
    listed = [range(*pair) for pair in zip(numbers[::2], numbers[1::2], strict=False)]
    spaces = {each.name: each.type.space for each in flow.function.parameters}
    given = [each for each in flow.instructions if any((p.shown, p.says) == promise[:2] for p in each.promises)]
    roots = [root for each in given for root in flow.accessed(each)]
    return bool(roots) and all(
        not root.variable and (space := spaces.get(root.name, 0)) and not any(space in some for some in listed)
        for root in roots
    )


def _calls(each: Instruction) -> bool:
    """Say whether an instruction calls something that does more than compute or access memory."""
    quiet = has_no_effect(each.callee) or computing(each.callee) or is_transfer(each.callee)
    return each.operation == "call" and not quiet


def _of_function(shown: str, flow: FunctionFlow, module: Module, function: Function) -> bool:
    if shown in _WITHOUT_CALLS:
        return True
    if shown == "mustprogress":
        return not _loops(flow)
    if shown == "willreturn":
        # Execution need not go on behind a volatile store.
        ending = (each for each in flow.instructions if each.mode.volatile and each.operation != "load")
        return not _loops(flow) and not any(ending)
    if shown == "nosync":
        return not any(_synchronizes(each, flow) for each in flow.instructions)
    if shown == "noundef":
        return Returned(flow).defined()
    if shown.startswith("range("):
        bits = function.result.bits
        return Returned(flow).within(bits, parts(shown, bits))
    match = _MEMORY.fullmatch(shown)
    return match is not None and _within(match[1], _effects(flow, module, function))


def _loops(flow: FunctionFlow) -> bool:
    return any(flow.loops(block.name) for block in flow.function.blocks)


def _synchronizes(each: Instruction, flow: FunctionFlow) -> bool:
    """Say whether an instruction may order anything between threads."""
    if each.operation == "fence" or each.mode.volatile:
        return True
    return _ordered(each) and not flow.accessed(each) <= flow.private


def _ordered(each: Instruction) -> bool:
    return each.mode.ordering not in _LOCAL or each.failure not in _LOCAL


def _volatile(each: Instruction) -> bool:
    if is_transfer(each.callee):
        return ".element." not in each.callee and getattr(each.operands[3].value, "value", 1) != 0
    return each.mode.volatile


def _effects(flow: FunctionFlow, module: Module, function: Function) -> Mapping[str, str]:
    """Return how a function accesses which memory that its caller can see; ordered atomics read and write."""
    found: dict[str, str] = {}
    given = {Root(parameter.name) for parameter in function.parameters}
    for roots, how, each in _accesses(flow):
        volatile = _volatile(each)
        how = "rw" if _ordered(each) else how
        for root in roots - flow.private:
            variable = module.globals.get(root.name) if root.variable else None
            if variable is None or not variable.constant:
                kind = _ARGUMENTS if root in given else _OTHER
                found[kind] = found.get(kind, "") + how
        if volatile:
            found[_INACCESSIBLE] = "rw"
    return found


def _accesses(flow: FunctionFlow) -> Iterator[tuple[frozenset[Root], str, Instruction]]:
    """Yield what is accessed, whether it is read or written, and by what; a fence accesses memory of nobody knows."""
    for each in flow.instructions:
        if each.operation == "fence":
            yield frozenset({Root("fence")}), "rw", each
        elif each.operation in ADDRESSED:
            yield flow.accessed(each), effect(each), each
        elif is_transfer(each.callee):
            target, source = transferred(each)
            yield flow.roots(target), "w", each
            yield frozenset() if source is None else flow.roots(source), "r", each


def _within(said: str, effects: Mapping[str, str]) -> bool:
    """Say whether effects are those that `memory(…)` permits."""
    parts = [part.strip() for part in said.split(",")]
    default = next((_EFFECTS[part] for part in parts if part in _EFFECTS), "")
    permitted: dict[str, str] = {}
    for part in parts:
        kind, colon, effect = (word.strip() for word in part.partition(":"))
        if colon and effect in _EFFECTS:
            permitted[kind] = _EFFECTS[effect]
        elif part not in _EFFECTS:
            return False
    return all({*how} <= {*permitted.get(kind, default)} for kind, how in effects.items())


def _of_parameter(shown: str, root: Root, flow: FunctionFlow) -> bool:
    """Say whether nothing is done with a pointer but what an attribute of it permits."""
    hows = [how for roots, how, _ in _accesses(flow) if root in roots]
    if shown in ("readonly", "writeonly", "readnone"):
        # Whoever may find the address elsewhere may do more with it.
        permitted = {"readonly": {"r"}, "writeonly": {"w"}}.get(shown, set())
        return root not in flow.exposed and {*"".join(hows)} <= permitted
    if shown == "returned":
        return all(
            each.operands[0].value == Register(root.name) for each in flow.instructions if each.operation == "ret"
        )
    if match := _INITIALIZES.fullmatch(shown):
        return _initialized(root, flow) >= int(match[1])
    if shown not in ("captures(none)", "nocapture") or root in flow.exposed:
        return False
    compared = (each for each in flow.instructions if each.operation == "icmp")
    seen = any(root in flow.roots(o.value) for each in compared for o in each.operands)
    return not seen and not any(_volatile(each) for roots, _, each in _accesses(flow) if root in roots)


def _initialized(root: Root, flow: FunctionFlow) -> int:
    """Return how many bytes behind a pointer are always stored before anything else is done to memory."""
    end = 0
    for each in flow.function.blocks[0].instructions:
        if each.operation == "store" and not each.mode.volatile:
            place = offset_of_root(flow, each.operands[1].value)
            if place is None or place[0] != root:
                return end
            end = place[1] + size(each.operands[0].type) if place[1] == end else end
        elif each.operation in (*ADDRESSED, "fence", "call"):
            return end
    return end
