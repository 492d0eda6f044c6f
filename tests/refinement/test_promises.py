"""What metadata promises, and what other lanes share, no test of a function shows: nothing is called sound by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.cli import main
from axmem.formats.ir.attributes import METADATA
from axmem.formats.ir.pairs import FunctionPair, function_pairs
from axmem.front.source import Source
from axmem.refinement.promises import promised
from tests.refinement.test_functions import SOUND, UNKNOWN, UNSOUND, asked, pair

LOAD = "%b = load i32, ptr %p, align 4{}; ret i32 %b"
NODES = "!0 = !{}\n!1 = !{i32 0, i32 5}\n!2 = !{i32 0, i32 9}\n!3 = !{i32 0, i32 5}\n"


VALID = {"amdgpu.noclobber": "!0", "invariant.group": "!0", "invariant.load": "!0"}
"""Promises that a load of a number may make and no test has, with a node that LLVM takes."""


@pytest.mark.parametrize("kind", VALID)
def test_a_promise_that_is_added_is_not_sound_and_one_that_is_dropped_is(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare, promising = LOAD.format(""), LOAD.format(f", !{kind} {VALID[kind]}")
    assert kind in METADATA
    assert asked(tmp_path, pair(bare, promising) + NODES, "--model", "llvm") == UNKNOWN
    assert f"whether !{kind} is true, which is promised only after" in capsys.readouterr().out
    assert asked(tmp_path, pair(promising, bare) + NODES, "--model", "llvm") == SOUND
    assert asked(tmp_path, pair(promising, promising) + NODES, "--model", "llvm") == SOUND


@pytest.mark.parametrize(
    ("before", "after", "more"),
    [
        (", !invariant.group !0", ", !invariant.group !1", True),
        (", !invariant.group !1", ", !invariant.group !3", False),
        (", !range !1, !noundef !0", ", !noundef !0", False),
        (", !nontemporal !0", "", False),
        (" ; , !range !1", "", False),
    ],
)
def test_a_promise_is_what_its_node_says(before: str, after: str, more: bool) -> None:
    text = pair("\n  ".join(LOAD.format(before).split("; ret")[:1]) + "\n  ret i32 %b", LOAD.format(after)) + NODES
    (found,) = function_pairs(Source("pairs.ll", text))
    assert bool(promised(found)) == more


UPDATED = (
    "%c = addrspacecast ptr addrspace(1) %p to ptr; %b = atomicrmw add ptr {}, i32 1 seq_cst, align 4{}; ret i32 %b"
)


@pytest.mark.parametrize(
    ("pointer", "spaces", "true"),
    [
        ("%c", "i32 5, i32 6", True),
        ("%c", "i32 2, i32 10", True),
        ("%c", "i32 0, i32 1, i32 3, i32 4", True),
        ("%c", "i32 1, i32 2", False),
        ("%c", "i32 0, i32 2, i32 5, i32 6", False),
        ("%q", "i32 5, i32 6", False),
        ("@x", "i32 5, i32 6", False),
    ],
)
def test_an_access_of_memory_of_another_address_space_keeps_its_promise(pointer: str, spaces: str, true: bool) -> None:
    """As AtomicExpand and InferAddressSpaces promise it; what a generic pointer points to is not known."""
    before, after = (UPDATED.format(pointer, words) for words in ("", ", !noalias.addrspace !4"))
    text = "@x = global i32 0\n" + pair(before, after, parameters="ptr addrspace(1) %p, ptr %q")
    (found,) = function_pairs(Source("pairs.ll", f"{text}{NODES}!4 = !{{{spaces}}}\n"))
    assert promised(found) == (() if true else ("!noalias.addrspace",))


PRIVATE = """\
%c = addrspacecast ptr addrspace(1) %p to ptr; %a = call i1 @llvm.amdgcn.is.private(ptr %c)
  br i1 %a, label %b1, label %b2
b1:
  br label %b3
b2:
  store atomic i32 1, ptr %c {}, align 4
  br label %b3
b3:
  ret i32 0"""
STORED = "%c = addrspacecast ptr addrspace(1) %p to ptr; store atomic i32 1, ptr %c release, align 4; ret i32 0"


def test_a_pointer_to_global_memory_is_not_private(tmp_path: Path) -> None:
    for ordering, verdict in (("release", SOUND), ("monotonic", UNSOUND)):
        text = pair(STORED, PRIVATE.format(ordering), parameters="ptr addrspace(1) %p")
        declared = text + "declare i1 @llvm.amdgcn.is.private(ptr)\n"
        assert asked(tmp_path, declared, "--model", "llvm", "--context", "2") == verdict


def test_a_promise_that_moves_to_another_load_is_added() -> None:
    both = "%a = load i32, ptr @x{}; %b = load i32, ptr @y{}; ret i32 %b"
    head = "@x = global i32 0\n@y = global i32 0\n"
    promise = ", !invariant.load !0"
    text = head + pair(both.format(promise, ""), both.format("", promise)) + NODES
    (found,) = function_pairs(Source("pairs.ll", text))
    assert promised(found) == ("!invariant.load",)


@pytest.mark.parametrize("name", ["readfirstlane.i32"])
def test_what_other_lanes_share_is_not_judged_as_one_lane(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = f"declare i32 @llvm.amdgcn.{name}(i32)\n"
    load = "%b = load atomic i32, ptr %p monotonic, align 4"
    changed = f"{load}; %c = call i32 @llvm.amdgcn.{name}(i32 %b); ret i32 %c"
    assert asked(tmp_path, head + pair(f"{load}; ret i32 %b", changed), "--model", "llvm") == UNKNOWN
    assert "a function is judged as one lane" in capsys.readouterr().out
    assert asked(tmp_path, head + pair(changed, changed), "--model", "llvm") == SOUND
    more = f"store i32 1, ptr %q, align 4; {changed}"
    assert asked(tmp_path, head + pair(changed, more), "--model", "llvm") == UNKNOWN


ATTRIBUTES = {
    "of a parameter": ("i32 %a, ptr %p", "i32 noundef %a, ptr %p", "noundef of %a"),
    "of a pointer": ("ptr %p", "ptr nonnull %p", "nonnull of %p"),
    "of aliasing": ("ptr %p, ptr %q", "ptr noalias %p, ptr %q", "noalias of %p"),
}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_that_is_added_is_a_promise(name: str) -> None:
    before, after, said = ATTRIBUTES[name]
    bodies = [
        f"define i32 @{{}}({p}) {{{{\n  %b = load i32, ptr %p, align 4\n  ret i32 %b\n}}}}\n" for p in (before, after)
    ]
    more, less = (found(bodies[k].format("src") + bodies[1 - k].format("tgt")) for k in (0, 1))
    assert promised(more) == (said,) and not promised(less)


def test_results_functions_and_alignments_promise() -> None:
    body = "define {}ptr @{}(ptr %p) {}{{\n  %b = load atomic ptr, ptr %p acquire, align {}\n  ret ptr %b\n}}\n"
    plain = ("", "", 4)
    for words, behind, align, said in (
        ("nonnull ", "", 4, "nonnull"), ("", "nosync ", 4, "nosync"), ("", "", 8, "align 8 of a load"),
    ):  # fmt: skip
        texts = [body.format(w, name, b, a) for name, (w, b, a) in (("src", plain), ("tgt", (words, behind, align)))]
        assert promised(found("".join(texts))) == (said,)
        texts = [body.format(w, name, b, a) for name, (w, b, a) in (("src", (words, behind, align)), ("tgt", plain))]
        assert not promised(found("".join(texts)))


def found(text: str) -> FunctionPair:
    """Return the pair of a text."""
    (pair_,) = function_pairs(Source("pairs.ll", text))
    return pair_


CALLED = """\
!0 = !{{i32 0, i32 5}}
declare i32 @other(i32) {}
define internal i32 @src.g(ptr %p) {{
  %b = load i32, ptr %p, align 4
  %c = call i32 @other(i32 %b)
  ret i32 %c
}}
define internal i32 @tgt.g(ptr {}%p) {{
  %b = load i32, ptr %p, align 4{}
  %c = call {}i32 @other(i32 {}%b){}
  ret i32 %c
}}
define i32 @src(ptr %p) {{
  %b = call i32 @src.g(ptr %p)
  ret i32 %b
}}
define i32 @tgt(ptr %p) {{
  %b = call i32 @tgt.g(ptr %p)
  ret i32 %b
}}
attributes #0 = {{ nosync }}
"""


@pytest.mark.parametrize(
    ("place", "words", "said"),
    [
        (1, "noalias ", "noalias"), (2, ", !invariant.load !0", "!invariant.load"), (3, "noundef ", "noundef"),
        (4, "noundef ", "noundef"), (5, " memory(none)", "memory(none)"), (5, " #0", "nosync"),
    ],
)  # fmt: skip
def test_what_is_called_and_calls_promise_too(place: int, words: str, said: str) -> None:
    texts = [""] * 6
    same = function_pairs(Source("pairs.ll", CALLED.format(*texts)))
    assert not any(promised(each) for each in same)
    texts[place] = words
    pairs = {each.after.function.name: each for each in function_pairs(Source("pairs.ll", CALLED.format(*texts)))}
    assert promised(pairs["tgt"]) == (said,)
    assert not pairs["tgt.g"].same


def test_what_a_declaration_promises_counts() -> None:
    before, after = (Source(name, CALLED.format(words, *[""] * 5)) for name, words in (("a", ""), ("b", "#0")))
    pairs = {each.before.function.name: each for each in function_pairs(before, after)}
    assert promised(pairs["src"]) == ("nosync",) and not pairs["src"].same
    assert all(each.same for each in function_pairs(before, before))


@pytest.mark.parametrize(
    ("access", "promise", "more"), [(4, 4, False), (8, 4, False), (1, 4, True), (4, 8, True), (2**32, 8, False)]
)
def test_elements_are_aligned_as_the_accesses_that_they_replace(access: int, promise: int, more: bool) -> None:
    before = f"%a = load atomic i32, ptr %p unordered, align {access}; "
    before += f"store atomic i32 %a, ptr %q unordered, align {access}; ret i32 0"
    name = "@llvm.memcpy.element.unordered.atomic.p0.p0.i64"
    after = f"call void {name}(ptr align {promise} %q, ptr align 4 %p, i64 4, i32 4); ret i32 0"
    head = f"declare void {name}(ptr, ptr, i64, i32)\n"
    (found,) = function_pairs(Source("pairs.ll", head + pair(before, after)))
    assert bool(promised(found)) == more


@pytest.mark.parametrize(("flag", "said"), [("inbounds ", UNKNOWN), ("", UNSOUND)])
def test_what_flags_of_addresses_promise_before_a_change_may_make_it_right(
    flag: str, said: int, tmp_path: Path
) -> None:
    """[LangRef] "getelementptr": an address in bounds is null only if it is at no offset from null."""
    text = pair(
        f"%g = getelementptr {flag}i8, ptr %p, i64 %n; %c = icmp ne ptr %g, null; ret i1 %c",
        "%c = icmp ne ptr %p, null; ret i1 %c",
        parameters="ptr %p, i64 noundef %n",
        result="i1",
    )
    assert asked(tmp_path, text, "--model", "llvm") == said


NUMBERED = """declare i1 @llvm.type.test(ptr, metadata)
@h = external global i32
define i1 @f() {{
  %{0} = call i1 @llvm.type.test(ptr @h, metadata !0)
  ret i1 %{0}
}}
!0 = !{{i32 1, !"{1}"}}
"""


def test_metadata_of_two_modules_is_not_compared_by_its_numbers(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.ll" for name in "ab"]
    for path, name in zip(paths, "ab", strict=True):
        path.write_text(NUMBERED.format(name, name), encoding="utf-8")
    assert main(["refine", *map(str, paths), "--model", "llvm"]) == UNKNOWN
