"""Functions of which nothing is said, each as a kernel of one lane: for questions that need no execution.

What goes in: the text of a module, and the name of a function that it defines. What comes out: a test whose one kernel
is that function. A parameter is one value, of which no analysis of loops makes use: a pointer is that of
memory of its own. A call and a branch that nobody knows stand in the place of `invoke` and `callbr`, a switch in that
of `indirectbr` and `catchswitch`; what leaves the function by unwinding returns. Instructions that compute what no test
has are calls that nobody knows. Invariant: no other function
is looked into, as LLVM's analyses of a function do not; one that is called is taken to do anything that LLVM's passes
ask calls about.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.formats.ir import finished
from axmem.formats.ir.assembly import Assembly
from axmem.formats.ir.comments import Comments, ParameterComment, RunUnit
from axmem.formats.ir.memory import EXTERNAL, Unspeakable
from axmem.formats.ir.names import FreshNames
from axmem.formats.ir.syntax import Function, Global, Instruction, Operand, Parameter
from axmem.formats.ir.types import IRType, integer, value_type
from axmem.formats.ir.uses import repeats
from axmem.formats.ir.whole import whole
from axmem.front.records import replace
from axmem.front.source import InputError, Source
from axmem.litmus.kernels import Launch
from axmem.litmus.syntax import AddressOf, Expr, LitmusTest, Number, Placement, Register, UndefValue

BYTES = 64
"""The size of the memory behind a pointer of which nothing is said; analyses do not ask for it."""
_BYTES = IRType("array", count=BYTES, element=IRType("int", 8))


def function_test(source: Source, name: str) -> LitmusTest:
    """Return the test that one function of a module is; raise `InputError` for what of it has no meaning in a test."""
    read = whole(source)
    read.check(name)
    module = read.module
    function = module.functions[name]
    names = FreshNames(spell=str)
    for each in module.globals:
        names[each]
    memory: dict[str, Global] = {}
    arguments = []
    parameters = []
    for parameter in function.parameters:
        type_ = value_type(parameter.type)
        if type_ is None:
            continue
        if parameter.type.kind == "ptr":
            made = _memory(names.fresh(f"{parameter.name}.memory"), parameter)
            memory[made.name] = made
            value: Expr = AddressOf(made.name)
        else:
            value = UndefValue(type_) if type_.lanes else Number(0, type_)
        parameters.append(parameter)
        arguments.append(ParameterComment((value,), choice=False, span=parameter.span))
    comments = Comments(Source(module.source.name, ""))
    comments.units = [RunUnit("", name, Placement(), tuple(arguments), Launch(), function.span)]
    kept = {each: replace(other, blocks=()) for each, other in module.functions.items()}
    try:
        kept[name] = without_unwinding(replace(function, parameters=tuple(parameters)))
    except Unspeakable as reason:
        raise InputError([reason.about(module)]) from None
    variables = {n: _initialized(each) for n, each in module.globals.items()}
    return finished(Assembly(replace(module, functions=kept, globals=variables | memory), comments, unasked=True), [])


def _memory(name: str, parameter: Parameter) -> Global:
    """Return the memory behind a pointer."""
    zero = Operand(_BYTES, Number(0))
    return Global(name, _BYTES, parameter.type.space, zero, (), parameter.span, align=BYTES)


def _initialized(variable: Global) -> Global:
    """Return a variable of the module with a size and an initial value, which analyses do not ask for either."""
    words = tuple(word for word in variable.words if word not in EXTERNAL)
    made = Operand(_BYTES, Number(0), variable.span)
    return replace(variable, type=_BYTES, initial=made, words=words, align=BYTES)


_CALLS = ("invoke", "callbr")
_LEAVING = ("resume", "cleanupret", "catchret")
_PADS = ("landingpad", "catchpad", "cleanuppad")
_BRANCHING = (*_CALLS, *_LEAVING, "catchswitch", "indirectbr")


def without_unwinding(function: Function) -> Function:
    """Return a function whose blocks end as those of a test. Raises `Unspeakable` for a loop of `indirectbr`."""
    everything = [each for block in function.blocks for each in block.instructions]
    if not any(each.operation in (*_BRANCHING, *_PADS) for each in everything):
        return function
    blocks = []
    for block in function.blocks:
        last = block.instructions[-1]
        if last.operation == "indirectbr" and any(repeats(function, each) for each in (block.name, *last.targets)):
            message = "a loop in which 'indirectbr' stands, or into which it goes, is not followed"
            raise Unspeakable(last.span, message, "LLVM transforms no such loop: leave it out")
        inside = tuple(each for each in block.instructions if each.operation not in (*_BRANCHING, *_PADS))
        if last.operation in _BRANCHING:
            inside += tuple(_meant(last, block.name))
        blocks.append(replace(block, instructions=inside))
    return replace(function, blocks=tuple(blocks))


def _meant(last: Instruction, block: str) -> Iterator[Instruction]:
    """Yield what stands for the end of a block."""
    if last.operation in _CALLS:
        yield replace(last, operation="call", targets=())
    if not last.targets:
        yield Instruction("ret", span=last.span)
    elif len(last.targets) == 1:
        yield Instruction("br", targets=last.targets, span=last.span)
    else:
        name, type_ = f"{block}.goes", integer(1 if len(last.targets) == 2 else 32)
        yield Instruction("freeze", name, type_, (Operand(type_, UndefValue()),), span=last.span)
        chosen = Operand(type_, Register(name), last.span)
        numbers = tuple(Operand(type_, Number(n), last.span) for n in range(1, len(last.targets)))
        two = len(last.targets) == 2
        operands = (chosen,) if two else (chosen, *numbers)
        yield Instruction("br" if two else "switch", operands=operands, targets=last.targets, span=last.span)
