"""Updates that compute nothing, whatever memory holds, are no arithmetic that another tool would have to decide."""

from __future__ import annotations

from itertools import product

import pytest

from axmem.formats.ir.pairs import function_pairs
from axmem.front.source import Source
from axmem.litmus.arithmetic import apply_operation
from axmem.refinement.sequential import other_arithmetic

WORDS = ("add", "sub", "or", "xor", "and", "nand", "umin", "umax", "min", "max")


def arithmetic(before: str, after: str) -> tuple[str, ...]:
    text = "".join(
        f"define i8 @{name}(ptr %p) {{\n %r = atomicrmw {update} monotonic, align 1\n ret i8 %r\n}}\n"
        for name, update in (("src", before), ("tgt", after))
    )
    ((pair),) = function_pairs(Source("t.ll", text))
    return other_arithmetic(pair.before.function, pair.after.function)


@pytest.mark.parametrize("word", WORDS)
def test_an_update_is_no_arithmetic_if_it_keeps_or_replaces_every_number(word: str) -> None:
    for number in (0, 1, 0x55, 0x7F, 0x80, 0xFF):
        made = [apply_operation("not", 8, (), (apply_operation("and", 8, (), (old, number)),)) if word == "nand"
                else apply_operation(word, 8, (), (old, number)) for old in range(256)]  # fmt: skip
        nothing = made == list(range(256)) or len(set(made)) == 1
        assert (arithmetic("xchg ptr %p, i8 3", f"{word} ptr %p, i8 {number}") == ()) == nothing, number


def test_every_other_update_is() -> None:
    for one, other in product(("or", "xor"), ("add", "and")):
        assert arithmetic(f"{one} ptr %p, i8 3", f"{other} ptr %p, i8 3")[0] == f"atomicrmw {other} i8 only after"
