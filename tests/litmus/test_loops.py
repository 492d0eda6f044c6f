"""Loop metadata in the language: what texts give which tree, and that printing is undone by parsing.

The texts are those of the document "Code Transformation Metadata" and of LLVM's reference of `llvm.loop`,
`llvm.access.group` and `llvm.mem.parallel_loop_access`; the trees beside them are written by hand.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from axmem.codegen.ir_module import module
from axmem.events.unroll import event_graph
from axmem.front.source import InputError
from axmem.litmus import walk
from axmem.litmus.blocks import control_flow
from axmem.litmus.edit import mapped
from axmem.litmus.lint import warnings
from axmem.litmus.loop_rules import dangling
from axmem.litmus.loops import KINDS, Attribute, AttributeKind, LoopID, Promises, attribute, loop_id
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.resolution import resolve
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import (
    I1,
    I32,
    I64,
    AccessMode,
    Branch,
    For,
    Kernel,
    LitmusTest,
    Load,
    Number,
    Statement,
    Store,
    While,
)

ENABLE, DISABLE = attribute("llvm.loop.unroll.enable"), attribute("llvm.loop.unroll.disable")
COUNT = attribute("llvm.loop.unroll.count", 4)
VECTORIZE = attribute("llvm.loop.vectorize.enable", 1)
ALONE = attribute("llvm.loop.disable_nonforced")


def counted(metadata: str, attached: str = "!llvm.loop !0", promise: str = "") -> str:
    """Return a test whose kernel counts from 0 to 3 in a loop that stores, with metadata on its latch."""
    return (
        "litmus t\nglobal x = 0\nkernel K() {\nentry:\n  br h\nh:\n  i = phi [ 0, entry ], [ j, h ]\n"
        f"  store i, x{promise}\n  j = i + 1\n  c = j < 3\n  br i1 %c, label %h, label %e, {attached}\ne:\n"
        f"  ret void\n}}\n{metadata}\nexists (x=1)\n"
    )


def latch(test: LitmusTest) -> LoopID | None:
    found = [s.loop for _, s in walk.located(test) if isinstance(s, Branch | While | For) and s.loop]
    return found[0] if found else None


@pytest.mark.parametrize(
    ("metadata", "attributes"),
    [
        ("!0 = distinct !{!0}", ()),
        ("!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.unroll.count\", i32 4}", (COUNT,)),
        ("!1 = !{!\"llvm.loop.unroll.count\", i32 4}\n!0 = !{!0, !1}", (COUNT,)),
        ("!0 = distinct !{!0, !{!\"llvm.loop.unroll.enable\"}, !{!\"llvm.loop.unroll.count\", i32 4}}",
         (ENABLE, COUNT)),
        # "Transformation Metadata Structure": nothing happens to the loop before it is vectorized.
        ("!0 = distinct !{!0, !1, !2}\n!1 = !{!\"llvm.loop.vectorize.enable\", i1 true}\n"
         "!2 = !{!\"llvm.loop.disable_nonforced\"}", (VECTORIZE, ALONE)),
        # The same section: vectorize, only then unroll (with the "!" that the document's text has lost).
        ("!0 = distinct !{!0, !1, !2, !3}\n!1 = !{!\"llvm.loop.vectorize.enable\", i1 true}\n"
         "!2 = !{!\"llvm.loop.disable_nonforced\"}\n"
         "!3 = !{!\"llvm.loop.vectorize.followup_vectorized\", !{!\"llvm.loop.unroll.enable\"}}",
         (VECTORIZE, ALONE, attribute("llvm.loop.vectorize.followup_vectorized", [ENABLE]))),
        # The same section: an empty followup.
        ("!0 = distinct !{!0, !3}\n!3 = !{!\"llvm.loop.vectorize.followup_vectorized\"}",
         (attribute("llvm.loop.vectorize.followup_vectorized"),)),
        ("!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.unroll.followup_all\", !2, !3}\n"
         "!2 = !{!\"llvm.loop.unroll.disable\"}\n!3 = !{!\"mine\", i64 -7}",
         (attribute("llvm.loop.unroll.followup_all", [DISABLE, Attribute("mine", Number(-7, I64))]),)),
        ("!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.parallel_accesses\", !4, !5}\n!4 = distinct !{}\n"
         "!5 = distinct !{}", (Attribute("llvm.loop.parallel_accesses", groups=("4", "5")),)),
        # A followup that lists a LoopID, as older versions of clang wrote it: carried.
        ("!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.unroll.followup_all\", !2}\n!2 = distinct !{!2, !3}\n"
         "!3 = !{!\"llvm.loop.unroll.enable\"}",
         (Attribute("llvm.loop.unroll.followup_all", loop_ids=(LoopID("2", (ENABLE,)),)),)),
        # What is left of such a followup once the loop has been unrolled.
        ("!0 = distinct !{!0, !2, !3}\n!2 = distinct !{!2, !3}\n!3 = !{!\"llvm.loop.unroll.enable\"}",
         (Attribute("", loop_ids=(LoopID("2", (ENABLE,)),)), ENABLE)),
    ],
)  # fmt: skip
def test_nodes_are_read_as_trees(metadata: str, attributes: tuple[Attribute, ...]) -> None:
    test = parse(counted(metadata))
    assert latch(test) == LoopID("0", attributes)
    assert parse(print_test(test)) == test


def test_hints_mend_the_examples_of_the_document_as_they_are_printed() -> None:
    """ "Transformation Metadata Structure", with the strings that have lost their "!": the hints are followed."""
    text = counted(
        '!0 = distinct !{!0, !1, !2, !3}\n!1 = !{!"llvm.loop.vectorize.enable", i1 true}\n'
        '!2 = !{"llvm.loop.disable_nonforced"}\n'
        '!3 = !{!"llvm.loop.vectorize.followup_vectorized", !{"llvm.loop.unroll.enable"}}'
    )
    with pytest.raises(InputError) as raised:
        parse(text)
    lines = text.split("\n")
    for diagnostic in reversed(raised.value.diagnostics):
        (line, column, length), word = diagnostic.span, diagnostic.hint.removeprefix("write ")
        lines[line - 1] = lines[line - 1][: column - 1] + word + lines[line - 1][column - 1 + length :]
    followup = attribute("llvm.loop.vectorize.followup_vectorized", [ENABLE])
    assert latch(parse("\n".join(lines))) == LoopID("0", (VECTORIZE, ALONE, followup))


def test_the_hint_about_glued_names_gives_the_nodes_that_are_meant() -> None:
    """The same section and "Loop Unrolling": blanks between the names are lost."""
    for glued in ("llvm.loop.vectorize.enablellvm.loop.unroll.enable", "llvm.loop.unroll.disablellvm.licm.disable"):
        with pytest.raises(InputError) as raised:
            parse(counted(f'!0 = distinct !{{!0, !{{!"{glued}"}}}}'))
        (diagnostic,) = raised.value.diagnostics
        found = latch(parse(counted(f"!0 = distinct !{{!0, {diagnostic.hint.removeprefix('write ')}}}")))
        assert found is not None
        assert "".join(each.name for each in found.attributes) == glued
        assert len(found.attributes) == 2


def test_numbers_have_the_types_that_are_written() -> None:
    test = parse(counted('!0 = distinct !{!0, !{!"a", i1 true}, !{!"b", i32 4}}'))
    loop = latch(test)
    assert loop is not None
    assert [a.value for a in loop.attributes] == [Number(1, I1), Number(4, I32)]
    assert attribute("llvm.loop.unroll.count", 4).value == Number(4, I32)
    assert attribute("llvm.loop.vectorize.enable", 1).value == Number(1, I1)


@pytest.mark.parametrize("head", ["while c {", "for k in 0..2 {"])
@pytest.mark.parametrize("attached", ["!llvm.loop !0", ", !llvm.loop !0"])
def test_short_forms_have_it_after_their_brace_and_on_the_branch_back(head: str, attached: str) -> None:
    text = (
        f"litmus t\nglobal x = 0\nkernel K() {{\n  c = true\n  {head}\n    store 1, x\n    c = false\n  }} {attached}\n"
        '}\n!0 = distinct !{!0, !1}\n!1 = !{!"llvm.loop.unroll.enable"}\n'
    )
    test = parse(text)
    assert latch(test) == loop_id("0", "llvm.loop.unroll.enable")
    assert "} !llvm.loop !0\n" in print_test(test)
    for flow in (control_flow(test.kernels[0]), single_assignment(test.kernels[0])):
        latches = [b.terminator for b in flow.blocks if isinstance(b.terminator, Branch) and b.terminator.loop]
        (branch,) = latches
        assert branch.loop == loop_id("0", "llvm.loop.unroll.enable")
        assert branch.condition is None
        (header,) = branch.targets
        assert isinstance(flow.block[header].terminator, Branch)


@pytest.mark.parametrize(
    ("promise", "promises"),
    [
        (", !llvm.access.group !4", Promises(("4",))),
        (", !llvm.access.group !5", Promises(("4", "6"))),
        (", !llvm.access.group !{!6}", Promises(("6",))),
        (", !llvm.mem.parallel_loop_access !0", Promises((), ("0",))),
        (", !llvm.mem.parallel_loop_access !{!0, !7}", Promises((), ("0", "7"))),
        (", !llvm.access.group !4, !llvm.mem.parallel_loop_access !8", Promises(("4",), ("7", "0"))),
        ("", None),
    ],
)
def test_accesses_have_promises(promise: str, promises: Promises | None) -> None:
    nodes = "!0 = distinct !{!0}\n!7 = distinct !{!7}\n!8 = !{!7, !0}\n"
    nodes += "!4 = distinct !{}\n!6 = distinct !{}\n!5 = !{!4, !6}"
    test = parse(counted(nodes, promise=promise))
    (found,) = (s.mode.promises for _, s in walk.located(test) if isinstance(s, Store))
    assert found == promises
    assert parse(print_test(test)) == test


def test_equal_attributes_are_one_node_and_names_stay() -> None:
    shared = '!0 = distinct !{!0, !{!"b"}, !{!"a"}}\n!5 = distinct !{!5, !{!"a"}, !{!"c", !{!"b"}}}\n!9 = distinct !{}'
    text = counted(shared, promise=", !llvm.access.group !9").replace("e:", "e:\n  while i < 2 {\n  } !llvm.loop !5")
    expected = (
        '!0 = distinct !{!0, !1, !2}\n!1 = !{!"b"}\n!2 = !{!"a"}\n!3 = !{!"c", !1}\n!5 = distinct !{!5, !2, !3}\n'
        "!9 = distinct !{}\n"
    )
    assert expected in print_test(parse(text))


# ---------------------------------------------------------------- LLVM IR

NEST = (
    "litmus t\nglobal x = 0, y = 0\nkernel K(i32 n = 2) {\n  i = 0\n  while i < n {\n    i = i + 1\n"
    "    for j in 0..n {\n      store j, x, !llvm.access.group !{!0, !1}\n"
    "      r = load y, !llvm.access.group !1, !llvm.mem.parallel_loop_access !{!3, !4}\n    } !llvm.loop !4\n"
    "  } !llvm.loop !3\n}\n"
    '!3 = distinct !{!3, !7, !{!"mine", i64 -7}, !{!"llvm.loop.unroll.enable"}}\n'
    '!7 = !{!"llvm.loop.unroll.followup_all", !{!"llvm.loop.unroll.enable"}, !{!"llvm.loop.mustprogress"}}\n'
    '!4 = distinct !{!4, !{!"llvm.loop.parallel_accesses", !1, !0}, !{!"llvm.loop.vectorize.enable", i1 false}}\n'
    "!0 = distinct !{}\n!1 = distinct !{}\nexists (x=1)\n"
)
"""LoopIDs and groups have the names that `convert` gives them: numbers in the order of their use, lists counted."""


def test_llvm_ir_has_them_and_is_read_back() -> None:
    """The body of the function that `convert` writes is a kernel of the language, with the same loops and promises."""
    test = parse(NEST)
    text = module(test).text
    body = text[text.index("entry:") : text.index("\n}\n")]
    nodes = "\n".join(line for line in text.split("\n") if re.match(r"![0-9]+ =", line))
    again = parse(f"litmus t\nglobal x = 0, y = 0\nkernel K(i32 n = 2) {{\n{body}\n}}\n{nodes}\n")
    found = [loops_and_promises(one.kernels[0]) for one in (test, again)]
    assert found[0] == found[1]
    assert [name for name, _ in found[0]] == ["for1.body", "for1.body", "for1.body", "for1.end"]
    if shutil.which("opt-22"):
        command = ["opt-22", "-passes=verify", "-disable-output", "-"]
        assert not subprocess.run(command, input=text, capture_output=True, text=True, check=False).stderr


def loops_and_promises(kernel: Kernel) -> list[tuple[str, object]]:
    """Return the promises and the LoopID of each block."""
    found: list[tuple[str, object]] = []
    for block in single_assignment(kernel).blocks:
        found += [(block.name, s.mode.promises) for s in block.statements if isinstance(s, Load | Store)]
        if isinstance(block.terminator, Branch) and block.terminator.loop:
            found.append((block.name, block.terminator.loop))
    return found


def test_executions_do_not_rest_on_metadata() -> None:
    """ "Overview": the meaning of code stays the same if metadata is removed from the program."""
    test = parse(NEST)

    def without(statement: Statement) -> Statement:
        if isinstance(statement, While | For):
            return replace(statement, loop=None)
        if isinstance(statement, Load | Store):
            return replace(statement, mode=replace(statement.mode, promises=None))
        return statement

    dropped = mapped(test, without)
    assert "llvm.loop" not in print_test(dropped)
    assert event_graph(dropped) == event_graph(test)


@pytest.mark.skipif(shutil.which("opt-22") is None, reason="needs opt-22")
@pytest.mark.parametrize(
    ("load", "store", "alone"),
    [
        (", !llvm.access.group !4", ", !llvm.access.group !{!5, !4}", True),
        (", !llvm.mem.parallel_loop_access !0", ", !llvm.mem.parallel_loop_access !{!1, !0}", True),
        (", !llvm.access.group !4", ", !llvm.mem.parallel_loop_access !0", True),
        (", !llvm.access.group !4", "", False),
        (", !llvm.access.group !4", ", !llvm.access.group !5", False),
        (", !llvm.access.group !4", ", !llvm.mem.parallel_loop_access !1", False),
    ],
)  # fmt: skip
def test_llvm_understands_promises_as_they_are_written(load: str, store: str, alone: bool) -> None:
    """A loop is vectorized without a check of its pointers if, and only if, all accesses are parallel in it."""
    text = (
        "litmus t\nglobal <16 x i32> a\nkernel K(i32 n = 3, ptr addrspace(1) p = &a, ptr addrspace(1) q = &a) {\n"
        f"entry:\n  br h\nh:\n  i = phi [ 0, entry ], [ j, h ]\n  r = load i32, p[i]{load}\n  s = r * 3\n"
        f"  store i32 s, q[i]{store}\n  j = i + 1\n  c = j < n\n  br c, h, e, !llvm.loop !0\ne:\n  ret void\n}}\n"
        '!0 = distinct !{!0, !{!"llvm.loop.parallel_accesses", !4}, !{!"llvm.loop.vectorize.width", i32 4}, !2}\n'
        '!1 = distinct !{!1}\n!2 = !{!"llvm.loop.vectorize.enable", i1 true}\n!4 = distinct !{}\n!5 = distinct !{}\n'
    )
    command = ["opt-22", "-passes=loop-vectorize", "-pass-remarks=.*", "-pass-remarks-analysis=.*", "-disable-output"]
    found = subprocess.run(command, input=module(parse(text)).text, capture_output=True, text=True, check=True)
    assert ("vectorized loop (vectorization width: 4" in found.stderr) == alone
    assert ("runtime pointer checks needed" in found.stderr) != alone


# ---------------------------------------------------------------- what has no effect

IRREDUCIBLE = (
    "litmus t\nglobal x = 0\nkernel K(i32 n in {0, 1}) {\nentry:\n  c = n == 0\n  br c, a, b\na:\n  store 1, x\n"
    "  br b\nb:\n  d = n == 1\n  br d, a, e, !llvm.loop !0\ne:\n  ret void\n}\n!0 = distinct !{!0}\nexists (x=1)\n"
)
LATCHES = (
    "litmus t\nglobal x = 0\nkernel K(i32 n in {0, 1}) {\nentry:\n  br h\nh:\n  c = n == 0\n  br c, a, b\na:\n"
    "  store 1, x\n  br h, !llvm.loop !0\nb:\n  d = n == 1\n  br d, h, e\ne:\n  ret void\n}\n!0 = distinct !{!0}\n"
    "exists (x=1)\n"
)
TWO_HEADERS = (
    "litmus t\nglobal x = 0\nkernel K(i32 n in {0, 1}) {\nentry:\n  br h\nh:\n  br i\ni:\n  store 1, x\n"
    "  c = n == 0\n  br c, l, e\nl:\n  d = n == 1\n  br d, h, i, !llvm.loop !0\ne:\n  ret void\n}\n"
    "!0 = distinct !{!0}\nexists (x=1)\n"
)


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        (IRREDUCIBLE, (12, 3), "this LoopID has no effect: the cycle is irreducible",
         "a loop is entered at one block, its header, alone"),
        (LATCHES, (11, 3), "this LoopID may have no effect: 2 branches go back to 'h'",
         "LLVM merges such branches first, and keeps a LoopID that all of them have"),
        (TWO_HEADERS, (14, 3), "this LoopID is that of two loops: the branch goes back to 'h' and 'i'", ""),
        (counted("!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.unroll.followup_all\", !2}\n!2 = distinct !{!2}"),
         (16, 6), "'llvm.loop.unroll.followup_all' lists the LoopID !2, whose attributes have no effect",
         "list the attributes themselves; older versions of clang wrote LoopIDs here"),
        (counted("!0 = distinct !{!0, !2}\n!2 = distinct !{!2}"), (15, 15),
         "this LoopID lists the LoopID !2, whose attributes have no effect",
         "list the attributes themselves; older versions of clang wrote LoopIDs here"),
        (counted("!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.unroll.cuont\", i32 4}"), (16, 6),
         "no pass of LLVM knows the attribute 'llvm.loop.unroll.cuont'", "did you mean 'llvm.loop.unroll.count'?"),
        (counted("!0 = distinct !{!0, !1, !2}\n!1 = !{!\"llvm.loop.unroll.count\", i32 4}\n"
                 "!2 = !{!\"llvm.loop.unroll.count\", i32 2}"), (17, 6),
         "'llvm.loop.unroll.count' stands twice among these attributes",
         "some passes of LLVM read the first, some the last"),
        (counted("!0 = distinct !{!0}\n!4 = distinct !{}", promise=", !llvm.access.group !4"), (8, 3),
         "!llvm.access.group names !4, and no loop around this access lists that group",
         "add !{!\"llvm.loop.parallel_accesses\", !4} to the attributes of the loop"),
        (counted("!0 = distinct !{!0}\n!4 = distinct !{!4}", promise=", !llvm.mem.parallel_loop_access !4"), (8, 3),
         "!llvm.mem.parallel_loop_access names !4, and no loop around this access has that LoopID",
         "a loop whose attributes change has a new LoopID: name that one"),
    ],
)  # fmt: skip
def test_what_has_no_effect_is_warned_of(text: str, place: tuple[int, int], message: str, hint: str) -> None:
    (found,) = warnings(parse(text))
    assert (found.severity, found.span[:2], found.message, found.hint) == ("warning", place, message, hint)


@pytest.mark.parametrize(
    ("metadata", "promise"),
    [
        ('!0 = distinct !{!0, !1}\n!1 = !{!"llvm.loop.parallel_accesses", !4}\n!4 = distinct !{}',
         ", !llvm.access.group !4"),
        ("!0 = distinct !{!0}", ", !llvm.mem.parallel_loop_access !0"),
        ('!0 = distinct !{!0, !1}\n!1 = !{!"mine", !2}\n!2 = !{!"llvm.mem.parallel_loop_access", i32 0}', ""),
    ],
)  # fmt: skip
def test_what_is_kept_or_a_users_is_not_warned_of(metadata: str, promise: str) -> None:
    assert warnings(parse(counted(metadata, promise=promise))) == ()


def test_a_promise_is_dangling_once_the_loop_around_it_has_another_name() -> None:
    """ "Metadata on Loops": other attributes are another LoopID, and references must be updated; groups are kept."""
    metadata = '!0 = distinct !{!0, !1}\n!1 = !{!"llvm.loop.parallel_accesses", !4}\n!4 = distinct !{}'
    promise = ", !llvm.access.group !4, !llvm.mem.parallel_loop_access !0"
    test = parse(counted(metadata, promise=promise))
    assert list(dangling(test)) == []

    def changed(statement: Statement) -> Statement:
        if isinstance(statement, Branch) and statement.loop is not None:
            return replace(statement, loop=replace(statement.loop, name="5"))
        return statement

    ((span, message, _),) = dangling(mapped(test, changed))
    assert (span.line, message.split(",")[0]) == (8, "!llvm.mem.parallel_loop_access names !0")


def test_a_promise_about_a_loop_elsewhere_is_dangling() -> None:
    """The access stands after the loop that its group is listed by, and in a thread without loops."""
    text = (
        "litmus t\nglobal x = 0\nkernel K() {\n  c = true\n  while c {\n    store 1, x, !llvm.access.group !4\n"
        "    c = false\n  } !llvm.loop !0\n  store 2, x, !llvm.access.group !4\n}\nthread P {\n"
        '  store 3, x, !llvm.access.group !4\n}\n!0 = distinct !{!0, !{!"llvm.loop.parallel_accesses", !4}}\n'
        "!4 = distinct !{}\nexists (x=1)\n"
    )
    assert [span.line for span, _, _ in dangling(parse(text))] == [12, 9]


def test_two_loopids_of_one_name_are_no_test() -> None:
    test = parse(NEST)

    def changed(statement: Statement) -> Statement:
        if isinstance(statement, For) and statement.loop is not None:
            return replace(statement, loop=replace(statement.loop, name="3"))
        return statement

    _, diagnostics = resolve(mapped(test, changed))
    assert [d.message for d in diagnostics] == ["two LoopIDs have the name '!3' and different attributes"]


# ---------------------------------------------------------------- printing and parsing

names = st.sampled_from([*KINDS, "mine", 'a "quoted" name', "llvm.mem.parallel_loop_access", "ü"])
groups = st.lists(st.sampled_from(["1", "4", "11", "g"]), max_size=3, unique=True).map(tuple)


@st.composite
def attributes(draw: st.DrawFn, depth: int) -> Attribute:
    """Draw an attribute that has what its name asks for."""
    name = draw(names)
    kind = KINDS.get(name) or draw(st.sampled_from(AttributeKind))
    inner = st.lists(attributes(depth - 1), max_size=3).map(tuple) if depth else st.just(())
    if kind is AttributeKind.COUNT:
        return Attribute(name, Number(draw(st.integers(0, 9)), I32))
    if kind is AttributeKind.FOLLOWUP:
        return Attribute(name, attributes=draw(inner))
    if kind is AttributeKind.GROUPS:
        return Attribute(name, groups=draw(groups))
    value = draw(st.none() | st.integers(0, 1).map(lambda n: Number(n, I1)))
    return Attribute(name, value)


loops = st.dictionaries(
    st.sampled_from(["0", "2", "3", "7"]), st.lists(attributes(2), max_size=4).map(tuple), min_size=1, max_size=3
).map(lambda found: [LoopID(name, inside) for name, inside in found.items()])
BASE = parse(
    "litmus t\nglobal x = 0\nkernel K() {\nentry:\n  c = true\n  br h\nh:\n  store 1, x\n  br c, h, e\ne:\n"
    "  while c {\n    r = load x\n    for i in 0..2 {\n      store i, x\n    }\n  }\n}\n"
)


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(loops, st.lists(st.none() | st.builds(Promises, groups, st.sampled_from([(), ("0",), ("2", "9")])), min_size=3))
def test_parsing_undoes_printing(found: list[LoopID], promised: list[Promises | None]) -> None:
    chosen, made = iter(found * 3), iter(promised)

    def decorated(statement):  # type: ignore[no-untyped-def]
        if isinstance(statement, While | For) or (isinstance(statement, Branch) and statement.condition):
            return replace(statement, loop=next(chosen))
        if isinstance(statement, Load | Store):
            promises = next(made)
            empty = promises is not None and not (promises.groups or promises.loops)
            return replace(statement, mode=AccessMode(promises=None if empty else promises))
        return statement

    test, diagnostics = resolve(mapped(BASE, decorated))
    assert diagnostics == []
    printed = print_test(test)
    again = parse(printed)
    assert again == test, printed
    assert print_test(again) == printed
