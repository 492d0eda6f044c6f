"""What the linker may put in place of a definition, and pointers that are equal although a word keeps them apart.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drawn import some
from tests.refinement.test_functions import SOUND, UNKNOWN, UNSOUND, asked, pair

CALLED = "define {} void @g(ptr %p) {{\n  {}\n  ret void\n}}\n"
STORE = "store atomic i32 1, ptr %p release, align 4; "
SHOWN = "the definition of @g here is the one that is linked"
EXACT, SEVERAL, REPLACED = (
    ("", "internal", "private", "hidden", "protected", "dso_local"),
    ("linkonce_odr", "weak_odr", "available_externally"),
    ("weak", "linkonce", "weak dso_local"),
)
INTERPOSED = '!llvm.module.flags = !{!0}\n!0 = !{i32 1, !"SemanticInterposition", i32 1}\n'


def calls(words: str, body: str = "") -> str:
    """Return a change that removes a call of what does nothing, or that inlines it."""
    return CALLED.format(words, body) + pair(
        f"{STORE}call void @g(ptr %p); ret void", f"{STORE}{body}; ret void" if body else f"{STORE}ret void",
        result="void",
    )  # fmt: skip


@pytest.mark.parametrize("words", (*EXACT, *SEVERAL, *REPLACED))
@pytest.mark.parametrize("body", ["", "store atomic i32 2, ptr %p release, align 4"])
def test_a_call_of_what_the_linker_may_replace_stays_a_call(
    words: str, body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """[LangRef] "Linkage Types": passes do not inline `weak` and `linkonce`, as another definition may be linked."""
    assert asked(tmp_path, calls(words, body)) == (UNKNOWN if words in REPLACED else SOUND)
    assert ("calls of @g" in capsys.readouterr().out) == (words in REPLACED)


@pytest.mark.parametrize("words", (*EXACT, *SEVERAL))
def test_what_may_be_replaced_when_it_is_loaded_stays_a_call(words: str, tmp_path: Path) -> None:
    assert asked(tmp_path, calls(words) + INTERPOSED) == (UNKNOWN if words in ("", *SEVERAL) else SOUND)
    assert asked(tmp_path, calls(words) + INTERPOSED.replace("i32 1}", "i32 0}")) == SOUND


@pytest.mark.parametrize("words", (*EXACT, *SEVERAL))
def test_a_definition_that_is_one_of_several_is_taken_for_the_linked_one(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It may do less than that, as passes have been at it: what the answer rests on is said with it."""
    call = "call void @g(ptr %p); "
    text = pair(f"{call}{STORE}ret void", f"{call}{STORE.replace('release', 'seq_cst')}ret void", result="void")
    assert asked(tmp_path, CALLED.format(words, "store i32 2, ptr %p") + text) == SOUND
    assert (SHOWN in capsys.readouterr().out) == (words in SEVERAL)


@pytest.mark.parametrize("words", (*EXACT, *SEVERAL, *REPLACED))
def test_an_attribute_is_kept_by_the_only_definition(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """LLVM infers none of a definition that is not exact: of the linked one it may not hold."""
    load = "%a = load atomic i32, ptr %p monotonic, align 4"
    head = f"define {words} i32 @{{}}(ptr %p) {{}}{{{{\n  {load}\n  ret i32 %a\n}}}}\n"
    text = head.format("src", "") + head.format("tgt", "nosync ")
    assert asked(tmp_path, text) == (SOUND if words in EXACT else UNKNOWN)
    assert ("nosync" in capsys.readouterr().out) == (words not in EXACT)


@pytest.mark.parametrize(
    ("variable", "five", "zero"),
    some([
        ("constant i32 5", SOUND, UNSOUND),
        ("linkonce_odr constant i32 5", SOUND, UNSOUND),
        ("available_externally constant i32 5", SOUND, UNSOUND),
        ("internal constant i32 5", SOUND, UNSOUND),
        ("weak constant i32 5", UNSOUND, UNSOUND),
        ("linkonce constant i32 5", UNSOUND, UNSOUND),
        ("extern_weak constant i32", UNSOUND, UNSOUND),
        ("external constant i32", UNSOUND, UNSOUND),
        ("external global i32", UNSOUND, UNSOUND),
        ("common global i32 0", UNSOUND, UNSOUND),
        ("weak global i32 5", UNSOUND, UNSOUND),
    ], of=4),
)  # fmt: skip
def test_what_a_constant_holds_is_known_if_no_other_may_be_linked(
    variable: str, five: int, zero: int, tmp_path: Path
) -> None:
    """Of one that another module defines nobody knows it, and nobody stores to it: it was taken for 0."""
    for value, code in ((5, five), (0, zero)):
        text = f"@c = {variable}\n" + pair("%a = load i32, ptr @c; ret i32 %a", f"ret i32 {value}")
        assert asked(tmp_path, text) == code, value


@pytest.mark.parametrize("initial", some(["undef", "poison"], of=2))
def test_what_is_read_of_an_undefined_constant_is_no_number(initial: str, tmp_path: Path) -> None:
    """It was taken for the number that was tried, so that a number could become undef."""
    for number in (0, 81):
        text = f"@c = constant i32 {initial}\n" + pair(f"ret i32 {number}", "%a = load i32, ptr @c; ret i32 %a")
        assert asked(tmp_path, text) != SOUND


def test_what_is_sound_for_one_number_of_a_constant_is_not_called_sound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "%a = load i32, ptr @c; %t = icmp eq i32 %a, 7; %r = zext i1 %t to i32; ret i32 %r"
    head = "@c = external constant i32\n"
    assert asked(tmp_path, head + pair(body, body.replace("ret i32 %r", "ret i32 0"))) == UNKNOWN
    assert "what @c holds is not known here" in capsys.readouterr().out


def test_a_constant_that_is_read_by_a_call_is_not_known_either(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    load = "%v = call <4 x i32> @llvm.amdgcn.av.load.b128.p1(ptr addrspace(1) @c, metadata !0)"
    seven = "%t = icmp eq i32 %a, 7; %r = zext i1 %t to i32; ret i32 %r"
    body = f"{load}; %a = extractelement <4 x i32> %v, i32 0; {seven}"
    head = (
        "@c = external addrspace(1) constant <4 x i32>\n"
        "declare <4 x i32> @llvm.amdgcn.av.load.b128.p1(ptr addrspace(1), metadata)\n"
    )
    tail = '!0 = !{!"agent"}\n'
    assert asked(tmp_path, head + pair(body, body.replace("ret i32 %r", "ret i32 0")) + tail) == UNKNOWN
    assert "what @c holds is not known here" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("parameters", "before", "after", "code"),
    [
        # Pointers that are only compared, or of which one is accessed, may be equal.
        ("ptr noalias %p, ptr %q", "{0}%e = icmp eq ptr %p, %q; ret i1 %e", "{0}ret i1 false", UNSOUND),
        ("ptr noalias %p, ptr noalias %q", "%e = icmp eq ptr %p, %q; ret i1 %e", "ret i1 false", UNSOUND),
        ("ptr noalias %p", "{0}%e = icmp eq ptr %p, @c; ret i1 %e", "{0}ret i1 false", UNSOUND),
        ("ptr %p", "%e = icmp eq ptr %p, @k; ret i1 %e", "ret i1 false", UNSOUND),
        # Both are accessed, and one is written: they are not, or before the change nothing is defined.
        ("ptr noalias %p, ptr %q", "{0}{1}%e = icmp eq ptr %p, %q; ret i1 %e", "{0}{1}ret i1 false", SOUND),
        ("ptr %p", "{0}%e = icmp eq ptr %p, @k; ret i1 %e", "{0}ret i1 false", SOUND),
    ],
)
def test_pointers_are_apart_only_where_memory_is_accessed(
    parameters: str, before: str, after: str, code: int, tmp_path: Path
) -> None:
    """[LangRef] "Parameter Attributes": `noalias` is about memory that is accessed both ways, and modified."""
    text = "@c = external global i32\n@k = constant i32 5\n"
    first, second = (each.format(STORE, "store i32 1, ptr %q; ") for each in (before, after))
    text += pair(first, second, parameters=parameters, result="i1")
    assert asked(tmp_path, text) == code


@pytest.mark.parametrize(("linkage", "said"), [("internal ", 1), ("private ", 1), ("", 0), ("hidden ", 0)])
def test_who_calls_a_function_of_the_module_alone_is_not_looked_at(
    linkage: str, said: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = pair("ret i32 %a", "ret i32 1", parameters="i32 %a").replace("define ", f"define {linkage}")
    assert asked(tmp_path, text, "--context", "0") == UNSOUND
    assert ("@src is called with any numbers" in capsys.readouterr().out) == said
