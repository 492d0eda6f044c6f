"""The text of what kernels have and threads do not.

What goes in: a typed kernel, or a statement of one. What comes out: its canonical spelling on one line. Invariant: as
`axmem.litmus.printer`, which prints the rest.
"""

from __future__ import annotations

from axmem.litmus.kernels import SIGNATURES, Declaration, KernelParameter
from axmem.litmus.loop_printer import loop_attachment
from axmem.litmus.spelling import INTEGERS, type_name
from axmem.litmus.syntax import (
    I1,
    I32,
    Branch,
    Call,
    ConvergenceToken,
    Expr,
    For,
    Kernel,
    Label,
    Phi,
    Return,
    Statement,
    Switch,
    Type,
    Unreachable,
    While,
)
from axmem.litmus.values import UNARY, natural, register_text, value_text


def declaration_text(function: Declaration) -> str:
    """Return the line that declares a function."""
    parameters = ", ".join(map(type_name, function.parameters))
    return f"declare void @{function.name}({parameters}){' convergent' * function.convergent}"


def launch_text(kernel: Kernel) -> str:
    """Return the counts of a launch that are not one, and `optnone`."""
    launch = kernel.launch
    shape = {"workgroups": launch.workgroups, "wavefronts": launch.wavefronts, "lanes": launch.lanes}
    counts = ", ".join(f"{word} {count}" for word, count in shape.items() if count != 1)
    return " ".join([*([counts] if counts else []), *(["optnone"] if kernel.optnone else [])])


def parameters_text(kernel: Kernel) -> str:
    """Return the parameters in parentheses."""
    return f"({', '.join(map(_parameter, kernel.parameters))})"


def _parameter(parameter: KernelParameter) -> str:
    values = ", ".join(value_text(value, parameter.type, 0) for value in parameter.values)
    head = f"{type_name(parameter.type)} {register_text(parameter.name)}"
    return f"{head} in {{{values}}}" if parameter.choice else f"{head} = {values}"


def control_text(statement: Statement) -> str:
    """Return the line of a statement that kernels alone have, a loop without its body."""
    match statement:
        case Label(name=name):
            return f"{name}:"
        case Phi(register=register, type=type_, incoming=incoming):
            shown = type_ or I32
            pairs = ", ".join(f"[ {value_text(each.value, shown)}, {target_text(each.block)} ]" for each in incoming)
            return f"{register_text(register)} = phi {type_name(shown)} {pairs}"
        case Branch(targets=targets, condition=condition):
            shown_targets = ", ".join(map(target_text, targets))
            asked = "" if condition is None else f"{value_text(condition, I1)}, "
            attached = loop_attachment(statement.loop)
            return f"br {asked}{shown_targets}{', ' * bool(attached)}{attached}"
        case Switch(value=value, default=default, cases=cases):
            inside = ", ".join(f"{case.value.value}, {target_text(case.block)}" for case in cases)
            return f"switch {_stated(value)}, {target_text(default)} [ {inside} ]"
        case Return():
            return "ret void"
        case Unreachable():
            return "unreachable"
        case ConvergenceToken(register=register, kind=kind):
            called = f"call token @llvm.experimental.convergence.{kind}()"
            return f"{register_text(register)} = {called}{_bundle(statement.token)}"
        case Call():
            return _call(statement)
    raise AssertionError(f"{type(statement).__name__} is no statement of kernels alone")


def loop_text(loop: While | For) -> str:
    """Return the line of a loop up to its brace."""
    if isinstance(loop, While):
        return f"while {value_text(loop.condition, I1)}"
    type_ = loop.first.type or I32
    first, last = (value_text(bound, type_, 0) for bound in (loop.first, loop.last))
    return f"for {register_text(loop.register)} in {first}..{last}"


def target_text(name: str) -> str:
    """Return the name of a block where a branch names it, with the sigil where the bare word would mean something."""
    return f"%{name}" if name.isdigit() or name == "label" else name


def _bundle(token: str) -> str:
    return f' [ "convergencectrl"(token %{token}) ]' if token else ""


def _call(call: Call) -> str:
    result = f"{register_text(call.register)} = " if call.register else ""
    if call.operation not in SIGNATURES:
        inside = ", ".join(_stated(value) for value in call.operands)
        return f"{result}call void {call.operation}({inside}){_bundle(call.token)}"
    signature = SIGNATURES[call.operation]
    kinds = [kind for kind in signature.operands if kind != "barrier"]
    known = [call.type or I32 if kind == "T" else INTEGERS.get(kind, Type(16)) for kind in kinds]
    values = [value_text(value, type_) for value, type_ in zip(call.operands, known, strict=True)]
    stated = signature.result in ("T", "N") and call.type is not None
    typed = natural(call.operands[0]) == call.type if signature.result == "T" else call.type == Type(64)
    if stated and not typed and call.type is not None:
        shown = f"call {type_name(call.type)} @llvm.amdgcn.{call.operation}.{suffix_of(call.type)}"
        pairs = (f"{type_name(type_)} {value}" for type_, value in zip(known, values, strict=True))
        return f"{result}{shown}({', '.join(pairs)}){_bundle(call.token)}"
    words = [call.operation, ", ".join([*([call.barrier] if call.barrier else []), *values])]
    return result + " ".join(word for word in words if word) + _bundle(call.token)


def suffix_of(type_: Type) -> str:
    """Return how the name of an overloaded intrinsic ends."""
    lanes = f"v{type_.lanes}" if type_.lanes else ""
    return f"{lanes}p{int(type_.pointer)}" if type_.pointer is not None else f"{lanes}i{type_.bits}"


def _stated(value: Expr) -> str:
    type_ = value.type or I32
    return f"{type_name(type_)} {value_text(value, type_, UNARY)}"
