"""What of a change of functions is arithmetic alone, which another tool decides.

What goes in: functions before and after a change. What comes out: the arithmetic that only one of them does on numbers
that are not constants. Executions have a few numbers each, so that two computations that agree on these may differ on
others: a change that is sound on them is not sound if its arithmetic is another. Loads, stores, updates, comparisons of
what is exchanged and calls are no arithmetic; a computation that nothing uses is none either.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import cast

from axmem.formats.ir.intrinsics import computing, plain
from axmem.formats.ir.opaque import shown
from axmem.formats.ir.pairs import instructions
from axmem.formats.ir.syntax import ConstantExpression, Function, Instruction, Operand
from axmem.front.records import dataclass, replace
from axmem.litmus.syntax import Number, Register

_NO_ARITHMETIC = frozenset(
    {
        "load", "store", "fence", "cmpxchg", "br", "switch", "ret", "unreachable", "phi", "alloca", "extractvalue",
        "insertvalue", "extractelement", "insertelement", "shufflevector", "select", "bitcast", "addrspacecast", "call",
        "ptrtoint", "inttoptr",
    }
)  # fmt: skip
"""What only passes values on, or is no computation."""
_LOSSLESS = frozenset({"add", "sub", "xchg"})
"""Arithmetic on what is loaded whose absence shows in the numbers that contexts write."""
_POISONING = frozenset({"nuw", "nsw", "exact", "disjoint", "nneg", "samesign", "inbounds", "nusw", "nnan", "ninf"})
"""Flags that make a result poison."""
_USED = frozenset({"store", "cmpxchg", "atomicrmw", "br", "switch", "ret", "call", "load"})


def other_arithmetic(before: Function, after: Function) -> tuple[str, ...]:
    """Return the operations that only one function does, in words, each once."""
    before, after = _offset(before), _offset(after)
    first, second = (_arithmetic(function) for function in (before, after))
    exchanges = (each for each in instructions(after) if each.operation == "atomicrmw" and each.words[0] == "xchg")
    nan = {key for each in exchanges for key in _nan(each)}
    new = [each for key, each in second.items() if first.keys().isdisjoint(_made_of(*key))]
    made = {key for each in second for key in _made_of(*each)}
    gone = [
        each for key, each in first.items()
        if key not in made and key not in nan and not _shows(key[0], each)
    ]  # fmt: skip
    said = [*(f"{each.words} only after" for each in new), *(f"{each.words} only before" for each in gone)]
    flagged = _flagged(before)
    said += [f"{_words(each)} of other numbers" for key, each in _flagged(after).items()
             if key not in flagged and _key(each) in first]  # fmt: skip
    return tuple(dict.fromkeys(said))


def _offset(function: Function) -> Function:
    """Return a function in which an address at one of two constant offsets is one of two addresses.

    No offset is no computation ([LangRef] "getelementptr").
    """
    made = {each.result: each for each in instructions(function) if each.result}

    def written(each: Instruction) -> Iterator[Instruction]:
        offset = each.operands[-1].value if each.operation == "getelementptr" and len(each.operands) == 2 else None
        chosen = made.get(offset.name) if isinstance(offset, Register) else None
        if chosen is None or chosen.operation != "select" or not all(_is_number(o) for o in chosen.operands[1:]):
            yield each
            return
        base, arms = each.operands[0], []
        for k, arm in enumerate(chosen.operands[1:]):
            if arm.value != Number(0):
                yield replace(each, result=f"{each.result}.{k}", operands=(base, arm))
            arms.append(base if arm.value == Number(0) else replace(base, value=Register(f"{each.result}.{k}")))
        yield replace(chosen, result=each.result, type=base.type, operands=(chosen.operands[0], *arms))

    blocks = (
        replace(block, instructions=tuple(line for each in block.instructions for line in written(each)))
        for block in function.blocks
    )
    return replace(function, blocks=tuple(blocks))


def _is_number(operand: Operand) -> bool:
    return isinstance(operand.value, Number)


def _shows(name: str, each: _Computed) -> bool:
    """Whether the absence of arithmetic shows in the tests of a pair."""
    return name == "getelementptr" or each.of_truth or (name in _LOSSLESS and each.of_memory)


def _flagged(function: Function) -> dict[Hashable, Instruction]:
    """Return the instructions of a function that may make poison, by what they compute of what."""
    made = {each.result: each for each in instructions(function) if each.result}
    given = {each.name: k for k, each in enumerate(function.parameters)}
    loads: dict[Hashable, list[str]] = {}

    def of(value: object, depth: int = 9) -> Hashable:
        if isinstance(value, ConstantExpression):
            return (value.operation, *(of(each.value, depth) for each in value.operands))
        if not isinstance(value, Register):
            return shown(value)  # type: ignore[arg-type]
        each = made.get(value.name)
        if each is None or not depth:
            return given.get(value.name, value.name)
        found: Hashable = (each.operation, each.words, str(each.type), *(of(o.value, depth - 1) for o in each.operands))
        if each.operation in _NO_ARITHMETIC and each.operation not in ("select", "bitcast", "addrspacecast"):
            same = loads.setdefault(found, [])  # What is loaded twice may be two numbers.
            same += [each.result] if each.result not in same else []
            return found, same.index(each.result)
        return found

    for each in made.values():
        of(Register(each.result))
    used = _used(function)
    return {
        (each.operation, each.words, *(of(o.value) for o in each.operands)): each
        for each in made.values()
        if _POISONING & set(each.words) and each.result in used
    }


def same_memory_operations(before: Function, after: Function) -> bool:
    """Whether two functions do the same operations on memory, in the same order, and call the same."""
    return [*_operations(before)] == [*_operations(after)]


def _operations(function: Function) -> Iterator[Hashable]:
    for each in instructions(function):
        if each.operation in ("load", "store", "fence", "cmpxchg", "atomicrmw", "call"):
            type_ = each.operands[0].type if each.operation == "store" else each.type
            yield each.operation, type_, each.mode, each.failure, each.callee, each.words


@dataclass(frozen=True, slots=True)
class _Computed:
    """Arithmetic in words; whether numbers are in it that come from memory or calls, whether it is of truth values."""

    words: str
    of_memory: bool
    of_truth: bool


def _used(function: Function, users: Iterable[Instruction] = ()) -> set[str]:
    """Return the values of a function that something uses; or those that some instructions do."""
    made = {each.result: each for each in instructions(function) if each.result}
    found: set[str] = set()
    ahead = [*users] or [each for each in instructions(function) if each.operation in _USED]
    while ahead:
        for operand in ahead.pop().operands:
            for name in _registers(operand) - found:
                found.add(name)
                ahead += [made[name]] if name in made else []
    return found


def _arithmetic(function: Function) -> dict[tuple[str, Hashable], _Computed]:
    """Return the arithmetic of a function that something uses, by what it is."""
    used, found = _used(function), dict[tuple[str, Hashable], _Computed]()
    read = {i.result for i in instructions(function) if i.operation in ("load", "call", "cmpxchg", "atomicrmw")}
    given = {parameter.name for parameter in function.parameters}
    chosen, comparing = _chosen(function)
    for each in instructions(function):
        if each.result in comparing:
            continue
        if each.operation == "icmp" and each.words[-1:] in (("eq",), ("ne",)):
            continue  # Both outcomes are tried, of numbers that are all different.
        if each.operation in ("zext", "sext") and each.operands[0].type.bits == 1:
            continue  # So are the two numbers that a truth value becomes.
        update = each.operation == "atomicrmw"
        if update and _computes_nothing(each):
            continue
        counts = update or (each.result in used and (_computes(each) or each.result in chosen))
        place = each.operation == "getelementptr"  # Where it counts from is no number.
        flagged = place and "inbounds" in each.words
        if counts and (flagged or any(_registers(operand) for operand in each.operands[place:])):
            operands = _used(function, [each])
            of_memory = update or bool(operands & read)
            if not update and operands and operands.isdisjoint(read | given) and each.operation != "getelementptr":
                continue  # Of constants alone, as a counter is, the tests compute everything.
            for key in [chosen[each.result]] if each.result in chosen else _keys(each):
                old = found.get(key)
                known = of_memory and (old is None or old.of_memory)
                found[key] = _Computed(_words(each), known, each.operands[0].type.bits == 1)
    return found


def _computes(each: Instruction) -> bool:
    """Whether an instruction is arithmetic: what only passes values on is none, nor are calls but of intrinsics."""
    return each.operation not in _NO_ARITHMETIC or (each.operation == "call" and computing(each.callee))


def _made_of(name: str, what: Hashable) -> Iterator[tuple[str, Hashable]]:
    """Yield arithmetic with the same result for every number, and flags with which it is poison no more often."""
    yield name, what
    words, numbers, type_, _ = cast("tuple[tuple[str, ...], tuple[object, ...], str, str]", what)
    shift = numbers[-1]
    if name != "shl" or not isinstance(shift, int) or not 0 < shift < int(type_.removeprefix("i")) - 1:
        return
    # By one bit less than there are, a signed product that fits has another sign than the shift says.
    kept = [flags for flags in (("nuw", "nsw"), ("nuw",), ("nsw",), ()) if {*words} <= {*flags}]
    for flags in kept:
        yield "mul", (flags, ("value", 1 << shift), type_, "")
        if shift == 1:
            yield "add", (flags, ("value", "value"), type_, "")


def _nan(update: Instruction) -> Iterator[tuple[str, Hashable]]:
    """Yield the sum and the difference that write what an exchange does, whatever it found: with a NaN, which they
    return.

    A NaN may come out of an operation as it went in ([LangRef] "Behavior of Floating-Point NaN values").
    """
    operand = update.operands[1]
    infinite = _INFINITE.get(operand.type.name)
    if infinite is not None and isinstance(operand.value, Number):
        least = 1 << operand.type.bits - 1
        if operand.value.value & least - 1 > infinite:
            yield from (_key(replace(update, words=(word,))) for word in ("fadd", "fsub"))


def _computes_nothing(update: Instruction) -> bool:
    """Whether an update writes what it found, or the same whatever it found, for every number in memory."""
    word, operand = update.words[0], update.operands[1]
    if word == "xchg":
        return True
    if operand.type.name in _INFINITE and isinstance(operand.value, Number):
        infinite, sign = _INFINITE[operand.type.name], 1 << operand.type.bits - 1
        found = {"fadd": sign, "fsub": 0, "fmax": infinite, "fmin": infinite | sign}
        return operand.value.value == found.get(word)
    if operand.type.kind != "int" or not isinstance(operand.value, Number):
        return False
    mask, least = (1 << operand.type.bits) - 1, 1 << operand.type.bits - 1
    kept = {"add": 0, "sub": 0, "or": 0, "xor": 0, "umax": 0, "and": mask, "umin": mask, "max": least, "min": least - 1}
    fixed = {"or": mask, "and": 0, "nand": 0, "umin": 0, "umax": mask, "min": least, "max": least - 1}
    number = operand.value.value & mask
    return number in (kept.get(word), fixed.get(word))


def _keys(each: Instruction) -> Iterator[tuple[str, Hashable]]:
    """Yield what arithmetic is done: an update is that of its operation, or of those that it is made of."""
    name, what = _key(each)
    if each.operation == "atomicrmw" and each.words[0] == "nand":
        _, type_, cast_ = cast("tuple[tuple[object, ...], str, str]", what[1:])  # type: ignore[index]
        yield "and", what
        yield "xor", ((), ("value", -1), type_, cast_)
    else:
        yield name, what


def _chosen(function: Function) -> tuple[dict[str, tuple[str, Hashable]], set[str]]:
    """Return which selects are a least or greatest number, as what, and the comparisons that they alone use."""
    made = {each.result: each for each in instructions(function) if each.result}
    found: dict[str, tuple[str, Hashable]] = {}
    for each in made.values():
        test = each.operands[0].value if each.operation == "select" else None
        compared = made.get(test.name) if isinstance(test, Register) else None
        if compared is None or compared.operation != "icmp" or compared.words[0] not in _LESSER:
            continue
        arms, both = [o.value for o in each.operands[1:]], [o.value for o in compared.operands]
        if arms in (both, both[::-1]):
            word = _LESSER[compared.words[0]][arms != both]
            numbers = sorted((v.value if isinstance(v, Number) else "value" for v in both), key=lambda n: n != "value")
            found[each.result] = word, ((), tuple(numbers), str(each.operands[1].type), "")
    users = [i for i in instructions(function) if i.result not in found]
    others = {name for each in users for operand in each.operands for name in _registers(operand)}
    comparing = {name for each in found for name in _registers(made[each].operands[0])}
    return found, comparing - others


_LESSER = {
    **dict.fromkeys(("slt", "sle"), ("min", "max")), **dict.fromkeys(("sgt", "sge"), ("max", "min")),
    **dict.fromkeys(("ult", "ule"), ("umin", "umax")), **dict.fromkeys(("ugt", "uge"), ("umax", "umin")),
}  # fmt: skip
"""What a select of what was compared is, by the comparison: if it takes them in this order, or in the other."""
_CALLED = {
    "llvm.smin": "min", "llvm.smax": "max", "llvm.umin": "umin", "llvm.umax": "umax",
    "fmax": "llvm.maxnum", "fmin": "llvm.minnum", "fmaximum": "llvm.maximum", "fminimum": "llvm.minimum",
}  # fmt: skip
"""What an update or an intrinsic computes, by one name ([LangRef] "atomicrmw")."""


def _key(each: Instruction) -> tuple[str, Hashable]:
    """Return what arithmetic is done: an update is that of its operation."""
    update = each.operation == "atomicrmw"
    name = each.words[0] if update else plain(each.callee) if each.callee else each.operation
    name = _CALLED.get(name, name)
    operands = each.operands[1:] if update else each.operands
    numbers = tuple(o.value.value if isinstance(o.value, Number) else "value" for o in operands)
    if update:
        numbers = ("value", *numbers)
    words = () if update or each.callee else each.words
    number = operands[-1].value
    if name == "fsub" and not words and operands[-1].type.name in _INFINITE and isinstance(number, Number):
        # A difference is the sum with the other sign, bit for bit, and of NaNs nobody says which sign they have.
        name, numbers = "fadd", ("value", number.value ^ 1 << operands[-1].type.bits - 1)
    return name, (words, numbers, str(operands[-1].type), str(each.type) if each.operation in _CASTS else "")


_INFINITE = {"half": 0x7C00, "bfloat": 0x7F80, "float": 0x7F800000, "double": 0x7FF0000000000000}
"""The bits of infinity; those of a NaN are more, its sign aside."""
_CASTS = frozenset({"zext", "sext", "trunc", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp"})


def _words(each: Instruction) -> str:
    name = " ".join((each.operation, *each.words))
    if each.operation in ("atomicrmw", "call"):
        name = f"{each.operation} {each.words[0] if each.operation == 'atomicrmw' else plain(each.callee)}"
    return f"{name} {each.operands[-1].type}"


def _registers(operand: Operand) -> set[str]:
    """Return the values of the function that an operand is made of."""
    value = operand.value
    if isinstance(value, Register):
        return {value.name}
    if isinstance(value, ConstantExpression):
        return {name for each in value.operands for name in _registers(each)}
    return set()
