"""The language itself: the notations of the documents, the two spellings, and every default.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import (
    I32,
    Assign,
    CmpXchg,
    Element,
    If,
    Load,
    Make,
    Ordering,
    Quantifier,
    Register,
    Scope,
    Statement,
    Store,
    SyncScope,
    Transfer,
    Type,
)
from tests.drawn import some
from tests.litmus.written import DECLARED, mode_of, only, parsed
from tests.paths import ROOT

# ---------------------------------------------------------------- the documents' notations


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("store 1, %ptr1 # foo:bar", 'store 1, %ptr1 !mmra !{!"foo", !"bar"}'),
        ("store 1, ptr1 # foo:bar", 'store i32 1, ptr addrspace(1) @ptr1, align 4, !mmra !{!"foo", !"bar"}'),
        ("store atomic release 1, %ptr3 # foo:bar", "store atomic 1, ptr3 release # foo:bar"),
        ("store release 1, %ptr1  # foo:x, foo:y, bar:x", "store atomic 1, ptr1 release # bar:x foo:x foo:y"),
        ("store 1, ptr addrspace(1) %ptr2 # sync-as:1 vulkan:private", "store 1, ptr2 # vulkan:private sync-as:1"),
        ("store atomic release 1, ptr addrspace(0) %ptr3 # sync-as:3", "store atomic 1, ptr3 release # sync-as:3"),
        ("fence release # sync-as:1", 'fence release, !mmra !{!"sync-as", !"1"}'),
        ("load atomic acquire ptr addrspace(0) %ptr3 # a:b", "_1 = load atomic ptr3 acquire # a:b"),
        ('store atomic syncscope("agent") release 1, ptr', 'store atomic 1, ptr syncscope("agent") release'),
        ("%x = load i32, ptr %ptr1", "x = load ptr1"),
        ("fence acq_rel, !mmra !{!\"vulkan\", !\"nonprivate\"}", "fence acq_rel # vulkan:nonprivate"),
        ('@llvm.amdgcn.av.global.store.b128(b, {1,1,1,1}, "agent")', 'av.store.b128 1, b syncscope("agent")'),
        ('_1 = @llvm.amdgcn.av.global.load.b128(b, "agent")', 'load-visible b syncscope("agent")'),
        (
            'call void @llvm.amdgcn.av.store.b32.p1(ptr addrspace(1) @ptr1, i32 7, metadata !{!"agent"})',
            'store-available 7, ptr1 syncscope("agent")',
        ),
        ('r = call i32 @llvm.amdgcn.av.load.b32(ptr @ptr1, metadata !"")', "r = av.load.b32 ptr1"),
        ('call void @llvm.amdgcn.make.available(metadata !"agent")', 'make.available syncscope("agent")'),
        ('@llvm.amdgcn.make.ptr.visible(ptr1, "agent")', 'make.ptr.visible ptr1 syncscope("agent")'),
        ("call void @llvm.amdgcn.s.barrier()", "barrier"),
        ("s.barrier", "barrier"),
        ("r = load atomic volatile ptr1 unordered, align 4", "r = load volatile atomic unordered ptr1, align 4"),
        ("r = load ptr1, !nontemporal !{i32 1}", "r = load nontemporal ptr1"),
    ],
)  # fmt: skip
def test_two_spellings_are_one_language(first: str, second: str) -> None:
    assert unaligned(only(first)) == unaligned(only(second))


def unaligned(statement: Statement) -> Statement:
    """Return a statement without its alignment, which only LLVM's spelling states."""
    if isinstance(statement, Store | Load):
        return replace(statement, mode=replace(statement.mode, align=None))
    return statement


def test_the_store_of_the_amdgpu_document_reads_its_names_as_written() -> None:
    statement = only(
        'ptr = load ptr1\nstore ptr, data, !mmra !{!"amdgcn-av", !"workgroup"}',
        "litmus t\nglobal i32 ptr1 = 0, data = 0",
    )
    assert isinstance(statement, Store)
    assert isinstance(statement.value, Register) and statement.value.name == "ptr"
    assert statement.mode.tags == {("amdgcn-av", "workgroup")}


METADATA = """
!0 = !{!"scope", !"workgroup"}  # scope:workgroup
!1 = !{!"sync-as", !"private"}  # a remark
!2 = !{!0, !2}
!3 = {!"foo", !"bar"}
!4 = distinct !{!0, !1, !{!"in", !"line"}}
!5 = !{}
"""


@pytest.mark.parametrize(
    ("node", "tags"),
    [
        ("!0", {("scope", "workgroup")}),
        ("!2", {("scope", "workgroup")}),
        ("!3", {("foo", "bar")}),
        ("!4", {("scope", "workgroup"), ("sync-as", "private"), ("in", "line")}),
        ("!5", set()),
    ],
)
def test_metadata_nodes_stand_for_sets_of_tags(node: str, tags: set[tuple[str, str]]) -> None:
    statement = only(f"store 1, ptr1, !mmra {node}", DECLARED + METADATA)
    assert isinstance(statement, Store) and statement.mode.tags == tags


def test_metadata_that_is_shared_is_read_once() -> None:
    """Five thousand levels of pairs: expanded, they have more tags than could ever be listed."""
    levels = "\n".join(f"!{i} = !{{!{i + 1}, !{i + 1}}}" for i in range(5000))
    statement = only("store 1, ptr1, !mmra !0", f'{DECLARED}\n{levels}\n!5000 = !{{!"f", !"a"}}\n')
    assert isinstance(statement, Store) and statement.mode.tags == {("f", "a")}


def test_metadata_may_be_defined_inside_a_thread_and_after_its_use() -> None:
    test = parsed('store 1, ptr1, !mmra !9\n!9 = !{!"a", !"b"}')
    (statement,) = test.threads[0].body
    assert isinstance(statement, Store) and statement.mode.tags == {("a", "b")}


def test_threads_without_braces_as_the_specification_prints_them() -> None:
    test = parse(
        """litmus sync-as
global ptr1 = 0, ptr3 = 0
lds ptr2
# let 1 = global address space
# let 3 = local address space

Thread T1:
A: store 1, %ptr1                                  # sync-as:1
B: store 1, %ptr2                                  # sync-as:3
X: store atomic release 1, ptr addrspace(0) %ptr3  # sync-as:3

Thread T2:
Y: load atomic acquire ptr addrspace(0) %ptr3   # sync-as:3
C: load %ptr2                                   # sync-as:3
D: load %ptr1                                   # sync-as:1
exists (T2:_1=1 /\\ T2:_2=undef)
"""
    )
    first, second = test.threads
    assert [s.label for s in first.body] == ["A", "B", "X"]
    assert [s.register for s in second.body if isinstance(s, Load)] == ["_1", "_2", "_3"]
    assert test.quantifier is Quantifier.EXISTS


# ---------------------------------------------------------------- expressions and statements


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("s = r + 1 * 2", "s = r + (1 * 2)"),
        ("s = r | r ^ r & r", "s = r | (r ^ (r & r))"),
        ("s = (r == 0) & r == 1", "s = (r == 0) & (r == 1)"),
        ("s = r << 1 + 1", "s = r << (1 + 1)"),
        ("s = r - 1 - 1", "s = (r - 1) - 1"),
        ("s = ~r + -1", "s = (~r) + (-1)"),
        ("s = r == 1 ? r : 2", "s = select i1 (icmp eq i32 %r, 1), i32 %r, i32 2"),
        ("s = r >> 2", "%s = lshr i32 %r, 2"),
        ("s = r >= 2", "%s = icmp uge i32 %r, 2"),
        ("s = r ^ r", "%s = xor i32 %r, %r"),
    ],
)
def test_infix_operators_bind_as_in_c(first: str, second: str) -> None:
    assert only(f"r = load ptr1\n{first}") == only(f"r = load ptr1\n{second}")


def test_an_integer_condition_is_true_when_not_zero() -> None:
    assert only("r = load ptr1\nif r { store 1, ptr2 }") == only("r = load ptr1\nif r != 0 { store 1, ptr2 }")


def test_else_if_nests() -> None:
    statement = only("r = load ptr1\nif r == 1 {\n store 1, ptr2\n} else if r == 2 {\n} else {\n store 3, ptr2\n}")
    assert isinstance(statement, If)
    (inner,) = statement.otherwise
    assert isinstance(inner, If) and inner.then == () and len(inner.otherwise) == 1


def test_cmpxchg_gives_a_pair_or_two_registers() -> None:
    test = parsed(
        '%p = cmpxchg weak ptr @ptr1, i32 0, i32 1 syncscope("agent") acq_rel monotonic\n'
        "%v = extractvalue { i32, i1 } %p, 0\nv2 = p[1]\nold, ok = cmpxchg ptr1, 0, 1 acq_rel"
    )
    body = test.threads[0].body
    pair, field, success, two = body
    assert isinstance(pair, CmpXchg) and pair.weak and pair.failure is Ordering.MONOTONIC
    assert isinstance(field, Assign) and isinstance(field.value, Element) and field.value.type == I32
    assert isinstance(success, Assign) and success.value.type == Type(1)
    assert isinstance(two, CmpXchg) and (two.register, two.ok_register, two.failure) == ("old", "ok", Ordering.ACQUIRE)


@pytest.mark.parametrize(
    ("success", "failure"),
    [
        ("monotonic", "monotonic"),
        ("acquire", "acquire"),
        ("release", "monotonic"),
        ("acq_rel", "acquire"),
        ("seq_cst", "seq_cst"),
    ],
)
def test_failure_ordering_defaults_to_success_without_release(success: str, failure: str) -> None:
    assert only(f"cmpxchg ptr1, 0, 1 {success}") == only(f"cmpxchg ptr1, 0, 1 {success} {failure}")


def test_a_failure_ordering_may_exceed_the_success_ordering() -> None:
    statement = only("cmpxchg ptr1, 0, 1 monotonic seq_cst")
    assert isinstance(statement, CmpXchg) and statement.failure is Ordering.SEQ_CST


def test_make_ptr_covers_the_whole_location_unless_told_otherwise() -> None:
    whole, part = only("make.ptr.available b"), only("make.ptr.available i32, b[1]")
    assert isinstance(whole, Make) and whole.type == Type(32, 4)
    assert isinstance(part, Make) and part.type == I32


@pytest.mark.parametrize(
    ("call", "short"),
    [
        ("global.load.async.to.lds.b32(ptr addrspace(1) @ptr1, ptr addrspace(3) @t, i32 0, i32 0)",
         "load.async.to.lds i32, ptr1, t"),
        ("global.store.async.from.lds.b8(ptr @ptr1, ptr addrspace(3) @t, i32 0, i32 0)",
         "store.async.from.lds i8, ptr1, t"),
        ("asyncmark()", "asyncmark"),
        ("wait.asyncmark(i16 2)", "wait.asyncmark 2"),
    ],
)  # fmt: skip
def test_dma_operations_are_llvms_intrinsics(call: str, short: str) -> None:
    head = "litmus t\nglobal ptr1 = 0\nlds t\n"
    written = parsed(f"call void @llvm.amdgcn.{call}", head).threads[0].body
    assert written == parsed(short, head).threads[0].body


def test_a_dma_operation_has_the_type_of_what_it_copies_from_or_to_memory() -> None:
    body = parsed("load.async.to.lds w, t\nstore.async.from.lds w[1], t", "litmus t\nglobal <2 x i64> w = 0\nlds t\n")
    first, second = body.threads[0].body
    assert isinstance(first, Transfer) and first.to_lds and first.type == Type(64, 2)
    assert isinstance(second, Transfer) and not second.to_lds and second.type == Type(64)
    assert body.dma is Scope.CLUSTER
    assert parsed("r = load ptr1", f"{DECLARED}dma wavefront\n").dma is Scope.WAVEFRONT


@pytest.mark.parametrize("level", list(Scope))
@pytest.mark.parametrize("one_as", [False, True])
def test_every_scope_has_its_name(level: Scope, one_as: bool) -> None:
    word = "" if level is Scope.SYSTEM else level.word
    name = f"{word}-one-as".lstrip("-") if one_as else word
    assert mode_of(f'fence syncscope("{name}") release').scope == SyncScope(level, one_as)


def test_ret_void_at_the_end_means_nothing() -> None:
    assert parsed("store 1, ptr1\nret void").threads == parsed("store 1, ptr1").threads


def test_the_examples_of_the_reference_are_tests() -> None:
    reference = ROOT / "docs" / "language.md"
    whole, declarations, floats, kernel, loops, tags = reference.read_text("utf-8").split("```")[1:12:2]
    assert parse(whole).expectations and parse(floats).condition
    assert parse(f"litmus t\nglobal x = 0, y = 0\n{kernel}").kernels
    assert "!llvm.loop !0" in print_test(parse(f"litmus t\nglobal x = 0\n{loops}"))
    parsed("r = load x", f"litmus t\n{declarations}")
    (first, second) = parsed(tags, "litmus t\nglobal x = 0").threads[0].body
    assert isinstance(first, Store) and first.mode.tags == {("scope", "workgroup"), ("sync-as", "1")}
    assert isinstance(second, Store) and second.mode.tags == {("foo", "bar")}


def test_leading_zeros_mean_nothing() -> None:
    zeros = "litmus t\nglobal x = 010\nthread P0 @ agent 00, workgroup 07 {\n  r = load x[00]\n}\nexists (P0:r=0010)\n"
    assert parse(zeros) == parse(zeros.replace("010", "10").replace("00", "0").replace("07", "7"))


def test_blanks_at_the_end_of_a_line_are_no_work() -> None:
    """Where each of them were looked at once for every one behind it, this would take an hour."""
    text = "litmus a\nglobal x = 0\nthread P0 {\n  store 1, x\n}"
    assert parse(text.replace("\n", f"{' ' * 200_000}\n") + " " * 200_000) == parse(text)


def test_a_colon_in_the_prefix_of_a_tag_is_kept() -> None:
    test = parsed('store 1, ptr1, !mmra !9\n!9 = !{!"a:b", !"c"}')
    (statement,) = test.threads[0].body
    assert isinstance(statement, Store) and statement.mode.tags == {("a:b", "c")}
    assert parse(print_test(test)) == test


def test_a_zero_that_becomes_a_pointer_to_global_memory_stays_one() -> None:
    test = parsed("r = 0\nr = &ptr1 + 4")
    assert parse(print_test(test)) == test


_QUOTED = re.compile(r'"([A-Za-z_][\w.]*)"')
WORDS = sorted({word for file in (ROOT / "litmus").glob("*.py") for word in _QUOTED.findall(file.read_text())})
"""The words with which the language's own texts compare something, and many with which they do not."""
NAMED = """
litmus T
global @WORD = 0
thread P0 {
  a = load @WORD
  store 1, @WORD
  store atomic 1, @WORD release
  b = atomicrmw add @WORD, 1 monotonic
  c, d = cmpxchg @WORD, 0, 1 monotonic monotonic
  %e, %f = cmpxchg weak volatile @WORD, 0, 1 monotonic monotonic
  g = load @WORD[0]
  h = &WORD
}
kernel K() {
  REGISTER = load @WORD
  store lane.id, @WORD
}
exists (@WORD=0 /\\ not P0:a=1)
"""


def test_what_has_a_word_of_the_language_as_its_name_is_read_as_it_is_printed() -> None:
    """Or refused, where the word is reserved."""
    read, words = 0, some(WORDS, of=6)
    for word in words:
        location = NAMED.replace("REGISTER", "r").replace("WORD", word)
        register = NAMED.replace("REGISTER", f"%{word}").replace("WORD", "other")
        for text in (location, register):
            try:
                test = parse(text)
            except InputError as error:
                assert re.search("reserved|has the name of|assigned again", str(error)), (word, str(error))
            else:
                assert parse(print_test(test)) == test, word
                read += 1
    assert read > len(words)
