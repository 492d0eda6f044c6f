"""The parts that all tests of herd's form share: header, initial values, columns, question."""

import pytest

from axmem.formats.herd.front import Front, columns, read_front
from axmem.front.source import InputError, Source
from axmem.litmus.condition_printer import observable_text
from axmem.litmus.syntax import (
    AddressOf,
    Both,
    Condition,
    FinalValue,
    Not,
    Number,
    Operand,
    Quantifier,
    RegisterOf,
    Truth,
    ValueComparison,
)

WHOLE = r"""VULKAN MP
"a message,
 passed"
Orig=PodWW Rfe PodRR Fre
{
x=0; 0:r1=x; int y = 3; atomic_int *p = &x; int a[2] = {1,2}; uint64_t z; [w]=-1; (* a (* nested *) remark *)
}
 P0@sg 0,wg 0 | P1@sg 0,wg 1 ;
 st x, 1 // not | a column
              | ld r0, x     ;
 st y, 1      | ld r1, y     ;
locations [x; 1:r0 int*;]
filter 1:r0=0
(* axmem: expect llvm never "because"
   " of it" *)
~exists (1:r0 == 1 /\ not P1:r1 <> 0x2 => x=1 \/ 0:r1=x)
"""


def front(text: str, *, code: bool = False, values: bool = False) -> Front:
    return read_front(Source("t", text), code=code, values=values)


def operand(side: Operand) -> str:
    """Return a side of a comparison."""
    if isinstance(side, Number):
        return str(side.value)
    if isinstance(side, AddressOf):
        return f"&{side.location}"
    assert isinstance(side, RegisterOf | FinalValue)
    return observable_text(side)


def shown(condition: Condition) -> str:
    """Return a condition in words that show how it binds."""
    match condition:
        case ValueComparison(op=op, left=left, right=right):
            sides = [operand(side) for side in (left, right)]
            return op.join(sides)
        case Not(condition=inner):
            return f"not {shown(inner)}"
        case Truth(value=value):
            return str(value)
        case _:
            word = "and" if isinstance(condition, Both) else "or"
            return f"({shown(condition.left)} {word} {shown(condition.right)})"


def test_header_and_initial_values() -> None:
    whole = front(WHOLE)
    assert (whole.form, whole.name, whole.description) == ("VULKAN", "MP", "a message, passed")
    assert whole.diagnostics == []
    found = [(i.thread, i.name, i.type, i.pointers, i.length) for i in whole.initials]
    assert found == [
        ("", "x", (), 0, None),
        ("P0", "r1", (), 0, None),
        ("", "y", ("int",), 0, None),
        ("", "p", ("atomic_int",), 1, None),
        ("", "a", ("int",), 0, 2),
        ("", "z", ("uint64_t",), 0, None),
        ("", "w", (), 0, None),
    ]
    assert whole.initials[5].value is None


def test_columns_have_the_places_of_their_text() -> None:
    whole = front(WHOLE)
    first, second = columns(whole)
    assert (first.name, first.place.text, second.place.text) == ("P0", "@sg 0,wg 0", "@sg 0,wg 1")
    assert [cell.text for cell in first.cells] == ["st x, 1", "st y, 1"]
    assert [cell.text for cell in second.cells] == ["ld r0, x", "ld r1, y"]
    assert whole.text.span(second.cells[0].start, second.cells[0].end)[:2] == (10, 17)


def test_question() -> None:
    whole = front(WHOLE)
    ending = whole.ending
    assert [type(each) for each in ending.observe] == [FinalValue, RegisterOf]
    assert ending.quantifier is Quantifier.NOT_EXISTS
    # `=>` binds more tightly than `/\`: the implication is a part of the conjunction.
    text = "((P1:r0=1 and (not not P1:r1!=2 or x=1)) or P0:r1=&x)"
    assert shown(ending.condition) == text
    assert ending.filter is not None
    (expected,) = whole.expectations
    assert (expected.models[0].model, expected.verdict, expected.reason) == ("llvm", "never", "because of it")


def test_a_name_on_the_right_is_an_address_or_a_value() -> None:
    text = "X86 t\n{}\nP0 ;\nexists x=y"
    assert shown(front(text).ending.condition) == "x=&y"
    assert shown(front(text, values=True).ending.condition) == "x=y"


def test_what_stands_in_braces_of_functions_is_code() -> None:
    text = "C t\n{ (* remark *) x=1; }\nP0(int *x) { if ((*x) == 1) { } } (* exists *)\nexists x=1"
    whole = front(text, code=True)
    assert "(*x) == 1" in whole.text.characters
    assert shown(whole.ending.condition) == "x=1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("C", "t:1:1: error: a test begins with its language and its name"),
        ("C MP", "t:1:4: error: a test has initial values"),
        ("C MP\n{", "t:2:1: error: the initial values have no '}'"),
        ("C MP\nhello\n{}", "t:2:1: error: this line is none of those after the header"),
        ("X86 t\n{ x==1; }\n P0 ;", "t:2:4: error: expected ';' after an initial value, found '=='"),
        ("X86 t\n{ x=1; x=2; }\n P0 ;", "t:2:8: error: 'x' has an initial value already"),
        ("X86 t\n{}\n P0 | P1 ;\n a | b | c ;", "t:4:2: error: this row has 3 columns, and the first one 2"),
        ("X86 t\n{}\n P0 ;\n a", "t:4:2: error: this row does not end with ';'"),
        ("X86 t\n{}\n Q | P1 ;", "t:3:2: error: a column begins with its thread"),
        ("X86 t\n{}", "t:2:2: error: a test has a program"),
        ("X86 t\n{} (* x\n P0 ;", "t:2:4: error: this comment has no end"),
        ("X86 t\n{}\nP0 ;\nexists (1:r0=1 && x=2)", "t:4:16: error: expected a connective or ')', found '&&'"),
        ("X86 t\n{}\nP0 ;\nexists fault(P0)", "t:4:8: error: faults are not represented here"),
        ("X86 t\n{}\nP0 ;\nobserved x", "t:4:1: error: 'observed' is not read here"),
        ("X86 t\nVariant=fault\n{}\nP0 ;", "t:2:1: error: 'Variant' changes what a test means, and is not read"),
        ("X86 t\n{}\nP0 ;\nexists (T1:r0=1)", "t:4:9: error: 'T1' names no thread"),
        ("X86 t\n{}\nP0 ;\nexists x=1 exists y=1", "t:4:12: error: a second condition"),
    ],
)
def test_what_is_wrong_has_a_place(text: str, message: str) -> None:
    try:
        found = front(text)
        columns(found)
        told = [str(each) for each in found.diagnostics]
    except InputError as error:
        told = [str(each) for each in error.diagnostics]
    assert any(each.startswith(message) for each in told), told


@pytest.mark.parametrize(
    ("head", "description"),
    [
        ('(Second-name) "a" "b"', "a b"),
        ('"it is "said" here"\n"and on"', 'it is "said" here and on'),
        ('"says "so""', 'says "so"'),
        ('"over\n lines, https://example.org/a(*b"', "over lines, https://example.org/a(*b"),
        ('"one" // remark "with a quote\n(* another " *) "two"', "one two"),
        ('""', ""),
        ('"a" Orig="b"', "a"),
    ],
)
def test_descriptions(head: str, description: str) -> None:
    """What stands in quotes behind a name is the description; another name in parentheses says nothing."""
    found = front(f"VULKAN name {head}\n{{ x=0; }};\nP0@sg 0 ;\nst x, 1 ;\nexists (x=1)\n")
    assert (found.name, found.description, found.diagnostics) == ("name", description, [])
    with_key = front(f"VULKAN name {head}\nVariant=mixed\n{{ x=0; }};\nP0@sg 0 ;\nst x, 1 ;\nexists (x=1)\n")
    assert [d.message for d in with_key.diagnostics] == ["'Variant' changes what a test means, and is not read"]


def test_a_key_behind_a_description_is_no_part_of_it() -> None:
    found = front('VULKAN name "a" "b" Variant=mixed\n{ x=0; }\nP0@sg 0 ;\nst x, 1 ;\nexists (x=1)\n')
    assert [d.message for d in found.diagnostics] == ["'Variant' changes what a test means, and is not read"]


def test_what_is_drawn_is_left_out_after_the_question_alone() -> None:
    whole = "VULKAN d\n{ x=0; }\nP0@sg 0 ;\nst x, 1 ;\nexists (x=1)\n<<\nshow 0\n>>\n"
    assert front(whole).diagnostics == []
    assert front(whole.replace(">>\n", "")).diagnostics
    assert front(whole.replace("<<\nshow 0\n>>\n", "show 0\n")).diagnostics
