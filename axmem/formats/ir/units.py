"""Which functions of a module are threads and kernels of an extraction, and what their parameters are.

What goes in: a module, its comments, and the functions that are named, perhaps with arguments and a launch. What comes
out: `RunUnit`s, and their functions with the arguments that are known in place of parameters. Invariant: a kernel has a
launch; parameters of two functions that have no name are two, unless arguments say otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import prod

from axmem.formats.ir.attributes import bounded, workgroup_size
from axmem.formats.ir.comments import Comments, RunUnit
from axmem.formats.ir.inlining import called
from axmem.formats.ir.memory import Unspeakable
from axmem.formats.ir.syntax import Block, ConstantExpression, Function, Global, Instruction, Module, Operand, Value
from axmem.formats.ir.types import VOID
from axmem.front.output import counted
from axmem.front.records import replace
from axmem.front.source import NOWHERE, InputError, Source, did_you_mean, first_errors, mistake
from axmem.litmus.kernels import Launch
from axmem.litmus.syntax import AddressOf, Expr, Number, Placement, Register

_KERNELS = frozenset({"amdgpu_kernel", "spir_kernel", "ptx_kernel"})
"""Calling conventions of functions that are launched."""
LDS_SPACE = 3
MOST = 4
"""Workgroups of so many lanes are launched whole where nothing says how."""
_WORKGROUP = re.compile(r"workgroup\.id|get_group_id|get_global_id")
"""Functions that tell workgroups apart."""
_LANE = re.compile(
    r"workitem\.id|get_(global|local)_(linear_)?id|lane|mbcnt|wave|ballot|bpermute|swizzle|dpp|permute|sub_?group|work_group"
)
"""Functions that tell lanes apart, or that lanes execute together."""
OPTION = "--function"
_MANGLED = re.compile(r"_Z(\d+)(?=[A-Za-z_])")
_NO_MARK = re.compile("")
"""What stands before a line of comments in the option: nothing."""


def is_kernel(function: Function) -> bool:
    """Say whether a function is one that is launched."""
    return not _KERNELS.isdisjoint(function.words)


def entries(module: Module) -> list[str]:
    """Return the functions that are run where nothing says which: those that no other one calls.

    In a module with kernels they are the kernels: what else is not called there was put in place of its calls.
    """
    inside = called(module)
    found = [f for f in module.functions.values() if f.blocks and f.name not in inside]
    return [each.name for each in found if is_kernel(each)] or [each.name for each in found]


def units(
    module: Module, comments: Comments, named: Sequence[str], *, small: bool = False, whole: bool = False
) -> tuple[list[RunUnit], tuple[str, ...]]:
    """Return the threads and kernels of a test, and the functions whose launch is guessed. Raises InputError.

    They are those that are named, else those of comments, else `entries`. A guess that is `small` has single lanes; of
    the `whole` program a workgroup that fits into one wave is one, as its code may rely on that.
    """
    known = [name for name, function in module.functions.items() if function.blocks]
    if not named and comments.units:
        return [unit for unit in comments.units if unit.function in known], ()
    found = [_named(text, module, known) for text in named or entries(module)]
    guessed = [u for u in found if u.launch is None and u.arguments is None and is_kernel(module.functions[u.function])]
    made = [
        replace(unit, launch=_launch(module, unit.function, 1 if small else 2, alone=len(found) == 1, apart=not whole))
        if unit in guessed else unit
        for unit in found
    ]
    return _called_as_in_the_source(made), tuple(dict.fromkeys(unit.function for unit in guessed))


def source_name(function: str) -> str:
    """Return the name that a function has in its source: of `_Z4prodPiS_` it is `prod`."""
    match = _MANGLED.match(function)
    length = int(match[1]) if match else 0
    return function[match.end() : match.end() + length] if match and len(function) >= match.end() + length else function


def _called_as_in_the_source(found: list[RunUnit]) -> list[RunUnit]:
    """Return what is run under the names of the source, where these tell functions apart."""
    names = Counter(source_name(function) for function in {unit.function for unit in found})
    made = []
    for number, unit in enumerate(found):
        name, before = source_name(unit.function), sum(unit.function == other.function for other in found[:number])
        mangled = name != unit.function and names[name] == 1 and not unit.name
        made.append(replace(unit, name=f"{name}_{before + 1}" if before else name) if mangled else unit)
    return made


def _named(text: str, module: Module, known: Collection[str]) -> RunUnit:
    """Return the unit that a name means, or `F(@x, 1) workgroups 2`, as comments say it."""
    if text.removeprefix("@") in known or not {*text} & {*" ("}:
        unit = RunUnit("", text.removeprefix("@"), Placement(), None, None, NOWHERE)
    else:
        said = Comments(Source(OPTION, f"kernel {text}"), _NO_MARK)
        said.items()
        if said.cursor.diagnostics:
            raise InputError(first_errors(said.cursor.diagnostics))
        (unit,) = said.units
    if unit.function not in known:
        hint = did_you_mean(unit.function, known) or f"there are {', '.join(known) or 'none'}"
        raise mistake(OPTION, f"{module.source.name} defines no such function", hint, text=unit.function)
    function = module.functions[unit.function]
    if unit.launch == Launch() and not is_kernel(function):
        unit = replace(unit, launch=None)
    return replace(unit, span=function.span)


def _launch(module: Module, name: str, lanes: int, *, alone: bool, apart: bool) -> Launch:
    """Return the launch that is guessed of a kernel: lanes that are apart in each way that its code may tell.

    One that shares the memory or the barrier of a workgroup has several waves there, another several workgroups; one
    that also asks for the number of its workgroup has both, and one lane of each. So has one that asks for that alone,
    and not for what tells lanes apart, if it says no size of workgroups. Beside other kernels two lanes are what can be
    asked about. Workgroups that have few lanes, as the function promises, have as many here, in two waves if they may
    be `apart`.
    """
    promised = prod(workgroup_size(module.functions[name], module) or (MOST + 1,))
    if promised == 1:
        return Launch(workgroups=2 if alone else 1)
    if not alone:
        return Launch(lanes=lanes)
    functions = _reached(module, name)
    spaces = {o.type.space for f in functions for i in _instructions(f) for o in i.operands if o.type.kind == "ptr"}
    callees = {each.callee for f in functions for each in _instructions(f)}
    meets = LDS_SPACE in spaces or any("s.barrier" in each for each in callees)
    if promised <= MOST:
        waves = 2 if apart and meets and promised % 2 == 0 else 1
        return Launch(workgroups=1 if meets else 2, wavefronts=waves, lanes=promised // waves)
    told = any(_WORKGROUP.search(each) for each in callees)
    if meets and told:
        return Launch(workgroups=2, wavefronts=2)
    if told and not bounded(module.functions[name]) and not any(_LANE.search(each) for each in callees):
        return Launch(workgroups=2)
    return Launch(wavefronts=2, lanes=lanes) if meets else Launch(workgroups=2, lanes=lanes)


def _reached(module: Module, name: str) -> list[Function]:
    """Return a function and those of the module that it calls, directly or not."""
    found = [name]
    for each in found:
        callees = {i.callee for i in _instructions(module.functions[each])} & module.functions.keys()
        found += sorted(callees.difference(found))
    return [module.functions[each] for each in found]


def _instructions(function: Function) -> Iterator[Instruction]:
    return (each for block in function.blocks for each in block.instructions)


# ---------------------------------------------------------------- parameters


def bound(module: Module, found: Sequence[RunUnit]) -> Module:
    """Return a module with a variable for each that arguments name and it lacks.

    Memory of a workgroup whose size the launch says is one without a type, which is as large as it is accessed; several
    names of it are one, since it begins at one place.
    """
    module = _one_dynamic(module)
    variables = {n: replace(each, type=VOID) if is_dynamic(each) else each for n, each in module.globals.items()}
    for unit in found:
        for parameter, argument in zip(module.functions[unit.function].parameters, unit.arguments or (), strict=False):
            for value in argument.values:
                if isinstance(value, AddressOf) and parameter.type.kind == "ptr":
                    zero = Operand(VOID, Number(0, span=argument.span))
                    made = Global(value.location, VOID, parameter.type.space, zero, (), argument.span)
                    variables.setdefault(value.location, made)
    return replace(module, globals=variables)


def _one_dynamic(module: Module) -> Module:
    """Return a module in which memory of a workgroup whose size the launch says has one name."""
    names = [each.name for each in module.globals.values() if is_dynamic(each)]
    if len(names) < 2:
        return module

    def value(old: Value) -> Value:
        if isinstance(old, ConstantExpression):
            return replace(old, operands=tuple(replace(o, value=value(o.value)) for o in old.operands))
        return replace(old, location=names[0]) if isinstance(old, AddressOf) and old.location in names else old

    def block(old: Block) -> Block:
        renamed = ((i, (replace(o, value=value(o.value)) for o in i.operands)) for i in old.instructions)
        return replace(old, instructions=tuple(replace(each, operands=tuple(by)) for each, by in renamed))

    functions = {n: replace(f, blocks=tuple(map(block, f.blocks))) for n, f in module.functions.items()}
    return replace(module, globals={n: v for n, v in module.globals.items() if n not in names[1:]}, functions=functions)


def is_dynamic(variable: Global) -> bool:
    """Say whether a variable is memory of a workgroup of which the launch says how much there is: `[0 x T]`."""
    array = variable.type.kind == "array" and not variable.type.count
    return array and variable.space == LDS_SPACE and variable.initial is None


def with_arguments(function: Function, unit: RunUnit) -> tuple[Function, RunUnit]:
    """Return a function and its unit with each argument that is one value in place of its parameter.

    Raises `Unspeakable` for another number of arguments.
    """
    if unit.arguments is None:
        return function, unit
    refuse_other_number(function, unit)
    pairs = [*zip(function.parameters, unit.arguments, strict=True)]
    known = {p.name: a.values[0] for p, a in pairs if len(a.values) == 1}
    left = tuple(a for p, a in pairs if p.name not in known)
    parameters = tuple(p for p, _ in pairs if p.name not in known)
    return replace(put(function, known), parameters=parameters), replace(unit, arguments=left or None)


def refuse_other_number(function: Function, unit: RunUnit) -> None:
    """Raise `Unspeakable` for arguments that are more or fewer than the parameters of their function."""
    given, taken = len(unit.arguments or ()), len(function.parameters)
    if given != taken:
        raise Unspeakable(unit.span, f"'@{function.name}' takes {counted(taken, 'argument')}, not {given}")


def apart(function: Function, names: Mapping[str, str]) -> Function:
    """Return a function whose parameters have other names."""
    parameters = tuple(replace(p, name=names.get(p.name, p.name)) for p in function.parameters)
    return replace(put(function, {old: Register(new) for old, new in names.items()}), parameters=parameters)


def put(function: Function, values: Mapping[str, Expr]) -> Function:
    """Return a function in which values stand in place of others, by their names."""

    def instruction(each: Instruction) -> Instruction:
        operands = (replace(o, value=_put(o.value, values)) for o in each.operands)
        return replace(each, operands=tuple(operands))

    blocks = tuple(replace(b, instructions=tuple(map(instruction, b.instructions))) for b in function.blocks)
    return replace(function, blocks=blocks)


def _put(value: Value, values: Mapping[str, Expr]) -> Value:
    if isinstance(value, ConstantExpression):
        operands = (replace(o, value=_put(o.value, values)) for o in value.operands)
        return replace(value, operands=tuple(operands))
    return values.get(value.name, value) if isinstance(value, Register) else value


def unnamed(functions: Collection[Function]) -> dict[str, dict[str, str]]:
    """Return, by function, other names of the pointers among its parameters that have none, where there are several.

    Equal numbers of different functions say nothing.
    """
    if len(functions) < 2:
        return {}
    return {
        f.name: {p.name: f"{f.name}.arg{p.name}" for p in f.parameters if p.name.isdecimal() and p.type.kind == "ptr"}
        for f in functions
    }
