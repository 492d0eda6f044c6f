"""Calls of intrinsics, and what they are in a test.

What goes in: a call, and the values of its function. What comes out: statements, or the expression that the call
stands for. Convergent operations and ids are those of the test language's kernels, whose tables are read here; what has
no effect in a test is named in `NOTHING`.
"""

from __future__ import annotations

import re
from functools import reduce

from axmem.formats.ir.floats import INTRINSICS
from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.mnemonics import ASSUME
from axmem.formats.ir.syntax import ConstantExpression, Instruction, Module, Operand
from axmem.formats.ir.types import METADATA
from axmem.formats.ir.values import Values, lane, type_of
from axmem.front.records import replace
from axmem.front.source import Span, did_you_mean
from axmem.litmus.call_parser import ID_NAMES, TOKEN_NAME
from axmem.litmus.kernels import IDS, SIGNATURES, Call, ConvergenceToken
from axmem.litmus.metadata import MetadataNode
from axmem.litmus.poison import true_where
from axmem.litmus.spelling import AV_TYPES
from axmem.litmus.syntax import (
    AccessMode,
    AddressOf,
    Assume,
    Expr,
    IntegerOperation,
    Load,
    Number,
    Register,
    Statement,
    Store,
    SyncScope,
)
from axmem.litmus.words import AMDGPU, syncscopes

NOTHING = (
    *("llvm.dbg.", "llvm.lifetime.", "llvm.experimental.noalias.scope.decl", "llvm.donothing", "llvm.var.annotation"),
    *("llvm.prefetch", "llvm.pseudoprobe", "llvm.sideeffect", "llvm.fake.use", "llvm.instrprof.", "llvm.invariant."),
    *("llvm.x86.sse2.pause", "llvm.aarch64.hint", "llvm.amdgcn.s.sleep", "llvm.amdgcn.s.setprio"),
    *("__ockl_printf_", "__ockl_fprintf_"),
    *("llvm.amdgcn.sched.", "llvm.amdgcn.iglp.opt", "llvm.amdgcn.s.nop", "llvm.amdgcn.s.waitcnt"),
)
"""What the names of calls without an effect on executions begin with: debug records, hints, pauses, what is printed."""
SAME = (
    *("llvm.expect", "llvm.expect.with.probability", "llvm.ssa.copy", "llvm.threadlocal.address"),
    *("llvm.arithmetic.fence", "llvm.launder.invariant.group", "llvm.strip.invariant.group"),
)
"""The intrinsics that return their first operand."""
MINMAX = {"llvm.umin": "ult", "llvm.umax": "ugt", "llvm.smin": "slt", "llvm.smax": "sgt"}
REDUCED = {
    **{f"llvm.vector.reduce.{word}": word for word in ("add", "mul", "and", "or", "xor")},
    **{name.replace("llvm.", "llvm.vector.reduce."): order for name, order in MINMAX.items()},
}
"""How the lanes of a vector become one: by an operation, or by which of two is taken."""
_AV = re.compile(r"llvm\.amdgcn\.av\.(load|store)\.b(8|16|32|64|128)\.p[0-9]+")
_ZERO = re.compile(r"llvm\.amdgcn\.work(item|group)\.id\.[yz]")
_SUFFIX = re.compile(r"(?:\.(?:v[0-9]+)?i[0-9]+)?\.(?:v[0-9]+)?b?f[0-9]+$|\.(?:v[0-9]+)?[ip][0-9]+$")
_WHOLE = -1, 0xFFFFFFFF


def plain(name: str) -> str:
    """Return the name of an intrinsic without the types that overload it."""
    return _SUFFIX.sub("", name)


def has_no_effect(name: str) -> bool:
    """Say whether a call of this intrinsic does nothing in a test."""
    return name.startswith(NOTHING)


def known_intrinsic(name: str) -> bool:
    """Say whether a call of this function has a meaning of its own in a test."""
    short = plain(name)
    operation = short.removeprefix("llvm.amdgcn.")
    valued = short in (*ID_NAMES, *MINMAX, *REDUCED, *INTRINSICS, *SAME) or bool(_ZERO.fullmatch(short))
    valued = valued or ".mbcnt." in short or name == ASSUME
    return valued or operation in SIGNATURES or bool(TOKEN_NAME.fullmatch(short) or _AV.fullmatch(name))


def is_av(name: str) -> bool:
    """Say whether a call of this function is an `av` load or store."""
    return bool(_AV.fullmatch(name))


def computing(name: str) -> bool:
    """Say whether a call of this function computes a number of numbers."""
    return plain(name) in (*MINMAX, *REDUCED, *INTRINSICS)


def needs_kernel(instruction: Instruction) -> bool:
    """Say whether only a kernel of the test language has this operation: ids, what asks other lanes, tokens."""
    name = plain(instruction.callee)
    operation = name.removeprefix("llvm.amdgcn.")
    if operation == "s.barrier" and not instruction.token:
        return False
    return operation in SIGNATURES or name in ID_NAMES or ".mbcnt." in name or bool(TOKEN_NAME.fullmatch(name))


class IntrinsicCalls:
    """The calls of one function; `barriers` are the named barriers of the module."""

    def __init__(self, module: Module, values: Values, barriers: dict[str, str]) -> None:
        self.module = module
        self.values = values
        self.barriers = barriers

    def value(self, call: Instruction) -> Expr | None:
        """Return the expression that a call stands for, if it is one."""
        name = plain(call.callee)
        if name in ID_NAMES:
            return Register(ID_NAMES[name], span=call.span)
        if _ZERO.fullmatch(name):
            return Number(0, type_of(call.type, call.span), call.span)
        if name in MINMAX:
            left, right = (self.values.expr(operand) for operand in call.operands[:2])
            return _joined(MINMAX[name], left, right, call.span)
        if name in REDUCED:
            (operand,) = call.operands
            whole = self.values.expr(operand)
            lanes = (lane(whole, i) for i in range(operand.type.count))
            return reduce(lambda left, right: _joined(REDUCED[name], left, right, call.span), lanes)
        if name in INTRINSICS:
            operands = tuple(self.values.expr(operand) for operand in call.operands)
            found = self.values.floats.computed(call, INTRINSICS[name], operands)
            return replace(found, type=type_of(call.type, call.span)) if ".sat" in name else found
        if name in SAME:
            return self.values.expr(call.operands[0])
        if ".mbcnt." in name:
            return self.below(call, name)
        return None

    def below(self, call: Instruction, name: str) -> Expr:
        """Return how many lanes there are below: mbcnt.hi of mbcnt.lo is the lane's number."""
        mask, base = (self.values.expr(operand) for operand in call.operands[:2])
        if not isinstance(mask, Number) or mask.value not in _WHOLE:
            raise Unspeakable(call.span, "mbcnt is known with the mask -1 alone", "it counts the lanes below")
        if name.endswith(".hi"):
            return base
        number = Register(IDS[3], span=call.span)
        if isinstance(base, Number) and not base.value:
            return number
        return IntegerOperation("add", (base, number), span=call.span)

    def statement(self, call: Instruction, register: str) -> Statement:
        """Return the statement that a call is; its result goes to a register."""
        name = plain(call.callee)
        operation = name.removeprefix("llvm.amdgcn.")
        if token := TOKEN_NAME.fullmatch(name):
            return ConvergenceToken(register, token[1], self.token(call), span=call.span)
        if name == ASSUME:
            return Assume(true_where(self.values.expr(call.operands[0])), span=call.span)
        if operation in SIGNATURES:
            return self.convergent(call, operation, register)
        if found := _AV.fullmatch(call.callee):
            return self.available(call, found, register)
        known = [*(f"llvm.amdgcn.{each}" for each in SIGNATURES), *ID_NAMES, *MINMAX]
        raise Unspeakable(call.span, f"'@{call.callee}' has no meaning in a test", did_you_mean(name, known))

    def token(self, call: Instruction) -> str:
        """Return the register of the convergence token of a call, if it has one."""
        return self.values.registers[call.token] if call.token else ""

    def convergent(self, call: Instruction, operation: str, register: str) -> Call:
        """Return a convergent operation."""
        signature, operands, barrier = SIGNATURES[operation], list(call.operands), ""
        if "barrier" in signature.operands:
            named = self.values.held(operands.pop(0))
            if not isinstance(named, AddressOf) or named.location not in self.barriers.values():
                raise Unspeakable(call.span, 'a named barrier is a variable of the type target("amdgcn.named.barrier")')
            barrier = named.location
        found = tuple(self.values.expr(operand) for operand in operands)
        type_ = type_of(call.type, call.span) if signature.result else None
        return Call(operation, found, register if signature.result else "", type_, barrier, self.token(call),
                    span=call.span)  # fmt: skip

    def available(self, call: Instruction, found: re.Match[str], register: str) -> Statement:
        """Return the load or store that an av intrinsic is."""
        type_ = AV_TYPES[int(found[2])]
        mode = AccessMode(scope=self.scope(call.operands[-1]), av=True, tags=call.mode.tags,
                          nontemporal=call.mode.nontemporal, provenance=call.mode.provenance)  # fmt: skip
        address = self.values.address(call.operands[0], type_)
        if found[1] == "load":
            return Load(register, type_, address, mode, span=call.span)
        return Store(self.values.expr(call.operands[1]), type_, address, mode, span=call.span)

    def scope(self, operand: Operand) -> SyncScope:
        """Return the scope that metadata names: `metadata !0`, whose node holds a string."""
        name = ""
        if operand.type == METADATA and isinstance(operand.value, ConstantExpression):
            shown = operand.value.operation
            node = self.module.metadata.get(shown.removeprefix("!"), MetadataNode((), operand.span))
            if shown.startswith('!"'):
                name = shown[2:-1]
            elif len(node.items) == 1 and isinstance(node.items[0], str):
                name = node.items[0]
            else:
                raise Unspeakable(operand.span, "a scope is a metadata string", 'write metadata !"agent"')
        scopes = syncscopes(AMDGPU)
        if name not in scopes:
            raise Unspeakable(operand.span, f"unknown scope '{name}'", did_you_mean(name, [n for n in scopes if n]))
        return scopes[name]


def _joined(word: str, left: Expr, right: Expr, span: Span) -> Expr:
    """Return an operation on two values, or, of a comparison, the one for which it holds."""
    made = IntegerOperation(word, (left, right), span=span)
    return IntegerOperation("select", (made, left, right), span=span) if word in MINMAX.values() else made
