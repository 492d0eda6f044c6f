"""Attributes of results that follow from what a function returns, and those that do not.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest

from axmem.formats.ir.flow import FunctionFlow
from axmem.formats.ir.pairs import sides
from axmem.formats.ir.returned import Returned
from axmem.front.source import Source
from axmem.litmus.arithmetic import apply_operation, told
from axmem.litmus.undef import UNDEF
from tests.drawn import parts
from tests.refinement.test_functions import SOUND, UNKNOWN, UNSOUND, asked

BITS = 4
COMPUTED = ("add", "sub", "mul", "and", "or", "xor", "lshr", "shl")
COMPARED = ("eq", "ne", "ult", "slt", "uge", "sgt")
LOAD = "%a = load atomic i32, ptr %p acquire, align 4"


def returned(text: str) -> Returned:
    (side,) = sides(Source("f.ll", text)).values()
    return Returned(FunctionFlow(side.function))


def drawn(random: Random) -> tuple[str, int, list[int | None]]:
    """Return a function of two small numbers, the bits of its result, and what it returns for each two.

    That is computed as tests compute; None is poison.
    """
    lines: list[str] = []
    table: dict[str, tuple[int, list[int | None]]] = {
        "%x": (BITS, [x for x, _ in product(range(1 << BITS), repeat=2)]),
        "%y": (BITS, [y for _, y in product(range(1 << BITS), repeat=2)]),
    }
    count = 1 << 2 * BITS

    def of(bits: int) -> tuple[str, list[int | None]]:
        some = [name for name, (width, _) in table.items() if width == bits]
        if not some or random.random() < 0.3:
            number = random.randrange(1 << bits)
            return str(number), [number] * count
        name = random.choice(some)
        return name, table[name][1]

    def apply(name: str, operation: str, bits: int, width: int, *given: list[int | None]) -> None:
        made: list[int | None] = []
        for values in zip(*given, strict=True):
            poison = None in (values[:1] if operation == "select" else values)
            found = UNDEF if poison else apply_operation(operation, bits, told(operation, width), values)
            made.append(found if isinstance(found, int) else None)
        table[name] = (bits, made)

    for k in range(random.randrange(2, 9)):
        name, bits = f"%v{k}", random.choice([1, BITS, BITS, 2 * BITS])
        kind = random.choice(["compute", "compute", "compare", "select", "cast"])
        first, second = of(bits), of(bits)
        if kind == "compute":
            operation = random.choice(COMPUTED)
            lines.append(f"{name} = {operation} i{bits} {first[0]}, {second[0]}")
            apply(name, operation, bits, bits, first[1], second[1])
        elif kind == "compare":
            operation = random.choice(COMPARED)
            lines.append(f"{name} = icmp {operation} i{bits} {first[0]}, {second[0]}")
            apply(name, operation, 1, bits, first[1], second[1])
        elif kind == "select":
            condition = of(1)
            lines.append(f"{name} = select i1 {condition[0]}, i{bits} {first[0]}, i{bits} {second[0]}")
            chosen = [b if a else c for a, b, c in zip(condition[1], first[1], second[1], strict=True)]
            table[name] = (bits, [None if a is None else each for a, each in zip(condition[1], chosen, strict=True)])
        else:
            wider = bits + random.choice([1, 2, 4])
            operation = random.choice(["zext", "sext", "trunc"])
            one, other = (wider, bits) if operation == "trunc" else (bits, wider)
            source = of(one)
            lines.append(f"{name} = {operation} i{one} {source[0]} to i{other}")
            apply(name, operation, other, one, source[1])
    name = list(table)[-1]
    bits, values = table[name]
    body = "\n  ".join([*lines, f"ret i{bits} {name}"])
    text = f"define i{bits} @f(i{BITS} noundef %x, i{BITS} noundef %y) {{\n  {body}\n}}\n"
    return text, bits, values


@pytest.mark.parametrize("seed", parts(64, of=16))
def test_what_is_said_to_be_in_a_range_is_there_for_all_numbers(seed: int) -> None:
    """Two ways: the numbers that pass through each instruction, and every number by the arithmetic of tests."""
    tight = 0
    for number in range(50):
        random = Random(1000 * seed + number)
        text, bits, values = drawn(random)
        found, real = returned(text), {*values} - {None}
        for _ in range(12):
            first, end = random.randrange(1 << bits), random.randrange(1 << bits)
            inside = {k & (1 << bits) - 1 for k in range(first, end if first < end else end + (1 << bits))}
            if first != end and found.within(bits, [(first, end)]):
                assert real <= inside, (text, first, end)
                tight += len(inside) < 1 << bits
        if found.defined():
            assert None not in values, text
    assert tight > 20


@pytest.mark.parametrize(
    ("attributes", "body", "said"),
    [
        ("range(i32 0, 2)", f"{LOAD}\n  %c = icmp ne i32 %a, 0\n  %r = zext i1 %c to i32", SOUND),
        ("range(i32 1, 2)", f"{LOAD}\n  %c = icmp ne i32 %a, 0\n  %r = zext i1 %c to i32", UNSOUND),
        ("range(i32 -1, 1)", f"{LOAD}\n  %c = icmp ne i32 %a, 0\n  %r = sext i1 %c to i32", SOUND),
        ("range(i32 0, 16)", f"{LOAD}\n  %r = and i32 %a, 15", SOUND),
        ("range(i32 0, 15)", f"{LOAD}\n  %r = and i32 %a, 15", UNSOUND),
        ("range(i32 3, 8)", f"{LOAD}\n  %c = icmp slt i32 %a, 3\n  %r = select i1 %c, i32 3, i32 7", SOUND),
        ("range(i32 4, 8)", f"{LOAD}\n  %c = icmp slt i32 %a, 3\n  %r = select i1 %c, i32 3, i32 7", UNSOUND),
        ("noundef range(i32 0, 2)", f"{LOAD}\n  %c = icmp ne i32 %a, 0\n  %r = zext i1 %c to i32", UNSOUND),
        ("noundef", f"{LOAD}\n  %r = freeze i32 %m", SOUND),
        ("noundef", f"{LOAD}\n  %r = add nsw i32 %n, 1", UNSOUND),
        ("noundef", f"{LOAD}\n  %r = add i32 %n, 1", SOUND),
        ("noundef", f"{LOAD}\n  %r = add i32 %m, 1", UNSOUND),
        ("noundef", f"{LOAD}\n  %c = icmp eq i32 %n, 1\n  %r = select i1 %c, i32 undef, i32 7", UNSOUND),
        # Frozen poison is any number.
        ("range(i32 0, 4)", f"{LOAD}\n  %z = and i32 %m, 3\n  %r = freeze i32 %z", UNKNOWN),
        ("range(i32 0, 4)", f"{LOAD}\n  %z = and i32 %n, 3\n  %r = freeze i32 %z", SOUND),
        ("range(i32 0, 9)", f"{LOAD}\n  %r = add i32 %n, 0", UNSOUND),
    ],
)
def test_an_attribute_of_a_result_is_kept_by_what_is_returned(
    attributes: str, body: str, said: int, tmp_path: Path
) -> None:
    """LLVM infers `range` of most functions that return a truth value; without that nothing after O2 was decided."""
    given = "(ptr noundef %p, i32 noundef %n, i32 %m)"
    text = "".join(
        f"define {word} i32 @{name}{given} {{\n  {body}\n  ret i32 %r\n}}\n"
        for name, word in (("src", ""), ("tgt", attributes))
    )
    assert asked(tmp_path, text) == said


OF_RESULTS = {
    "what is in no range is undefined": (
        "noundef range(i32 0, 9) i32",
        "%r = or i32 %n, 16",
        "i32",
        "%r = or i32 1, 0",
        0,
    ),
    "poison is any number, and a store is seen": (
        "range(i32 0, 9) i32",
        "%r = or i32 %n, 16",
        "i32",
        "store i32 1, ptr %p; %r = or i32 1, 0",
        1,
    ),
    "behind undefined behaviour a store may come": (
        "noundef range(i32 0, 9) i32",
        "%r = or i32 %n, 16",
        "i32",
        "store i32 1, ptr %p; %r = or i32 1, 0",
        0,
    ),
    "nothing is in an empty range": ("range(i32 0, 0) i32", "%r = or i32 %n, 0", "i32", "%r = or i32 1, 0", 0),
    "a wider range": ("range(i32 0, 9) i32", "%r = or i32 %n, 0", "range(i32 0, 10) i32", "%r = or i32 %n, 0", 0),
    "a narrower range": ("range(i32 0, 9) i32", "%r = or i32 %n, 0", "range(i32 0, 8) i32", "%r = or i32 %n, 0", 1),
    "a narrower one that a sum keeps": (
        "i32",
        "%a = and i32 %n, 7; %r = add i32 %a, 1",
        "range(i32 1, 9) i32",
        "%a = and i32 %n, 7; %r = add i32 %a, 1",
        0,
    ),
    "a small number that is poison": ("i8", "%r = or i8 poison, 0", "i8", "%r = or i8 7, 0", 0),
    "a small number that is no poison": ("i8", "%r = or i8 7, 0", "i8", "%r = or i8 poison, 0", 1),
}


@pytest.mark.parametrize("name", OF_RESULTS)
def test_what_a_function_promises_of_its_result_is_poison_or_undefined_otherwise(name: str, tmp_path: Path) -> None:
    """[LangRef] "Parameter Attributes": `range` makes poison, `noundef` undefined behaviour of undef and poison."""
    *sides, said = OF_RESULTS[name]
    text = ""
    for function, words, body in zip(("src", "tgt"), sides[::2], sides[1::2], strict=True):
        lines = str(body).replace("; ", "\n  ")
        type_ = str(words).split()[-1]
        text += f"define {words} @{function}(ptr %p, i32 noundef %n) {{\n  {lines}\n  ret {type_} %r\n}}\n"
    assert asked(tmp_path, text) == said


@pytest.mark.parametrize(("result", "said"), [("%n", SOUND), ("%m", UNKNOWN)])
def test_a_parameter_that_every_return_returns_is_returned(result: str, said: int, tmp_path: Path) -> None:
    text = "".join(
        f"define i32 @{name}(i32 {word}%n, i32 %m) {{\n  %a = or i32 %n, 0\n  ret i32 {result}\n}}\n"
        for name, word in (("src", ""), ("tgt", "returned "))
    )
    assert asked(tmp_path, text) == said


def test_a_long_function_takes_no_longer_than_it_is() -> None:
    """Each value is used twice by the next, as in sums that an optimizer has folded."""
    lines = "\n  ".join(f"%v{k} = add i32 %v{k - 1}, %v{k - 1}" for k in range(1, 3000))
    text = f"define i32 @f(i32 noundef %v0) {{\n  {lines}\n  %r = and i32 %v2999, 3\n  ret i32 %r\n}}\n"
    assert returned(text).within(32, [(0, 4)]) and returned(text).defined()
    assert not returned(text.replace("noundef", "")).defined()


def test_what_comes_round_a_loop_may_be_any_number() -> None:
    text = """define i8 @f(i8 noundef %n) {
entry:
  br label %again
again:
  %k = phi i8 [0, %entry], [%m, %again]
  %m = add i8 %k, 1
  %c = icmp eq i8 %m, %n
  br i1 %c, label %end, label %again
end:
  %low = and i8 %k, 7
  ret i8 %low
}
"""
    assert returned(text).within(8, [(0, 8)]) and not returned(text).within(8, [(0, 7)])
    assert not returned(text.replace("ret i8 %low", "ret i8 %k")).within(8, [(0, 255)])
    assert returned(text).defined() and not returned(text.replace("noundef", "")).within(8, [(0, 7)])
