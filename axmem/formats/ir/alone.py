"""Functions of which nothing is said, each as a kernel of one lane: for questions that need no execution.

What goes in: the text of a module, and the name of a function that it defines. What comes out: a test whose one kernel
is that function. A parameter is one value, of which no analysis of loops makes use: a pointer is that of
memory of its own. Instructions that compute what no test has are calls that nobody knows. Invariant: no other function
is looked into, as LLVM's analyses of a function do not; one that is called is taken to do anything that LLVM's passes
ask calls about.
"""

from __future__ import annotations

from axmem.formats.ir import finished
from axmem.formats.ir.assembly import Assembly
from axmem.formats.ir.comments import Comments, ParameterComment, RunUnit
from axmem.formats.ir.memory import EXTERNAL, Unspeakable
from axmem.formats.ir.names import FreshNames
from axmem.formats.ir.syntax import Global, Operand, Parameter
from axmem.formats.ir.types import IRType, value_type
from axmem.formats.ir.unwinding import without_unwinding
from axmem.formats.ir.whole import whole
from axmem.front.records import replace
from axmem.front.source import InputError, Source
from axmem.litmus.kernels import Launch
from axmem.litmus.syntax import AddressOf, Expr, LitmusTest, Number, Placement, UndefValue

BYTES = 64
"""The size of the memory behind a pointer of which nothing is said; analyses do not ask for it."""
_BYTES = IRType("array", count=BYTES, element=IRType("int", 8))


def alone(source: Source, name: str) -> LitmusTest:
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
