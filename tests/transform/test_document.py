"""The document "Code Transformation Metadata", section by section: its rules and examples under the profile `doc`.

Every test names the section it is of. Sections whose tables have a row each are in `test_followups.py`, modes in
`test_modes.py`, orders of passes in `test_pipelines.py`, the code that is printed in `test_document_models.py`, the
examples of metadata as they are printed in `tests/litmus/test_loops.py`.
"""

from __future__ import annotations

from axmem.litmus.parser import parse
from axmem.transform.forest import Tree
from axmem.transform.metadata import MetadataQuestion, loop_metadata
from axmem.transform.passes import TABLE, Profile
from axmem.transform.pipeline_cases import CostCase
from tests.paths import ROOT
from tests.transform.metadata import written

LOOP = """litmus Loop
global <64 x i32> a, <64 x i32> b
kernel K(i64 n = 2) {
  br h
h:
  i = phi i64 [ 0, entry ], [ next, h ]
  v = load i32 a[i]
  w = v + 1
  store w, b[i]
  next = i + 1
  more = next < n
  br more, h, x, !llvm.loop !0
x:
  ret
}
"""


def cases(metadata: str, passes: str, *do: str, dont: tuple[str, ...] = ()) -> tuple[CostCase, ...]:
    kernel = parse(LOOP + metadata).kernels[0]
    (nest,) = loop_metadata(kernel, MetadataQuestion(Profile.DOC, pipeline=passes, do=do, dont=dont)).nests
    return nest.cases


def only(metadata: str, passes: str, *do: str) -> CostCase:
    (case,) = cases(metadata, passes, *do)
    return case


def left(case: CostCase) -> dict[str, list[str]]:
    return {tree.name: shown(tree) for root in case.loops for tree in root.walk()}


def shown(tree: Tree) -> list[str]:
    return [written(each) for each in tree.attributes]


def test_metadata_on_loops() -> None:
    """Section "Metadata on Loops": a loop whose attributes change has a new LoopID, another keeps its own."""
    text = '!0 = distinct !{!0, !1}\n!1 = !{!"llvm.loop.unroll.count", i32 4}\n'
    before = only(text, "distribute")
    assert [tree.identity.name for tree in before.loops if tree.identity] == ["0"]
    after = only(text, "unroll")
    assert [tree.identity.name for tree in after.loops if tree.identity] == [""]


VECTORIZE = """!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = !{!"llvm.loop.disable_nonforced"}
"""


def test_transformation_metadata_structure() -> None:
    """Section "Transformation Metadata Structure": the first example vectorizes, and nothing before.

    `disable_nonforced` disables what is optional; what is forced is done.
    """
    case = only(VECTORIZE, "legacy+versioning-licm", "vectorize(plain)@h")
    done = [each.pass_ for each in case.decisions if each.outcomes]
    assert done == ["vectorize"]


def test_a_followup_says_what_comes_next() -> None:
    """Section "Transformation Metadata Structure": the second example vectorizes the loop and only then unrolls it."""
    text = VECTORIZE.replace("!1, !2}", "!1, !2, !3}")
    text += '!3 = !{!"llvm.loop.vectorize.followup_vectorized", !{!"llvm.loop.unroll.enable"}}\n'
    case = only(text, "O2", "vectorize(plain)@h")
    assert [str(each).partition(" ")[0] for each in case.decisions if each.outcomes] == [
        "vectorize@h",
        "unroll@h.vectorized",
    ]
    assert not case.warnings


def test_an_empty_followup_keeps_passes_from_adding_attributes() -> None:
    """Section "Transformation Metadata Structure": the third example."""
    text = VECTORIZE.replace("!1, !2}", "!1, !2, !3}") + '!3 = !{!"llvm.loop.vectorize.followup_vectorized"}\n'
    case = only(text, "vectorize", "vectorize(plain)@h")
    assert left(case)["h.vectorized"] == []
    assert case.loops[0].identity is None


def test_followups_of_what_is_not_done_are_ignored() -> None:
    """Section "Transformation Metadata Structure": of a chain that cannot be done the first is warned of."""
    text = VECTORIZE.replace("!1, !2}", "!1, !2, !3}")
    text += '!3 = !{!"llvm.loop.vectorize.followup_vectorized", !{!"llvm.loop.unroll.enable"}}\n'
    case = only(text, "distribute,transform-warning")
    assert [each.text.partition(":")[0] for each in case.warnings] == ["loop not vectorized"]
    assert case.warnings[0].why == "no pass of the pipeline does it"


def test_versioning_licm_and_interchange_have_no_followups() -> None:
    """Section "Versioning LICM", "Loop Interchange": neither supports followups, nor adds attributes."""
    for each in TABLE[Profile.DOC]:
        if each.name in ("versioning-licm", "interchange"):
            assert all(makeup.given is None and not makeup.without for makeup in each.makeups)


def test_ambiguous_transformation_order() -> None:
    """Section "Ambiguous Transformation Order": of two forced ones the pipeline says which comes first."""
    text = '!0 = distinct !{!0, !1, !2}\n!1 = !{!"llvm.loop.vectorize.enable", i1 true}\n'
    text += '!2 = !{!"llvm.loop.unroll.count", i32 4}\n'
    first = only(text, "vectorize,unroll", "vectorize(plain)@h")
    second = cases(text, "unroll,vectorize", dont=("vectorize@h.unrolled", "vectorize@h.remainder"))[0]
    assert {name.split(".")[1] for name in left(first)} == {"vectorized", "epilogue"}
    assert {name.split(".")[1] for name in left(second)} == {"unrolled", "remainder"}


def test_leftover_transformations() -> None:
    """Section "Leftover Transformations": what is a followup for an earlier pass is left, and warned of."""
    text = '!0 = distinct !{!0, !1, !2}\n!1 = !{!"llvm.loop.unroll.count", i32 4}\n'
    text += '!2 = !{!"llvm.loop.unroll.followup_unrolled", !{!"llvm.loop.vectorize.enable", i1 true}}\n'
    (case,) = cases(text, "vectorize,unroll,transform-warning", dont=("vectorize@h",))
    (warning,) = case.warnings
    assert (warning.loop, warning.text.partition(":")[0]) == ("h.unrolled", "loop not vectorized")
    assert warning.why == "vectorize.enable came to this loop after the pass"


def test_what_is_known_of_a_loop_asks_for_nothing() -> None:
    """Section "Transformation Metadata Structure": that an access is parallel may go unused, and nobody is warned."""
    text = '!0 = distinct !{!0, !1}\n!1 = !{!"llvm.loop.parallel_accesses", !2}\n!2 = distinct !{}\n'
    case = only(text, "distribute,transform-warning")
    assert not case.warnings
    assert len(left(case)["h"]) == 1


def test_any_pass_may_apply_what_is_not_disabled() -> None:
    """Section "Transformation Metadata Structure": `disable_nonforced` disables what passes would choose themselves."""
    free = cases("!0 = distinct !{!0}\n", "O2")
    done = {d.pass_ for case in free for d in case.decisions if d.outcomes}
    assert done == {"vectorize", "unroll"}
    kept = only('!0 = distinct !{!0, !1}\n!1 = !{!"llvm.loop.disable_nonforced"}\n', "O2")
    assert not [d for d in kept.decisions if d.outcomes]


SECTIONS = (
    "Overview", "Metadata on Loops", "Transformation Metadata Structure", "Pass-Specific Transformation Metadata",
    "Loop Vectorization and Interleaving", "Loop Unrolling", "Unroll-And-Jam", "Loop Distribution", "Versioning LICM",
    "Loop Interchange", "Ambiguous Transformation Order", "Leftover Transformations",
)  # fmt: skip
"""The sections of the document."""


def test_every_section_has_its_tests() -> None:
    """A test says in its docstring, or in that of its module, which section it is of."""
    paths = [p for room in ("transform", "litmus") for p in (ROOT / "tests" / room).glob("test_*.py")]
    lines = [line for p in paths for line in p.read_text(encoding="utf-8").splitlines() if "ection" in line]
    assert {name for name in SECTIONS if any(f'"{name}"' in line for line in lines)} == set(SECTIONS)
