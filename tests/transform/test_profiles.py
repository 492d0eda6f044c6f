"""Where profile `doc` follows the document alone, with the sentences that decide; and LLVM 22 where it differs."""

from __future__ import annotations

import pytest

from axmem.litmus.parser import parse
from axmem.transform.legality import forest
from axmem.transform.metadata import MetadataQuestion, loop_metadata
from axmem.transform.passes import Profile
from axmem.transform.pipeline_cases import CostCase

NEST = """\
litmus nest
global <64 x i32> a = 0, b = 0
kernel K({type} n = 3, {type} m = 2) {{
entry:
  br o
o:
  i = phi {type} [ 0, entry ], [ inext, ol ]
  s0 = load i32 a[i]
  br h
h:
  j = phi {type} [ 0, o ], [ jnext, h ]
  s = phi i32 [ s0, o ], [ s1, h ]
  v = load i32 b[j]
  s1 = s + v
  jnext = j + 1
  c = jnext < m
  br c, h, ol, !llvm.loop !1
ol:
  store s1, a[i]
  inext = i + 1
  d = inext < n
  br d, o, x, !llvm.loop !0
x:
  ret
}}
!0 = distinct !{{!0, {outer}}}
!1 = distinct !{{!1, !{{!"inner"}}}}
exists (true)
"""
STATEMENTS = """\
litmus statements
"The three statements of the section on distribution."
global <64 x i32> A = 0, B = 0, C = 0
kernel K(i32 n = 3, ptr addrspace(1) p = &A) {{
entry:
  br h
h:
  i = phi i32 [ 1, entry ], [ j, h ]
  store i, p[i]
  b = load i32 B[i]
  b2 = b + 2
  store b2, B[i]
  k = i - 1
  c = load i32 C[k]
  c3 = c + 3
  store c3, C[i]
  j = i + 1
  t = j < n
  br t, h, x, !llvm.loop !0
x:
  ret
}}
!0 = distinct !{{!0, !{{!"llvm.loop.distribute.enable", i1 true}}{more}}}
exists (true)
"""
COUNT = '!{!"llvm.loop.unroll_and_jam.count", i32 4}'
DISABLE = '!{!"llvm.loop.unroll.disable"}'
UNROLL = '!{!"llvm.loop.unroll.count", i32 3}'
JAM = "unroll-and-jam,transform-warning"


def case(text: str, profile: Profile, pipeline: str) -> CostCase:
    """Return the one case that is left of a test with one nest."""
    (nest,) = loop_metadata(parse(text).kernels[0], MetadataQuestion(profile, pipeline=pipeline)).nests
    (found,) = nest.cases
    return found


def nest(*outer: str, type_: str = "i64") -> str:
    return NEST.format(type=type_, outer=", ".join(outer))


def loops(found: CostCase) -> list[str]:
    return [tree.name for root in found.loops for tree in root.walk()]


def warnings(found: CostCase) -> list[tuple[str, str]]:
    return [(each.loop, each.text.partition(":")[0]) for each in found.warnings]


JAMMED = ["o.outer", "h.inner", "o.remainder-outer", "h.remainder-inner"]


def test_what_disables_unrolling_suppresses_unroll_and_jam() -> None:
    """ "It suppresses unroll-and-jam as well as an additional inner loop unrolling", says the document of the attribute
    `unroll.disable`; so nothing is done, and nothing is left that somebody asked for."""
    by_document = case(nest(COUNT, DISABLE), Profile.DOC, JAM)
    assert loops(by_document) == ["o", "h"] and warnings(by_document) == []
    by_llvm = case(nest(COUNT, DISABLE), Profile.LLVM_22, JAM)
    assert loops(by_llvm) == JAMMED and warnings(by_llvm) == [("o.outer", "loop not unroll-and-jammed")]


def test_after_unroll_and_jam_nothing_is_left_of_it() -> None:
    """The outer loop gets `unroll.disable`, which suppresses what its other attributes still ask for."""
    assert warnings(case(nest(COUNT), Profile.DOC, JAM)) == []
    assert warnings(case(nest(COUNT), Profile.LLVM_22, JAM)) == [("o.outer", "loop not unroll-and-jammed")]


def test_unroll_metadata_does_not_keep_a_loop_from_unroll_and_jam() -> None:
    """Which of several transformations comes first is the order of the pipeline: unroll-and-jam; the outer loop keeps
    its attributes but for those of unrolling."""
    by_document = case(nest(COUNT, UNROLL), Profile.DOC, JAM)
    assert loops(by_document) == JAMMED and warnings(by_document) == []
    names = [each.name for each in by_document.loops[0].attributes]
    assert names == ["llvm.loop.unroll_and_jam.count", "llvm.loop.unroll.disable"]
    assert loops(case(nest(COUNT, UNROLL), Profile.LLVM_22, JAM)) == ["o", "h"]


@pytest.mark.parametrize(("profile", "jams"), [(Profile.DOC, True), (Profile.LLVM_22, False)])
def test_counters_of_fewer_bits_than_an_address(profile: Profile, jams: bool) -> None:
    """LLVM 22 does not jam where a counter is extended with its sign and may wrap, as far as its flags and test say."""
    assert loops(case(nest(COUNT, type_="i32"), profile, JAM)) == (JAMMED if jams else ["o", "h"])
    assert loops(case(nest(COUNT, type_="i64"), profile, JAM)) == JAMMED
    signed = nest(COUNT, type_="i32").replace("jnext < m", "icmp slt i32 jnext, m")
    signed = signed.replace("inext < n", "icmp slt i32 inext, n")
    assert loops(case(signed, profile, JAM)) == JAMMED


def test_each_statement_that_depends_on_nothing_has_a_loop_of_its_own() -> None:
    """The example of the document has two coincident loops, a sequential and a fallback one, in this order."""
    by_document = case(STATEMENTS.format(more=""), Profile.DOC, "distribute")
    assert loops(by_document) == ["h.coincident", "h.coincident", "h.sequential", "h.fallback"]
    by_llvm = case(STATEMENTS.format(more=""), Profile.LLVM_22, "distribute")
    assert loops(by_llvm) == ["h.coincident", "h.sequential", "h.fallback"]


INTERCHANGE = ', !{!"llvm.loop.distribute.followup_all", !{!"llvm.loop.interchange.enable", i1 true}}'


def test_an_interchange_that_is_left_is_warned_of() -> None:
    """ "A loop nest cannot be distributed and then interchanged … -transform-warning should emit a warning in this
    case": no pass that could do it comes after the distribution."""
    text = STATEMENTS.format(more=INTERCHANGE)
    by_document = case(text, Profile.DOC, "distribute,transform-warning")
    assert warnings(by_document) == [(name, "loop not interchanged") for name in loops(by_document)]
    assert warnings(case(text, Profile.LLVM_22, "distribute,transform-warning")) == []


def test_there_is_at_most_one_sequential_loop() -> None:
    """What stands between two statements that depend on an iteration before is of their loop, here all there is."""
    text = STATEMENTS.format(more="").replace("  k = i - 1\n", "", 1).replace(", ptr addrspace(1) p = &A", "")
    text = text.replace("  store i, p[i]", "  k = i - 1\n  y = load i32 A[k]\n  store y, A[i]")
    (tree,) = forest(parse(text).kernels[0])
    assert tree.facts.partitions == ("sequential", "coincident", "sequential")
    assert tree.facts.parts == ("sequential",)
    by_document = case(text, Profile.DOC, "distribute,transform-warning")
    assert loops(by_document) == ["h"] and warnings(by_document) == [("h", "loop not distributed")]
