"""Models in the dialects of herd and Dartagnan: small ones of our own, and what is said of how they are read.

Verdicts are derived by hand from the models' rules: on x86 a write and a later read alone are reordered; a total order
of all accesses that reads respect is sequential consistency; a partial order of writes orders what the rules ask.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import axmem
from axmem.cli import build_parser, main
from axmem.encoder.engines import Engine
from axmem.formats.reading import parse
from axmem.front.options import NAMING_MODELS
from axmem.front.source import InputError, Source
from axmem.model.dialects import Dialect, dialect_of, family_of
from axmem.model.dialects.bindings import defined
from axmem.model.files import PRELUDE_SOURCE, Vocabulary
from axmem.model.foreign_names import apart
from axmem.model.library import finder, load
from axmem.model.orders import digest
from axmem.model.parser import parse as parse_cat
from axmem.model.primitives import ALIASES, FUNCTIONS, PRIMITIVES
from axmem.model.syntax import Let
from tests.paths import ROOT
from tests.peers.classic import ACROSS, COHERENCE, classic

HERD_TSO = """X86 "our store order"
include "x86fences.cat"
include "filters.cat"
include "cos.cat"
acyclic po-loc | rf | fr | co as one-location
let kept = WW(po) | RM(po) | mfence | MA(WR(po)) | AM(WR(po))
acyclic kept | rfe | fr | co as store-order
empty rmw & (fre ; coe) as atomic
"""
DARTAGNAN_TSO = """TSO
include "cos.cat"
include "x86fences.cat"
acyclic po-loc | rf | fr | co
acyclic (po & (R * M | W * W | W * A | A * R)) | mfence | rfe | fr | co
empty rmw & (fre ; coe)
"""
TOTAL = """"all accesses in one order"
/* Of every two accesses one comes first,
   and a read returns the last write before it. */
with S from linearisations(M, po | IW * (M \\ IW))
let before = S & loc & (W * R)
empty rf \\ before as written-before
empty rf & ((S & loc & (W * W)) ; before) as written-last
empty co \\ S as coherence-agrees
"""
FIXPOINT = """"coherence without an order that is chosen"
include "fences.cat"
let rec U = po-loc | rf | co0 | (([W] ; U ; rf^-1 ; [W]) \\ id) | (([R] ; rf^-1 ; U ; [W]) \\ id) | U ; U
when acyclic U as one-location
procedure agrees(r) =
  let wrong = r & U^-1
  empty wrong
end
call agrees(rf) as agreement
"""
PARTIAL = """"PTX, as far as fences go"
let strong = (W | R) & (RLX | ACQ | REL)
let sync = [F & ACQ_REL] ; po ; [W] ; rf ; [R] ; po ; [F & ACQ_REL]
let cause = (po? ; (sync | sync_fence) ; po?)+
let causes = cause | rf ; cause
empty (([W] ; causes ; [W]) & loc) \\ co
empty ([W & strong] ; loc ; [W & strong]) \\ id \\ (co | co^-1)
empty ([F & SC] ; cause ; [F & SC]) \\ sync_fence
irreflexive (rf | fr) ; causes
acyclic rf | co | fr | po-loc
"""
C11 = """C "release and acquire"
include "c11_cos.cat"
let sw = [REL | ACQ_REL | SC] ; rf ; [ACQ | ACQ_REL | SC]
let hb = (po | IW * (M \\ IW) | sw)+
irreflexive hb ; (rf | mo | fr)* as coherence
irreflexive mo ; mo ; rf^-1 as one-event-reads-and-writes
let simple(x) = x
let both = fun (x, y) -> x | y
let rec count(S) = match S with || {} -> 0 || x ++ rest -> both(x, count(rest)) end
empty count(rf & rf^-1 ++ {}) as listed
show hb, nobody-knows-this
"""

MODELS = {
    "herd": {"x86": (HERD_TSO, "SB R"), "total": (TOTAL, ""), "fixpoint": (FIXPOINT, " ".join(ACROSS)),
             "c11-ra": (C11, " ".join(ACROSS))},
    "dartagnan": {"tso": (DARTAGNAN_TSO, "SB R"), "ptx": (PARTIAL, " ".join(ACROSS))},
}  # fmt: skip
"""For each dialect models, and the families whose relaxed outcome they permit."""

NAMES = [(dialect, name) for dialect, models in MODELS.items() for name in models]


def written(folder: Path, dialect: str, name: str) -> str:
    """Return the reference of a model that is written to a folder."""
    path = folder / f"{name}.cat"
    path.write_text(MODELS[dialect][name][0], encoding="utf-8")
    return f"{dialect}:{path}"


@pytest.mark.parametrize("engine", [Engine.AUTO, Engine.ORACLE])
@pytest.mark.parametrize(("dialect", "name"), NAMES)
def test_a_model_says_what_its_rules_say(dialect: str, name: str, engine: Engine, tmp_path: Path) -> None:
    model, permitted = written(tmp_path, dialect, name), MODELS[dialect][name][1]
    some = (*ACROSS, *COHERENCE) if engine is Engine.AUTO else ("MP", "SB", "LB", "CoRR")
    found = [f for f in some if str(axmem.outcomes(classic(f), model, engine=engine).verdict) == "sometimes"]
    assert found == [family for family in some if family in permitted.split()]


FENCED = {
    ("herd", "x86", "fence seq_cst"): "",
    ("herd", "x86", "fence acq_rel"): "SB R",
    ("dartagnan", "ptx", "fence seq_cst"): "",
    ("dartagnan", "ptx", "fence acq_rel"): "SB R 2+2W IRIW",
}


@pytest.mark.parametrize("case", FENCED)
def test_fences_are_those_of_the_machine(case: tuple[str, str, str], tmp_path: Path) -> None:
    dialect, name, fence = case
    model = written(tmp_path, dialect, name)
    found = [f for f in ACROSS if str(axmem.outcomes(classic(f, between=fence), model).verdict) == "sometimes"]
    assert " ".join(found) == FENCED[case]


SCOPED = """PTX "fences and barriers, each as far as its scope reaches"
let strong = F | (R | W) & (RLX | ACQ | REL)
let reached = sr & (strong * strong) & (~(M * M) | vloc)
let sync = reached & ([F & ACQ_REL] ; po ; [W] ; (rf & reached) ; [R] ; po ; [F & ACQ_REL])
let cause = (po | sync | syncbar & scta)+
irreflexive (rf | fr) ; cause
"""
MESSAGE = """PTX MP
{{ x=0; f=0; }}
 P0@cta 0,gpu 0          | P1@cta {cta},gpu {gpu}     ;
 st.weak x, 1            | ld.relaxed.{scope} r0, f   ;
 fence.acq_rel.{scope}   | fence.acq_rel.{scope}      ;
 st.relaxed.{scope} f, 1 | ld.weak r1, x              ;
exists (P1:r0 == 1 /\\ P1:r1 == 0)
"""
WAITING = """PTX B
{ x=0; }
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;
 st.weak x, 1   | bar.cta.sync 1 ;
 bar.cta.sync 1 | ld.weak r0, x  ;
exists (P1:r0 == 0)
"""


@pytest.mark.parametrize("engine", [Engine.AUTO, Engine.ORACLE])
@pytest.mark.parametrize(
    ("cta", "gpu", "reaching"), [(0, 0, "cta cluster gpu sys"), (1, 0, "gpu sys"), (0, 1, "sys"), (1, 1, "sys")]
)
def test_scopes_of_ptx_reach_as_far_as_in_its_tests(
    cta: int, gpu: int, reaching: str, engine: Engine, tmp_path: Path
) -> None:
    """[PTX] "Scope": the threads that a scope includes are those of the CTA, the GPU, the system of its thread."""
    path = tmp_path / "scoped.cat"
    path.write_text(SCOPED, encoding="utf-8")
    for scope in ("cta", "gpu", "sys"):
        test = parse(MESSAGE.format(cta=cta, gpu=gpu, scope=scope), "MP.litmus", "dartagnan-ptx")
        found = axmem.outcomes(test, f"dartagnan:{path}", engine=engine)
        assert found.verdict == ("never" if scope in reaching.split() else "sometimes"), scope
    barrier = parse(WAITING, "B.litmus", "dartagnan-ptx")
    assert axmem.outcomes(barrier, f"dartagnan:{path}", engine=engine).verdict == "never"


def test_a_model_of_our_own_does_not_judge_tests_of_other_levels(tmp_path: Path) -> None:
    path = tmp_path / "ours.cat"
    path.write_text('"ours"\nacyclic po & same-workgroup\n', encoding="utf-8")
    with pytest.raises(InputError, match="the solver is asked about thread cta cluster gpu system"):
        axmem.outcomes(parse(WAITING, "B.litmus", "dartagnan-ptx"), f"axmem:{path}")


def test_a_sequentially_consistent_store_of_x86_is_locked(tmp_path: Path) -> None:
    model = written(tmp_path, "herd", "x86")
    assert str(axmem.outcomes(classic("SB", write="seq_cst"), model).verdict) == "never"
    assert str(axmem.outcomes(classic("SB", write="release"), model).verdict) == "sometimes"


INCREMENTS = """litmus increments
global x = 0
thread P0 { r0 = atomicrmw add x, 1 monotonic }
thread P1 { r0 = atomicrmw add x, 1 monotonic }
exists (P0:r0=0 /\\ P1:r0=0)
"""


@pytest.mark.parametrize("engine", [Engine.AUTO, Engine.ORACLE])
def test_a_read_modify_write_of_c_is_one_event(engine: Engine, tmp_path: Path) -> None:
    """`mo ; mo ; rf^-1` is about events that read and write: without such events two increments could both read 0."""
    model = written(tmp_path, "herd", "c11-ra")
    found = axmem.outcomes(axmem.parse(INCREMENTS, "increments"), model, engine=engine)
    assert (str(found.verdict), len(found.outcomes)) == ("never", 2)


def test_release_and_acquire_of_c(tmp_path: Path) -> None:
    model = written(tmp_path, "herd", "c11-ra")
    tests = {family: classic(family, write="release", read="acquire") for family in ACROSS}
    found = [family for family, test in tests.items() if str(axmem.outcomes(test, model).verdict) == "sometimes"]
    assert found == ["SB", "R", "2+2W", "IRIW"]


# ---------------------------------------------------------------- which dialect


def test_a_dialect_is_that_of_the_path_a_comment_or_a_folder(tmp_path: Path) -> None:
    text = HERD_TSO
    (tmp_path / "herd").mkdir()
    (tmp_path / "herd" / "mine.cat").write_text(text, encoding="utf-8")
    commented = tmp_path / "commented.cat"
    commented.write_text(f"{text}// axmem: dialect herd\n", encoding="utf-8")
    bare = tmp_path / "bare.cat"
    bare.write_text(text, encoding="utf-8")
    assert load(str(tmp_path / "herd" / "mine.cat")).dialect == "herd/x86"
    assert load(str(commented)).dialect == "herd/x86"
    assert load(f"herd:{bare}").dialect == "herd/x86"
    assert load(f"herd/arm:{bare}").dialect == "herd/arm"
    with pytest.raises(InputError, match="x86fences"):
        load(str(bare))


def test_an_option_says_the_dialect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bare.cat"
    path.write_text(HERD_TSO, encoding="utf-8")
    test = tmp_path / "SB.litmus"
    test.write_text("litmus SB\nglobal x = 0\nthread P0 { store atomic 1, x monotonic }\n", encoding="utf-8")
    assert main(["run", str(test), "--model", str(path), "--cat-dialect", "herd"]) == 0
    assert main(["compare", str(test), "--models", f"sc,{path}", "--cat-dialect", "herd"]) == 0
    assert "bare" in capsys.readouterr().out
    assert main(["models", str(path), "--cat-dialect", "herd"]) == 0


def test_the_dialect_is_put_before_models_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory that is called as a cat file is a directory, and a condition or a list of relations is what it is."""
    monkeypatch.chdir(tmp_path)
    Path("bare.cat").write_text(HERD_TSO, encoding="utf-8")
    text = "litmus SB\nglobal x = 0\nthread P0 { store atomic 1, x monotonic }\n"
    Path("SB.litmus").write_text(text, encoding="utf-8")
    assert main(["run", "SB.litmus", "--model", "bare.cat", "--cat-dialect", "herd", "--run", "store.cat"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["SB.litmus", "bare.cat", "store.cat"]


def test_every_option_that_names_models_is_read_in_the_dialect() -> None:
    """What a command with `--cat-dialect` has for models is shown as one: `M`, `A,B`, or the name of a model."""
    for command, parser in build_parser()[1].choices.items():
        options = {action.dest: action.metavar for action in parser._actions}
        if "cat_dialect" in options and command != "check":
            shown = {name for name, metavar in options.items() if metavar in ("M", "A,B", "NAME")}
            named = shown - {"project", "only"}
            assert named and named <= set(NAMING_MODELS), command


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("axmem: dialect hred", "did you mean 'herd'?"),
        ("axmem: dialect herd/z80", "models of herd about 'z80' are not known"),
    ],
)
def test_a_dialect_that_nobody_knows_is_refused(comment: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "strange.cat"
    path.write_text(f"(* {comment} *)\nacyclic po\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load(str(path))
    assert message in str(caught.value)


# ---------------------------------------------------------------- names


def test_our_names_are_unknown_in_another_dialect(tmp_path: Path) -> None:
    path = tmp_path / "ours.cat"
    path.write_text("X86 ours\nlet a = MKA * MONO | agent * LDS\nacyclic po | a | nobody\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load(f"herd:{path}")
    assert [d.message for d in caught.value.diagnostics] == [
        f"unknown name `{name}`" for name in ("MKA", "MONO", "agent", "LDS", "nobody")
    ]


def test_what_a_model_has_no_meaning_for_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "arm.cat"
    path.write_text("ARM\nacyclic po | rf\n", encoding="utf-8")
    for engine in (Engine.AUTO, Engine.ORACLE):
        with pytest.raises(InputError, match="no meaning for acquire, release and sequentially consistent accesses"):
            axmem.outcomes(classic("MP", write="release"), f"herd:{path}", engine=engine)
    scoped = 'litmus s\nglobal x = 0\nthread P0 { store atomic 1, x syncscope("agent") monotonic }\n'
    with pytest.raises(InputError, match="no meaning for operations of a scope narrower than the system"):
        axmem.outcomes(axmem.parse(scoped, "s"), f"herd:{path}")


def test_check_says_what_names_are_bound_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reference = written(tmp_path, "herd", "x86").removeprefix("herd:")
    assert main(["check", reference, "--cat-dialect", "herd"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{reference}: read in the dialect herd/x86, as asked"
    assert "  MFENCE  F & SC" in lines
    assert "  A       RMW | CasFail | (W & SC)  (Accesses of LOCKed instructions)" in lines


# ---------------------------------------------------------------- names that mean several things

MERGED = "_ R M RLX ACQ REL ACQ_REL SC RMW po rf loc ext si rmw addr data ctrl A fr fre fri ca po-loc rfe rfi"
"""In herd's models of C a read-modify-write is one event: what speaks of events and of pairs is about others there."""
APART = {
    "C": ("herd/c", f"{MERGED} int", "dartagnan/c", "A RLX ACQ REL ACQ_REL int si"),
    "OpenCL": ("herd/opencl", f"{MERGED} int GLOBAL", "dartagnan/opencl", "A int si GLOBAL"),
    "X86": ("herd/x86", "A int si", "dartagnan/x86", "A int si"),
    "BPF": ("herd/bpf", "SC int si", "dartagnan/bpf", "SC int si"),
    "AArch64": ("herd/aarch64", "A B int si", "dartagnan/aarch64", "A int si"),
    "PTX": ("dartagnan/ptx", "RLX ACQ REL ACQ_REL SC int si vloc co coe coi fr fre fri"),
    "Vulkan": ("dartagnan/vulkan", "ACQ REL int si"),
    "ARM": ("herd/arm", "int si", "dartagnan/arm", "int si"),
    "PPC": ("herd/ppc", "int si", "dartagnan/ppc", "int si"),
    "RISCV": ("herd/riscv", "int si", "dartagnan/riscv", "int si"),
    "anything": ("herd", "int si", "dartagnan", "int si"),
}
"""By the title of a file: of each dialect in which it may be meant the names that it has from us with another meaning.

Derived from the files of model/dialects by hand. `int` is there of initial writes, too, and `si` of one access;
a name that a dialect does not have has no meaning there, and one that is defined anew with the same meaning is the
same.
"""


@pytest.mark.parametrize("title", APART)
def test_names_that_mean_something_else_are_known(title: str) -> None:
    names = {*PRIMITIVES, *ALIASES, *FUNCTIONS, *defined(Vocabulary("", (PRELUDE_SOURCE,), lambda _n, _f: None))}
    text = "\n".join(f"let n{number} = {name}" for number, name in enumerate(sorted(names)))
    source = Source("all.cat", f'{title} "all"\n{text}\n')
    found: dict[str, set[str]] = {}
    for each in apart(source, finder(Dialect("axmem")), family_of(source)):
        for _, labels in each.elsewhere:
            for label in labels:
                found.setdefault(label, set()).add(each.here.name)
    expected = dict(zip(APART[title][::2], (set(names.split()) for names in APART[title][1::2]), strict=True))
    assert {label: found[label] for label in expected} == expected
    # A file about nothing in particular may also be meant for a machine whose models have names that others lack.
    assert title == "anything" or set(found) == set(expected)


def test_what_a_file_may_have_meant_otherwise_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As docs/cat-dialects.md shows it; every command that judges by the file notes it, and a comment settles it."""
    page = (ROOT / "docs" / "cat-dialects.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^\$ cat mine.cat\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    text, said = shown.split("$ axmem check mine.cat\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stderr", sys.stdout)
    path = Path("mine.cat")
    path.write_text(text, encoding="utf-8")
    assert main(["check", "mine.cat"]) == 0
    assert capsys.readouterr().out == said
    Path("SB.litmus").write_text(
        "litmus SB\nglobal x = 0\nthread P0 { store atomic 1, x monotonic }\n", encoding="utf-8"
    )
    assert main(["run", "SB.litmus", "--model", "mine.cat"]) == 0
    assert "note: mine.cat: read in the dialect axmem, but `A` means something else" in capsys.readouterr().out
    for settled in (f"{text}(* axmem: dialect axmem *)\n", text.replace("let kept", "let A = RMW let kept")):
        path.write_text(settled, encoding="utf-8")
        assert load("mine.cat").warnings == ()


def test_names_of_other_dialects_are_known_by_them(tmp_path: Path) -> None:
    path = tmp_path / "mine.cat"
    path.write_text('"mine"\nempty AA(po) | WW(po) | LKW\n', encoding="utf-8")
    assert hints(str(path)) == [
        'a name of the dialect herd or dartagnan, of its "filters.cat"; '
        "(* axmem: dialect herd *) in the file or --cat-dialect herd chooses it",
        'include "filters.cat" defines it',
        "a name of the dialect herd; (* axmem: dialect herd *) in the file or --cat-dialect herd chooses it",
    ]
    path.write_text('X86 "mine"\nempty [MKA] | AA(po) | [DMB]\n', encoding="utf-8")
    assert hints(f"herd:{path}") == [
        "a name of the dialect axmem; (* axmem: dialect axmem *) in the file or --cat-dialect axmem chooses it",
        'include "filters.cat" defines it',
        "a name of the dialect herd/arm or dartagnan/arm; "
        "(* axmem: dialect herd/arm *) in the file or --cat-dialect herd/arm chooses it",
    ]


def hints(reference: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(reference)
    return [d.hint for d in caught.value.diagnostics]


# ---------------------------------------------------------------- comments, halves of read-modify-writes


@pytest.mark.parametrize("reference", ["dartagnan", "herd", "axmem"])
def test_where_a_comment_ends(reference: str, tmp_path: Path) -> None:
    """In herd's files and ours comments nest; in Dartagnan's one ends at the first mark, whatever stands in it."""
    path = tmp_path / "mine.cat"
    path.write_text('"mine"\n(* an address: (*p) = 1 *)\nacyclic po | rf\n', encoding="utf-8")
    if reference == "dartagnan":
        assert [axiom.kind.value for axiom in load(f"dartagnan:{path}").axioms] == ["acyclic"]
        path.write_text('"mine"\n(* (* *) *)\nacyclic po | rf\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load(f"{reference}:{path}")
    (diagnostic, *_) = caught.value.diagnostics
    assert diagnostic.span.line == 2
    path.write_text('"mine"\n(* (* *)\nacyclic po | rf (* *)\nirreflexive hb *)\nacyclic po\n', encoding="utf-8")
    if reference != "dartagnan":
        (axiom,) = load(f"{reference}:{path}").axioms
        assert axiom.span.line == 5


@pytest.mark.parametrize(("ordering", "read", "write"), [
    ("monotonic", "RLX", "RLX"), ("acquire", "ACQ", "RLX"), ("release", "RLX", "REL"), ("acq_rel", "ACQ", "REL"),
    ("seq_cst", "SC", "SC"),
])  # fmt: skip
def test_the_halves_of_a_read_modify_write_in_dartagnan(ordering: str, read: str, write: str, tmp_path: Path) -> None:
    """`VisitorC11` gives a half the ordering that is of use to it, so that none of the two has `ACQ_REL`."""
    path = tmp_path / "halves.cat"
    sets = "".join(
        f"flag ~empty {half} & RMW & {name} as {half}-{name}\n"
        for half in "RW" for name in ("RLX", "ACQ", "REL", "ACQ_REL", "SC")
    )  # fmt: skip
    path.write_text(f'C "halves"\n{sets}', encoding="utf-8")
    test = axmem.parse(
        f"litmus t\nglobal x = 0\nthread P0 {{\n  r = atomicrmw add x, 1 {ordering}\n}}\nexists (x=1)\n"
    )
    flags = axmem.outcomes(test, f"dartagnan:{path}").flags
    assert set(flags) == {f"R-{read}", f"W-{write}"}


# ---------------------------------------------------------------- includes


def test_an_include_is_beside_the_including_file_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "values.cat").write_text('"beside"\nlet here = po\n', encoding="utf-8")
    path = tmp_path / "mine.cat"
    path.write_text('"mine"\ninclude "values.cat"\nacyclic here | rf\n', encoding="utf-8")
    (warning,) = load(str(path)).warnings
    assert (warning.span.line, warning.span.column, warning.severity) == (2, 9, "warning")
    assert main(["check", str(path)]) == 0
    captured = capsys.readouterr()
    assert "0 errors, 1 warning" in captured.out
    assert 'mine.cat:2:9: warning: "values.cat" is read beside this file; axmem has a file of this' in captured.err


@pytest.mark.parametrize(
    ("order", "verdict"), [("po", "herd/bpf"), ("[AQ] ; po | po ; [RL]", "herd/bpf-rcpc")], ids=["older", "newer"]
)
def test_the_edition_of_a_model_is_that_of_the_names_it_has(order: str, verdict: str, tmp_path: Path) -> None:
    file = tmp_path / "bpf.cat"
    file.write_text(f'BPF "ours"\nacyclic rf | co | fr | {order} as whole\n', encoding="utf-8")
    assert dialect_of(Source(str(file), file.read_text(encoding="utf-8")), "herd").label == verdict
    test = classic("MP", write="release", read="acquire")
    if verdict == "herd/bpf":
        with pytest.raises(InputError, match="has no meaning for"):
            axmem.outcomes(test, f"herd:{file}")
    else:
        assert str(axmem.outcomes(test, f"herd:{file}").verdict) == "never"


def test_what_is_known_of_coherence_beforehand_is_no_more_than_coherence(tmp_path: Path) -> None:
    """`pco`, which herd computes: part of coherence wherever each location alone is sequentially consistent."""
    file = tmp_path / "known.cat"
    whole = 'X86 "ours"\nacyclic po-loc | rf | fr | co as uniproc\n'
    file.write_text(f"{whole}flag ~empty pco \\ co as more\nflag ~empty po-loc & (W * W) \\ pco as less\n")
    bare = tmp_path / "bare.cat"
    bare.write_text(f"{whole}acyclic pco as known\n", encoding="utf-8")
    for family in (*ACROSS, *COHERENCE):
        found = axmem.outcomes(classic(family), f"herd:{file}")
        assert not found.undefined and not found.flags, family
        assert found.outcomes == axmem.outcomes(classic(family), f"herd:{bare}").outcomes


# ---------------------------------------------------------------- AArch64

ORDERED_BEFORE = """AArch64 "our ordered before, of accesses as wholes"
let full = DMB.ISH | DMB.OSH | DMB.SY | DSB.SY
let after = po-loc ; [W] ; si
let kept = po ; [full] ; po | [R] ; po ; [DMB.LD] ; po | [W] ; po ; [DMB.ST | DSB.ST] ; po ; [W]
let kept = kept | po ; [L] | [A | Q] ; po | [L] ; po ; [A] | po ; ([A] ; amo ; [L]) ; po
let kept = kept | addr | data | ctrl ; [W] | rmw
acyclic (rfe | fre | coe) ; si | after | kept as external
acyclic po-loc | rf | fr | co as internal
empty rmw & (fre ; coe) as atomic
"""
ONE_UPDATE = """litmus one
global x = 0
thread P0 { r0 = atomicrmw add x, 1 monotonic }
exists (P0:r0=0 /\\ x=1)
"""
PARTS = """litmus parts
global i64 x = 0
thread P0 { store atomic i64 4294967297, x monotonic }
thread P1 { store atomic i32 2, x monotonic }
thread P2 { r = load atomic i64, x monotonic }
exists (P2:r=1)
"""
"""A load of eight bytes between two halves of a store of eight: an access is single-copy atomic, whoever else accesses
a part of it ([Armv8] "Single-copy atomicity")."""


@pytest.fixture(params=["dartagnan", "herd"])
def ordered_before(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    path = tmp_path / "ordered.cat"
    path.write_text(ORDERED_BEFORE, encoding="utf-8")
    return f"{request.param}:{path}"


@pytest.mark.parametrize("engine", [Engine.AUTO, Engine.ORACLE])
@pytest.mark.parametrize(("text", "verdict"), [(ONE_UPDATE, "always"), (PARTS, "never")], ids=["one", "parts"])
def test_the_same_instruction_is_one_access(text: str, verdict: str, engine: Engine, ordered_before: str) -> None:
    """With both halves of a read-modify-write in `si`, `po ; si` would be a cycle: nothing would have an execution."""
    assert str(axmem.outcomes(axmem.parse(text), ordered_before, engine=engine).verdict) == verdict


STORES_ALONE = "fence release  # aarch64:dmb.st"
STORES_FIRST = "fence seq_cst  # aarch64:dmb.st, aarch64:dsb.st"


@pytest.mark.parametrize(
    ("between", "permitted"),
    [
        ("fence seq_cst", ""),
        ("fence acq_rel", ""),
        ("fence acquire", "MP SB S R 2+2W ISA2"),
        (STORES_ALONE, "MP SB LB S R WRC ISA2 IRIW"),
        (STORES_FIRST, "MP SB LB S R WRC ISA2 IRIW"),
    ],
)
def test_barriers_of_aarch64(between: str, permitted: str, ordered_before: str) -> None:
    """DMB ST orders stores with stores, DMB LD loads with what follows, whatever domain the model names.

    In this model, as in Dartagnan's, a DSB is a DMB; in a thread that loads only DMB ST orders nothing.
    """
    verdicts = {f: str(axmem.outcomes(classic(f, between=between), ordered_before).verdict) for f in ACROSS}
    found = [family for family, verdict in verdicts.items() if verdict == "sometimes"]
    assert set(found) == set(permitted.split())


def test_a_barrier_of_stores_is_refused_by_other_machines(tmp_path: Path) -> None:
    for title, dialect in (("PPC", "dartagnan"), ("ARM", "dartagnan"), ("RISCV", "dartagnan"), ("C", "dartagnan")):
        path = tmp_path / f"{title}.cat"
        path.write_text(f'{title} "ours"\nacyclic po | rf\n', encoding="utf-8")
        with pytest.raises(InputError, match="has no meaning for"):
            axmem.outcomes(classic("MP", between=STORES_ALONE), f"{dialect}:{path}")


def test_an_update_of_aarch64_is_a_pair_of_exclusives(ordered_before: str) -> None:
    """LDAXR and STLXR are no full barrier, as one instruction that acquires and releases is."""
    text = """litmus SB+updates
global x = 0
global y = 0
global z = 0
global w = 0
thread P0 {
  store atomic 1, x monotonic
  r0 = atomicrmw add z, 1 acq_rel
  r1 = load atomic y monotonic
}
thread P1 {
  store atomic 1, y monotonic
  r0 = atomicrmw add w, 1 acq_rel
  r1 = load atomic x monotonic
}
exists (P0:r1=0 /\\ P1:r1=0)
"""
    assert str(axmem.outcomes(axmem.parse(text), ordered_before).verdict) == "sometimes"


def test_an_acquire_load_is_the_weaker_instruction(ordered_before: str) -> None:
    """LDAPR, which an earlier STLR does not come before, and LDAR, which it does."""
    weaker, stronger = (classic("SB", write=w, read=r) for w, r in (("release", "acquire"), ("seq_cst", "seq_cst")))
    assert str(axmem.outcomes(weaker, ordered_before).verdict) == "sometimes"
    assert str(axmem.outcomes(stronger, ordered_before).verdict) == "never"


# ---------------------------------------------------------------- functions of herd's library


def digests(text: str) -> list[str]:
    (statement,) = parse_cat(Source("x.cat", text)).statements
    assert isinstance(statement, Let)
    return [digest(binding) for binding in statement.bindings]


def test_a_function_is_known_by_its_shape() -> None:
    """Places, spaces, comments and the names that it binds do not count; everything else does."""
    text = "let f(r,S) = let rec g S = match S with || {} -> 0 || x ++ y -> (x & r) | g(y) end in g(S)"
    moved = "(* moved *)\n\n let  h (q , T) =\n  let rec k T = match T with\n || {} -> 0 "
    moved += "|| a ++ b -> (a & q) | k(b) end in k(T)"
    assert digests(text) == digests(moved)
    for other in (text.replace("&", "|"), text.replace("g(y)", "g(x)"), text.replace("(x & r)", "(x & rf)")):
        assert digests(text) != digests(other)


# ---------------------------------------------------------------- statements of herd's, machines that are not read


DEPENDENT = """litmus LB+datas
global x = 0
global y = 0
thread P0 {
  r0 = load atomic x monotonic
  store atomic r0, y monotonic
}
thread P1 {
  r0 = load atomic y monotonic
  r1 = add r0, 1
  store atomic r1, x monotonic
}
exists (P0:r0=1 /\\ P1:r0=1)
"""


def test_dependencies_that_a_model_computes_from_registers_are_those_of_the_test(tmp_path: Path) -> None:
    """Here are no events of registers: what `catdep` announces would relate nothing."""
    path = tmp_path / "computed.cat"
    rules = "let data = [R] ; iico_data ; [W]\nlet own = po & iico_data\nacyclic rf | data as dependent\n"
    path.write_text(f'AArch64 "ours"\ncatdep\n{rules}', encoding="utf-8")
    assert str(axmem.outcomes(axmem.parse(DEPENDENT), f"herd:{path}").verdict) == "never"
    path.write_text(f'AArch64 "ours"\n{rules}', encoding="utf-8")
    assert str(axmem.outcomes(axmem.parse(DEPENDENT), f"herd:{path}").verdict) != "never"


def test_an_assertion_that_fails_is_flagged(tmp_path: Path) -> None:
    path = tmp_path / "asserted.cat"
    path.write_text("SC\nassert empty rf & ext as no-news\nassert acyclic po as order\n", encoding="utf-8")
    assert axmem.outcomes(classic("MP"), f"herd:{path}").flags == ("no-news",)


def test_orders_of_events_that_no_test_has_are_ours(tmp_path: Path) -> None:
    """A library that lists orders one by one cannot be read, but those of maintenance operations are empty."""
    (tmp_path / "enumerations.cat").write_text("let all-DC-Exp_W-enums r = {r} ++ {}\n", encoding="utf-8")
    path = tmp_path / "maintained.cat"
    text = 'include "enumerations.cat"\nwith after from (all-DC-Exp_W-enums po)\nacyclic po | rf | fr | co | after\n'
    path.write_text(f'AArch64 "ours"\n{text}', encoding="utf-8")
    assert str(axmem.outcomes(classic("SB"), f"herd:{path}").verdict) == "never"


@pytest.mark.parametrize("title", ["MIPS", "ASL", "AArch32", '"Linux-kernel model"', "IMM"])
def test_models_of_machines_that_are_not_read_are_refused_by_name(title: str, tmp_path: Path) -> None:
    """As models of none in particular they would lose their fences."""
    path = tmp_path / "other.cat"
    path.write_text(f"{title}\nlet fences = try fencerel(SYNC) with 0\nacyclic fences | rf\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load(f"herd:{path}")
    (diagnostic,) = caught.value.diagnostics
    assert re.fullmatch("models of herd about '(mips|asl|aarch32|linux|imm)' are not known", diagnostic.message)


@pytest.mark.parametrize("dialect", ["herd", "dartagnan"])
def test_an_exchange_of_x86_is_an_access_that_reads_and_writes(dialect: str, tmp_path: Path) -> None:
    path = tmp_path / "exchange.cat"
    locked = "X" if dialect == "herd" else "A"
    path.write_text(f'X86 "ours"\nacyclic po & (R * M | W * W | ({locked} & W) * R) | rf | fr | co\n', encoding="utf-8")
    assert str(axmem.outcomes(classic("SB", write="seq_cst"), f"{dialect}:{path}").verdict) == "never"
    assert str(axmem.outcomes(classic("SB", write="release"), f"{dialect}:{path}").verdict) == "sometimes"
