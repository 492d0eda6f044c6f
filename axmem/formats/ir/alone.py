"""Functions of which nothing is said, each as a kernel of one lane: for questions that need no execution.

What goes in: the text of a module, and the name of a function that it defines. What comes out: a test whose one kernel
is that function. A parameter is one value, of which no analysis of loops or of uniformity makes use: a pointer is that
of memory of its own. Invariant: no other function is looked into, as LLVM's analyses of a function do not; one that
is called is taken to do anything that LLVM's passes ask calls about.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from axmem.formats.ir import finished
from axmem.formats.ir.assembly import Assembly
from axmem.formats.ir.comments import Comments, ParameterComment, RunUnit
from axmem.formats.ir.memory import EXTERNAL, Unspeakable
from axmem.formats.ir.names import FreshNames
from axmem.formats.ir.parser import CONVERGENT, ModuleParser
from axmem.formats.ir.syntax import Global, Module, Operand, Parameter
from axmem.formats.ir.types import IRType, value_type
from axmem.front.records import replace
from axmem.front.source import Diagnostic, InputError, Source, first_errors
from axmem.litmus.kernels import Declaration, Launch
from axmem.litmus.syntax import AddressOf, Expr, LitmusTest, Number, Placement, Type, UndefValue

BYTES = 64
"""The size of the memory behind a pointer of which nothing is said; analyses do not ask for it."""


def defined(source: Source) -> tuple[str, ...]:
    """Return the names of the functions that a module defines."""
    return tuple(name for name, function in _parsed(source)[0].functions.items() if function.blocks)


@lru_cache(maxsize=1)
def _parsed(source: Source) -> tuple[Module, tuple[Diagnostic, ...]]:
    """Return a module, and what of it cannot be read."""
    parser = ModuleParser(source)
    return parser.module(), tuple(parser.diagnostics)


def alone(source: Source, name: str) -> LitmusTest:
    """Return the test that one function of a module is; raise `InputError` for what of it has no meaning in a test."""
    module, diagnostics = _parsed(source)
    first = module.functions[name].span.line
    others = (f.span.line for f in module.functions.values() if f.span.line > first)
    end = min(others, default=source.text.count("\n") + 2)
    wrong = [each for each in diagnostics if first <= each.span.line < end]
    if wrong:
        raise InputError(first_errors(wrong))
    function = module.functions[name]
    names = FreshNames(spell=str)
    for each in module.globals:
        names[each]
    memory: dict[str, Global] = {}
    arguments = []
    try:
        for parameter in function.parameters:
            if parameter.type.kind == "ptr":
                made = _memory(names.fresh(f"{parameter.name}.memory"), parameter)
                memory[made.name] = made
                value: Expr = AddressOf(made.name)
            else:
                value = _number(parameter)
            arguments.append(ParameterComment((value,), choice=False, span=parameter.span))
    except Unspeakable as reason:
        raise InputError([reason.about(module)]) from None
    comments = Comments(Source(module.source.name, ""))
    comments.units = [RunUnit("", name, Placement(), tuple(arguments), Launch(), function.span)]
    comments.functions = list(_declared(module, name))
    kept = {name: function} | {n: replace(f, blocks=()) for n, f in module.functions.items() if n != name}
    variables = {n: _initialized(each) for n, each in module.globals.items()}
    return finished(Assembly(replace(module, functions=kept, globals=variables | memory), comments), [])


def _memory(name: str, parameter: Parameter) -> Global:
    """Return the memory behind a pointer."""
    type_ = IRType("array", count=BYTES, element=IRType("int", 8))
    return Global(name, type_, parameter.type.space, Operand(type_, Number(0)), (), parameter.span, align=BYTES)


def _number(parameter: Parameter) -> Expr:
    """Return what a parameter is that is no pointer."""
    type_ = value_type(parameter.type)
    if type_ is None:
        raise Unspeakable(parameter.span, f"a parameter of type {parameter.type} has no meaning in a test")
    return UndefValue(type_) if type_.lanes else Number(0, type_)


def _declared(module: Module, own: str) -> Iterator[Declaration]:
    """Yield what is said of the other functions."""
    for name, function in module.functions.items():
        if name != own and not name.startswith("llvm."):
            types = tuple(value_type(p.type) or Type(32) for p in function.parameters)
            yield Declaration(name, types, CONVERGENT in function.attributes, function.span)


def _initialized(variable: Global) -> Global:
    """Return a variable of the module with an initial value, which analyses do not ask for either."""
    if variable.initial is not None or not variable.type.sized:
        return variable
    words = tuple(word for word in variable.words if word not in EXTERNAL)
    return replace(variable, initial=Operand(variable.type, Number(0), variable.span), words=words)
