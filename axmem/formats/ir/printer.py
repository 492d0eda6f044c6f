"""The tree of LLVM IR as text, as LLVM writes it.

What goes in: a module, a function, an instruction, a value. What comes out: its text. Invariant: the text is read as
the same tree, and LLVM reads it as the module that was read. A `Naming` says how names of values and blocks are
written, so that whoever gives them other names, or writes in their place what computes them, makes no other tree.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from math import isfinite

from axmem.formats.ir.mnemonics import BINARY, CASTS, FLAGS, PLAIN
from axmem.formats.ir.syntax import BLANK, ConstantExpression, Function, Global, Instruction, Module, Operand, Value
from axmem.formats.ir.types import VOID, IRType
from axmem.front.records import replace
from axmem.litmus.lexer import encoded
from axmem.litmus.syntax import AccessMode, AddressOf, Number, Ordering, Register, UndefValue, VectorOf

Naming = Callable[[str], str]
_BARE = re.compile(r"[-a-zA-Z$._][-a-zA-Z$._0-9]*|[0-9]+")
_BRACKETS = {"vector": "<>", "scalable": "<>", "array": "[]", "struct": ("{ ", " }")}
_BEHIND_SPACE = "externally_initialized"
"""The word of a variable that stands behind its address space."""
_CALLS = ("tail", "musttail", "notail")
_HALVES = {"half": "H", "bfloat": "R"}
_FORMS = {"float": ("I", "f"), "double": ("Q", "d")}


@lru_cache(maxsize=1024)
def bare(name: str) -> str:
    """Return a name without its sigil, in quotes where LLVM needs them."""
    return name if _BARE.fullmatch(name) else encoded(name)


def local(name: str) -> str:
    """Return the name of a value or a block."""
    return f"%{bare(name)}"


shown = lru_cache(maxsize=1024)(str)
"""The text of a type."""


# ---------------------------------------------------------------- values


def value(found: Value, type_: IRType, name: Naming = local) -> str:
    """Return a value of a type."""
    match found:
        case Register():
            return name(found.name)
        case Number():
            return _number(found.value, type_)
        case UndefValue():
            return "poison" if found.poison else "undef"
        case AddressOf():
            return f"@{bare(found.location)}"
        case VectorOf():
            return _bytes(each.value for each in found.elements if isinstance(each, Number))
        case ConstantExpression():
            return _constant(found, type_, name)
    raise AssertionError(found)


def operand(found: Operand, name: Naming = local) -> str:
    """Return a value behind its type, and the attributes of an argument."""
    words = f" {_tight(found.words)}" if found.words else ""
    return f"{shown(found.type)}{words} {value(found.value, found.type, name)}"


def _number(number: int, type_: IRType) -> str:
    match type_.kind:
        case "int":
            return str(number) if type_.bits > 1 else "true" if number & 1 else "false"
        case "ptr":
            return "null"
        case "float" if type_.name in _HALVES:
            return f"0x{_HALVES[type_.name]}{number:04X}"
        case "float":
            bits, form = _FORMS[type_.name]
            (found,) = struct.unpack(form, struct.pack(bits, number))
            text = f"{found:e}"
            if isfinite(found) and float(text) == found:
                return text
            return f"0x{int.from_bytes(struct.pack('>d', found), 'big'):016X}"
    return "zeroinitializer"


def _constant(found: ConstantExpression, type_: IRType, name: Naming) -> str:
    operation, operands, words = found.operation, found.operands, "".join(f" {each}" for each in found.words)
    if operation == "aggregate":
        first = operands[0] if operands else None
        splat = type_.kind in ("vector", "scalable") and first and all(each == first for each in operands)
        if splat and first and isinstance(first.value, Number) and first.type.kind in ("int", "float"):
            return f"splat ({operand(first, name)})"
        return _aggregate(operands, type_, name)
    if not operands:
        return operation + words
    inside = ", ".join(operand(each, name) for each in operands)
    if operation == "getelementptr":
        return f"{operation}{words} ({shown(found.type or VOID)}, {inside})"
    return f"{operation}{words} ({inside}{f' to {shown(found.type)}' if found.type else ''})"


def _bytes(numbers: Iterable[int]) -> str:
    shown = (chr(n) if 32 <= n < 127 and n not in b'"\\' else f"\\{n:02X}" for n in numbers)
    return f'c"{"".join(shown)}"'


def _aggregate(operands: Iterable[Operand], type_: IRType, name: Naming) -> str:
    opening, closing = _BRACKETS[type_.kind]
    text = f"{opening}{', '.join(operand(each, name) for each in operands)}{closing}"
    return f"<{text}>" if type_.packed else text


def _tight(words: Iterable[str]) -> str:
    return " ".join(words).replace(" ( ", "(").replace(" )", ")").replace(" = ", "=")


# ---------------------------------------------------------------- instructions


def modifiers(mode: AccessMode) -> str:
    """Return the words of an access before its operands."""
    atomic = "atomic " if mode.ordering is not Ordering.NOT_ATOMIC else ""
    return atomic + ("volatile " if mode.volatile else "") + ("elementwise " if mode.elementwise else "")


def order(mode: AccessMode) -> str:
    """Return the scope and the ordering of an access."""
    if mode.ordering is Ordering.NOT_ATOMIC:
        return ""
    scope = mode.scope.spelling
    return (f' syncscope("{scope}")' if scope else "") + f" {mode.ordering.value}"


def instruction(each: Instruction, name: Naming = local) -> str:
    """Return an instruction with its result."""
    text = computed(each, name)
    return f"{name(each.result)} = {text}" if each.result else text


def computed(each: Instruction, name: Naming = local) -> str:
    """Return an instruction without its result."""
    text = _text(each, name)
    return text + "".join(f", !{kind} {node}" for kind, node in each.attached) if each.attached else text


def _text(each: Instruction, name: Naming) -> str:
    operation, mode, operands = each.operation, each.mode, each.operands
    inside = ", ".join([operand(o, name) for o in operands])
    match operation:
        case "load":
            return f"load {modifiers(mode)}{shown(each.type)}, {inside}{order(mode)}{_align(mode)}"
        case "store":
            return f"store {modifiers(mode)}{inside}{order(mode)}{_align(mode)}"
        case "atomicrmw":
            words = ("volatile " if mode.volatile else "") + each.words[0]
            return f"atomicrmw {words} {inside}{order(mode)}{_align(mode)}"
        case "cmpxchg":
            words = "".join(f"{word} " for word in each.words) + ("volatile " if mode.volatile else "")
            return f"cmpxchg {words}{inside}{order(mode)} {each.failure.value}{_align(mode)}"
        case "fence":
            return f"fence{order(mode)}"
        case "getelementptr":
            return f"getelementptr {_flags(each)}{shown(each.type)}, {inside}"
        case "alloca":
            space = f", addrspace({each.indices[0]})" if each.indices[0] else ""
            return f"alloca {shown(each.type)}{f', {inside}' if inside else ''}{_align(mode)}{space}"
        case "phi":
            pairs = zip(operands, each.targets, strict=True)
            rows = ", ".join([f"[ {value(o.value, o.type, name)}, {name(target)} ]" for o, target in pairs])
            return f"phi {_flags(each)}{shown(each.type)} {rows}"
        case "icmp" | "fcmp":
            return f"{operation} {_flags(each, 1)}{each.words[0]} {_alike(operands, name)}"
        case "extractvalue" | "insertvalue":
            return f"{operation} {inside}, {', '.join(map(str, each.indices))}"
        case "br" if operands:
            return f"br {inside}, label {name(each.targets[0])}, label {name(each.targets[1])}"
        case "br":
            return f"br label {name(each.targets[0])}"
        case "switch":
            first, *cases = operands
            rows = "".join(
                f"    {operand(o, name)}, label {name(target)}\n"
                for o, target in zip(cases, each.targets[1:], strict=True)
            )
            return f"switch {operand(first, name)}, label {name(each.targets[0])} [\n{rows}  ]"
        case "ret":
            return f"ret {inside or 'void'}"
        case "unreachable":
            return operation
        case "call" | "invoke" | "callbr":
            return _call(each, inside, name)
    if operation in BINARY:
        return f"{operation} {_flags(each)}{_alike(operands, name)}"
    if operation in CASTS:
        return f"{operation} {_flags(each)}{inside} to {shown(each.type)}"
    if operation in PLAIN:
        return f"{operation} {_flags(each)}{inside}"
    return " ".join((operation, *_filled(each, name)))


def _filled(each: Instruction, name: Naming) -> Iterator[str]:
    """Yield the words of an instruction of which nothing is known, with names in their places."""
    uses, targets, before = iter(each.operands), iter(each.targets), ""
    for word in each.words:
        if word != BLANK:
            yield word
        elif before == "label":
            yield name(next(targets))
        else:
            used = next(uses)
            yield value(used.value, used.type, name)
        before = word


def _alike(operands: tuple[Operand, ...], name: Naming) -> str:
    first, second = operands
    return f"{operand(first, name)}, {value(second.value, second.type, name)}"


def _flags(each: Instruction, begin: int = 0) -> str:
    return "".join([f"{word} " for word in each.words[begin:] if word in FLAGS]) if each.words else ""


def _align(mode: AccessMode) -> str:
    return "" if mode.align is None else f", align {mode.align}"


def _call(each: Instruction, arguments: str, name: Naming) -> str:
    """Return a call: the words before its type, what it calls, attributes behind its arguments, bundles, targets."""
    leading = [*each.leading]
    marker = f"{leading.pop(0)} " if leading and leading[0] in _CALLS else ""
    variadic = f" {leading.pop()}" if leading and leading[-1][0] == "(" and leading[-1].endswith("...)") else ""
    words = f"{_tight(leading)} " if leading else ""
    callee = each.callee
    if callee[:1] == "%":
        callee = name(callee[1:])
    elif not callee.startswith("asm "):
        callee = f"@{bare(callee)}"
    behind = [word for word in each.words if word not in FLAGS]
    text = f"{marker}{each.operation} {_flags(each)}{words}{shown(each.type)}{variadic} {callee}({arguments})"
    text += f" {_tight(behind)}" if behind else ""
    if each.bundles:
        text += " " + " ".join(name(word[1:]) if word[:1] == "%" else word for word in each.bundles)
    elif each.token:
        text += f' [ "convergencectrl"(token {name(each.token)}) ]'
    if each.operation == "invoke":
        return f"{text}\n          to label {name(each.targets[0])} unwind label {name(each.targets[1])}"
    if each.operation == "callbr":
        others = ", ".join(f"label {name(target)}" for target in each.targets[1:])
        return f"{text}\n          to label {name(each.targets[0])} [{others}]"
    return text


# ---------------------------------------------------------------- functions and modules


def lines(function: Function, name: Naming = local) -> Iterator[str]:
    """Yield the lines of a function's body; a first block without a name, or with a number, has no label."""
    for number, block in enumerate(function.blocks):
        if number or (block.name and not block.name.isdecimal()):
            yield f"{name(block.name)[1:]}:"
        for each in block.instructions:
            yield f"  {instruction(each, name)}"


def defined(function: Function, name: Naming = local) -> str:
    """Return the definition of a function."""
    return "\n".join((f"{_head(function, 'define', name)} {{", *lines(function, name), "}")) + "\n"


def declared(function: Function) -> str:
    """Return the declaration of a function."""
    return _head(function, "declare") + "\n"


def parameter(type_: IRType, words: Iterable[str], name: str = "") -> str:
    """Return a parameter: its type, its attributes, its name."""
    return " ".join(filter(None, (shown(type_), _tight(words), name)))


def _head(function: Function, word: str, name: Naming | None = None) -> str:
    inside = ", ".join(
        parameter(each.type, each.attributes, name(each.name) if name else "") for each in function.parameters
    )
    if function.variadic:
        inside = ", ".join(filter(None, (inside, "...")))
    words = (word, *function.words, f"{shown(function.result)} @{bare(function.name)}({inside})")
    return " ".join((*words, *function.attributes))


def module(found: Module) -> str:
    """Return a module with what its tree has: types, variables, functions, attributes, and metadata as it was."""
    named: dict[str, IRType] = {}
    for type_ in _types(found):
        _note(type_, named)
    types = (f"{name} = type {shown(replace(type_, name=''))}" for name, type_ in named.items())
    functions = (_own(each, found.groups) for each in found.functions.values())
    nodes = (found.source.line(each.span.line) for each in found.metadata.values())
    groups = (f"attributes {name} = {{ {' '.join(words)} }}" for name, words in found.groups.items())
    text = [*found.target, *types, *map(_variable, found.globals.values())]
    text += (defined(each) if each.blocks else declared(each) for each in functions)
    return "\n".join((*text, *groups, *nodes)) + "\n"


def _own(function: Function, groups: dict[str, tuple[str, ...]]) -> Function:
    """Return a function with its own attributes alone, which those of its groups follow."""
    words = function.attributes
    for count in range(len(words)):
        if count + sum(len(groups.get(word, ())) for word in words[:count]) == len(words):
            return replace(function, attributes=words[:count])
    return function


def _variable(each: Global) -> str:
    linkage = [word for word in each.words if word != _BEHIND_SPACE]
    space = [f"addrspace({each.space})"] if each.space else []
    words = [f"@{bare(each.name)} =", *linkage, *space, *(word for word in each.words if word == _BEHIND_SPACE)]
    words += ["constant" if each.constant else "global", shown(each.type)]
    words += [] if each.initial is None else [value(each.initial.value, each.type)]
    return " ".join(words) + ("" if each.align is None else f", align {each.align}")


def _types(found: Module) -> Iterator[IRType]:
    for variable in found.globals.values():
        yield variable.type
    for function in found.functions.values():
        yield function.result
        yield from (each.type for each in function.parameters)
        for each in (each for block in function.blocks for each in block.instructions):
            yield each.type
            yield from (used.type for used in each.operands)


def _note(type_: IRType, named: dict[str, IRType]) -> None:
    """Note the named types of which a type consists."""
    if type_.name[:1] == "%":
        if type_.name in named:
            return
        named[type_.name] = type_
    for each in filter(None, (type_.element, *type_.fields)):
        _note(each, named)
