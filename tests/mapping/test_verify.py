"""`axmem verify`: known faults of compilers, what verdicts rest on, what is said of a violation, and the command
itself. `make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from axmem.check.results import outcomes, unanswered
from axmem.cli import main
from axmem.codegen.instructions import InstructionKind
from axmem.codegen.machine.build import machine_program
from axmem.codegen.machine.mutants import elements, without
from axmem.codegen.machine.program import MachineInstruction, MachineProgram, ProgramElement
from axmem.codegen.program import lower
from axmem.codegen.targets import NEWEST_LLVM, target
from axmem.encoder.limits import TIME_LIMIT
from axmem.formats.reading import as_test, parse_file
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.cases import VerificationCase
from axmem.mapping.rules import rules
from axmem.mapping.suite import classical, suite
from axmem.mapping.verification import Exploration, Verification, verify, verify_program
from axmem.model.library import load
from axmem.report import verification
from tests.drawn import some
from tests.exploring import VERDICT_ALONE
from tests.paths import ROOT


def in_suite(name: str) -> LitmusTest:
    return next(test for test in suite() if test.name == name)


def verdict(name: str, gpu: str, mode: str = "", *, robust: bool = True, **switches: str) -> Verification:
    return verify(in_suite(name), gpu, mode=mode, exploration=Exploration(switches=switches, robust=robust))


# ---------------------------------------------------------------- faults of compilers


def dropped(
    program: MachineProgram, of: Callable[[MachineInstruction], bool], parts: tuple[str, ...] = ("",)
) -> MachineProgram:
    """Return a program without some instructions, or without some counters of them."""
    gone = [
        ProgramElement(thread, i.number, part)
        for thread, stream in enumerate(program.streams)
        for i in stream.instructions
        for part in parts
        if of(i) and (not part or part in i.parts)
    ]
    assert gone
    return without(program, gone)


def swapped_invalidates(program: MachineProgram) -> MachineProgram:
    """Invalidate the inner cache first, as LLVM did before #81450."""
    streams = []
    for stream in program.streams:
        row = list(stream.instructions)
        for k in range(len(row) - 1):
            if row[k].text == "buffer_gl1_inv" and row[k + 1].text == "buffer_gl0_inv":
                row[k], row[k + 1] = row[k + 1], row[k]
        streams.append(replace(stream, instructions=tuple(row)))
    assert tuple(streams) != program.streams
    return program.with_streams(tuple(streams))


def no_writeback(program: MachineProgram) -> MachineProgram:
    """Release to the system without a writeback, as LLVM did before #98591."""
    return dropped(program, lambda i: i.kind is InstructionKind.WRITEBACK)


def invalidate_not_counted(program: MachineProgram) -> MachineProgram:
    """Delete waits for loads where nothing but an invalidate is on its way, as LLVM did before #135340."""
    gone = []
    for thread, stream in enumerate(program.streams):
        loaded = False
        for i in stream.instructions:
            loaded = (loaded or "load" in i.text) and not (i.kind is InstructionKind.WAIT and "loadcnt" in i.parts)
            if (
                i.kind is InstructionKind.WAIT
                and "loadcnt" in i.parts
                and thread == 1
                and i.number > _first_invalidate(stream.instructions)
            ):
                gone.append(ProgramElement(thread, i.number, "loadcnt"))
    assert gone
    return without(program, gone)


def _first_invalidate(row: tuple[MachineInstruction, ...]) -> int:
    return next((i.number for i in row if i.kind is InstructionKind.INVALIDATE), len(row))


def workgroup_release_without_wait(program: MachineProgram) -> MachineProgram:
    """Let a release at workgroup scope wait for nothing in CU mode, as LLVM did before #161638."""
    store = next(i.span for i in program.streams[0].instructions if "release" in _source(i, program))
    return dropped(program, lambda i: i.kind is InstructionKind.WAIT and i.span == store, ("vmcnt", "vscnt"))


def _source(instruction: MachineInstruction, program: MachineProgram) -> str:
    return in_suite(program.name).source.line(instruction.span.line)


def no_wait_after_writeback(program: MachineProgram) -> MachineProgram:
    """Delete the wait after buffer_wbl2 where nothing else is on its way, as LLVM 22 does (mended by #178316)."""
    return dropped(
        program, lambda i: i.kind is InstructionKind.WAIT and i.number > 0 and "lgkmcnt" in i.parts, ("vmcnt",)
    )


BUGS = [
    ("MP.ag", "gfx1030", "wgp", swapped_invalidates),
    ("MP.sy", "gfx1200", "wgp", no_writeback),
    ("ISA2.sy.wg", "gfx1200", "wgp", invalidate_not_counted),
    ("ISA2.wg.ag", "gfx1030", "cu", workgroup_release_without_wait),
    ("MP.sy", "gfx942", "cu", no_wait_after_writeback),
]


@pytest.mark.parametrize(("name", "gpu", "mode", "fault"), BUGS, ids=lambda v: getattr(v, "__name__", str(v)))
def test_historical_bugs(name: str, gpu: str, mode: str, fault: Callable[[MachineProgram], MachineProgram]) -> None:
    """The faulty sequence is flagged; the mended one passes."""
    test, on, model = in_suite(name), target(gpu, mode), load("amdgpu")
    mended = machine_program(lower(test, on))
    assert verify_program(mended, test, on, model, VERDICT_ALONE).verdict == "sound"
    faulty = verify_program(fault(mended), test, on, model, VERDICT_ALONE)
    assert faulty.verdict == "unsound"
    condition = {"MP": "r0=1  P1:r1=0", "IS": "P2:r2=0"}[name[:2]]
    assert any(condition in violation.state for violation in faulty.violations)


# ---------------------------------------------------------------- verdicts

FOUND = [
    ("ISA2.wg.ag", "gfx90a", "", {"single_channel"}),
    ("ISA2.lds.ag", "gfx90a", "", {"single_channel"}),
    ("WRC.wg.ag", "gfx90a", "", {"single_channel", "l0_write"}),
    ("ISA2.wg.ag", "gfx942", "", {"single_channel", "wb_traverses"}),
    ("WRC.wg.ag", "gfx1030", "", {"single_channel", "gl1_write"}),
    ("WRC.wg.ag", "gfx1200", "cu", {"single_channel", "l0_write"}),
]
"""What rests on named assumptions alone: tests that are unsound with the weak value and sound with the strong one."""


@pytest.mark.parametrize(("name", "gpu", "mode", "rests"), some(FOUND, of=8))
def test_violations_rest_on_switches(name: str, gpu: str, mode: str, rests: set[str]) -> None:
    found = verdict(name, gpu, mode)
    assert found.verdict == "unsound"
    assert {switch for switch, _ in found.rests} == rests
    for switch in rests:
        strong = {"l0_write": "drop", "gl1_write": "drop", "inv_async": "off"}.get(switch, "on")
        assert verdict(name, gpu, mode, robust=False, **{switch: strong}).verdict == "sound"


OTHERWISE = [
    ("WRC.wg.ag", "gfx942", {}, "unsound"),
    ("WRC.wg.ag", "gfx942", {"wb_traverses": "on"}, "sound"),
    ("ISA2.ag.wg", "gfx1030", {}, "sound"),
    ("ISA2.ag.wg", "gfx1030", {"inv_counted": "off"}, "unsound"),
    ("ISA2.ag.wg", "gfx1100", {"inv_counted": "off"}, "unsound"),
]
"""Documented defaults that decide a classical test of LLVM's code, and their other values."""


@pytest.mark.parametrize(("name", "gpu", "switches", "expected"), OTHERWISE)
def test_defaults_and_their_other_values(name: str, gpu: str, switches: dict[str, str], expected: str) -> None:
    assert verdict(name, gpu, robust=False, **switches).verdict == expected


@pytest.mark.parametrize("gpu", ["gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250"])
@pytest.mark.parametrize(
    "name", ["MP.ag", "MP.sy", "MP.wg", "MP.none.ag", "SB.ag", "LB.sy", "R.wg", "CoRR.ag", "RMW.sy", "Barrier.wg"]
)
def test_plain_shapes_are_sound(name: str, gpu: str) -> None:
    test = in_suite(name)
    found = verify(test, target(gpu), load("amdgpu"), exploration=VERDICT_ALONE)
    assert (found.verdict == "sound" and len(found.found) > 1) or name.startswith("Barrier")


def test_a_sound_verdict_names_what_it_rests_on() -> None:
    assert dict(verdict("MP.neighbour.ag", "gfx942").rests) == {"inv_inflight": "drops"}
    assert dict(verdict("ISA2.ag.wg", "gfx942").rests) == {"cu_order": "on"}
    assert dict(verdict("ISA2.wg.ag", "gfx1250").rests) == {"wb_traverses": "on"}
    assert verdict("MP.ag", "gfx942").rests == ()


# The targets whose scalar loads no wait of LLVM's releases counts: a counter of their own on GFX12 and gfx1250; on the
# others that of LDS, for which a release in one address space does not wait.
UNAWAITED = [
    ("gfx1200", ".s.ag"), ("gfx1250", ".s.ag"), ("gfx900", ".s.ag1"), ("gfx942", ".s.ag1"), ("gfx1100", ".s.ag1")
]  # fmt: skip


@pytest.mark.parametrize(("gpu", "ending"), UNAWAITED)
def test_the_suite_finds_releases_that_do_not_wait_for_scalar_loads(gpu: str, ending: str) -> None:
    """In the tables that have LLVM's code as it is, with a release of every kind, and with one that opts out; the
    repaired ones are sound."""
    tests = [test for test in suite() if test.name.startswith("rel.") and test.name.endswith(ending)]
    assert len(tests) == 13
    for profile, expected in (("llvm-24", "unsound"), ("repaired", "sound")):
        where = target(gpu, "", profile)
        assert {verify(test, where, exploration=VERDICT_ALONE).verdict for test in tests} == {expected}


def test_two_racing_updates_need_the_bits_of_their_scope() -> None:
    """Of every kind: at system scope on gfx942 they meet in memory and not each in the L2 of its agent."""
    tests = [test for test in suite() if test.name.startswith("atom.") and test.name.endswith(".sy")]
    assert len(tests) == 14
    for test in tests:
        program = machine_program(lower(test, target("gfx942")))
        whole = [e for e in elements(program) if program.instruction(e).kind is InstructionKind.ACCESS]
        bits = [e for e in whole if e.part == "sc1"]
        for bit in bits:
            found = verify_program(without(program, [bit]), test, target("gfx942"), load("amdgpu"), VERDICT_ALONE)
            assert found.verdict == "unsound", (test.name, bit)
        assert len(bits) == 2


@pytest.mark.parametrize(
    ("name", "gpu", "operation", "part"),
    [
        # LDS and vector memory have queues of their own: the load of the data may be ahead of the acquire in LDS.
        ("acq.cas.r.l.wg", "gfx90a", "cmpxchg acq_rel workgroup lds", "lgkmcnt"),
        # A scalar load and a store through vector memory have, too.
        ("coh.s.w.f.ag", "gfx90a", "store generic", "lgkmcnt"),
        # The acquire before it leaves the CU's L1 as it is, where the location may have been since before.
        ("vis.ld.acq.sy", "gfx90a", "load acquire system global", "glc"),
        # The agent has several L2s, and the release after it writes none of them back.
        ("avl.st.mono.ag", "gfx942", "store monotonic agent global", "sc1"),
        # P1 sees in the CU's L1 what P0 wrote, before it has left there; its own release does not wait for that.
        ("seen.ld.mono.ag", "gfx90a", "load monotonic agent global", "glc"),
    ],
)
def test_the_suite_needs_what_is_easily_thought_redundant(name: str, gpu: str, operation: str, part: str) -> None:
    test, on = in_suite(name), target(gpu, "", NEWEST_LLVM)
    lowered = lower(test, on)
    program = machine_program(lowered)
    assert verify_program(program, test, on, load("amdgpu"), VERDICT_ALONE).verdict == "sound"
    gone = [[e] for e, rule in rules(lowered, program) if (rule.operation, e.part) == (operation, part)]
    found = [verify_program(without(program, one), test, on, load("amdgpu"), VERDICT_ALONE).verdict for one in gone]
    assert "unsound" in found


def test_what_the_suite_asks_for_never_happens_by_the_model() -> None:
    """A test that a rule needs has an outcome that the rule forbids; those at agent scope stand for the others."""
    tests = [test for test in suite()[len(classical()) :] if test.name.endswith((".ag", ".l.wg"))]
    assert len(tests) > 100
    assert {outcomes(test, "amdgpu").verdict for test in tests} == {"never"}


def test_a_store_that_is_issued_again_is_waited_for_again() -> None:
    """Waves of a workgroup share the first cache, so that waiting for stores is enough, and needed."""
    test, on, model = in_suite("S.st.wg"), target("gfx1250"), load("amdgpu")
    lowered = machine_program(lower(test, on))
    assert verify_program(lowered, test, on, model, VERDICT_ALONE).verdict == "sound"
    unwaited = dropped(lowered, lambda i: i.kind is InstructionKind.WAIT and "storecnt" in i.parts, ("storecnt",))
    assert verify_program(unwaited, test, on, model, VERDICT_ALONE).verdict == "unsound"


def test_a_tag_that_the_older_model_ignores_violates_it() -> None:
    """The backend honours amdgcn-av:none; a model without the tag does not permit what then happens."""
    test = parse_file(ROOT / "litmus" / "corpus" / "amdgpu" / "MP+st-rel.none+acq-ld.litmus")
    assert verify(test, target("gfx942"), load("amdgpu"), exploration=VERDICT_ALONE).verdict == "sound"
    found = verify(test, target("gfx942"), load("llvm"), exploration=VERDICT_ALONE)
    assert [v.state for v in found.violations] == ["P1:r0=1  P1:r1=0"]
    assert verify(test, target("gfx942", "", "llvm-22"), load("llvm"), exploration=VERDICT_ALONE).verdict == "sound"


# ---------------------------------------------------------------- the command


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name in ("MP.ag", "ISA2.wg.ag"):
        (tmp_path / f"{name}.litmus").write_text(print_test(in_suite(name)), encoding="utf-8")
    return tmp_path


def test_exit_codes_and_text(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(files / "MP.ag.litmus"), "--target", "gfx942"]) == 0
    assert "MP.ag  gfx942  amdgpu  sound  (3 placements, 3 outcomes)" in capsys.readouterr().out
    assert main(["verify", str(files / "ISA2.wg.ag.litmus"), "--target", "gfx90a"]) == 1
    out = capsys.readouterr().out
    assert "unsound (documented) under {single_channel=off}" in out
    assert "stale: P0's global_store_dword of x is still on its way from L1 0.0" in out
    assert main(["verify", str(files / "MP.ag.litmus"), "--target", "gfx942", "--limit", "20"]) == 3
    assert "incomplete: the limit of 20 states was reached" in capsys.readouterr().out


def test_json_and_pictures(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["verify", str(files), "--target", "gfx90a", "-j", "2"]
    assert main([*arguments, "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["verifications"]
    assert [v["verdict"] for v in found] == ["unsound", "sound"]
    assert found[0]["timeline"] and found[1]["timeline"] is None
    assert main([*arguments, "--format", "svg"]) == 1
    drawn = ElementTree.fromstring(capsys.readouterr().out)
    texts = ["".join(t.itertext()) for t in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert any(t.startswith("stale:") for t in texts)


def test_placements_by_name(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(files / "ISA2.wg.ag.litmus")
    assert main(["verify", path, "--target", "gfx90a", "--placement", "packed"]) == 0
    assert main(["verify", path, "--target", "gfx90a", "--placement", "spread"]) == 1
    capsys.readouterr()
    assert main(["verify", path, "--target", "gfx90a", "--placement", "0.0/0.0/0.7"]) == 2
    assert "--placement: error: ISA2.wg.ag has no placement '0.0/0.0/0.7'" in capsys.readouterr().err


WRONG = [
    (["--suite", "--target", "gfx12345"], "unknown target 'gfx12345'"),
    (["--target", "gfx942"], "there is no test"),
    (["--suite", "--target", "gfx942", "--switch", "wb"], "there is no switch 'wb'"),
    (["--suite", "--target", "gfx942", "--switch", "memory=x"], "memory has no value 'x'"),
    (["--suite", "--target", "gfx942", "--model", "nothing"], "nothing"),
    (["--suite", "--target", "gfx942", "--format", "svg", "--necessity"], "only executions and"),
    (["no-such-file.litmus", "--target", "gfx942"], "no such file"),
    (["--suite", "--target", "gfx942", "--run", "kept"], "only --needs --by operation and --strategy keep answers"),
    (["--suite", "--target", "gfx942", "--necessity", "--run", "/dev/null/x"], "cannot keep answers here"),
    (["--suite", "--target", "gfx942", "--mode", "wgp"], "unknown mode of gfx942 'wgp'"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_options(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", *arguments]) == 2
    assert message in capsys.readouterr().err


REFUSED = [
    (
        "store-available 1, x syncscope(\"agent\")", "global x = 0", "gfx803",
        ["4:3: error: gfx803 does not have this operation: av operations need GFX9", "^~~"],
    ),
    ("r0 = load t", "lds t = 0", "gfx942", ["error: LDS of one workgroup is not another's", "^~~"]),
    ("store 1, ", "global x = 0", "gfx942", ["4:12: error: expected an address", "^"]),
]  # fmt: skip


@pytest.mark.parametrize(
    "extra", [[], ["--needs", "--by", "operation"], ["--strategy"], ["--needs"], ["--format", "json"]]
)
@pytest.mark.parametrize(("line", "declared", "gpu", "said"), REFUSED)
def test_what_cannot_be_run_is_refused_in_its_place(
    line: str, declared: str, gpu: str, said: list[str], extra: list[str], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    threads = [f"thread P{k} @ agent 0, workgroup {k} {{\n  {line}\n}}" for k in range(2)]
    path = tmp_path / "t.litmus"
    path.write_text("\n".join(["litmus t", declared, *threads, "exists (true)", ""]), encoding="utf-8")
    table, code = tmp_path / "table", 2
    assert main(["verify", str(path), "--target", gpu, *extra, "-o", str(table)]) == code
    errors = capsys.readouterr().err
    assert errors.startswith(str(path)) and all(part in errors for part in said)
    assert not ({"--by", "--strategy"} & {*extra} and table.exists())


def test_what_depends_on_memory_that_nothing_wrote_is_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """litmus t
global x = undef
global y = 0
thread P0 @ agent 0, workgroup 0 {
  r0 = load x
  if r0 == 1 {
    store 1, y
  }
}
exists (y=1)
"""
    path = tmp_path / "t.litmus"
    path.write_text(text, encoding="utf-8")
    code = main(["verify", str(path), "--target", "gfx942"])
    out = capsys.readouterr().out
    assert (code, "incomplete" in out) == (3, True) or "the model promises nothing" in out


@pytest.mark.parametrize("filtered", ["", "filter (P1:r0=1)\n"])
def test_if_time_is_over_before_the_model_is_asked_nothing_is_known(
    filtered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine may still run, and what it does violates nothing that is known."""
    text = (ROOT / "litmus" / "corpus" / "base" / "MP+rel+acq.litmus").read_text(encoding="utf-8")
    test, model = as_test(f"{text}{filtered}"), load("amdgpu")
    answer = unanswered(test, model, TIME_LIMIT, 0)
    monkeypatch.setattr("axmem.mapping.verification.outcomes_of", lambda *_, **__: answer)
    found = verify(test, "gfx942")
    assert (found.verdict, found.violations, found.incomplete) == ("unknown", (), (str(TIME_LIMIT),))


def test_the_suite_of_an_older_target_leaves_out_what_it_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    """What is left of tests that opt out are seven kinds of available and six of visible accesses at four scopes,
    four and one through flat addresses, and eight of reads before a release."""
    assert main(["verify", "--suite", "--target", "gfx803", "--savings"]) == 0
    read = capsys.readouterr()
    assert "6 tests of the suite are left out: gfx803 does not have this operation" in read.err
    assert "MP.none.wg, MP.none.ag, MP.none.sy, coh.ww.av.wg, coh.ww.av.ag, coh.ww.av.sy" in read.err
    assert "| 65 tests |" in read.out


def test_an_interrupt_keeps_what_was_done(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = verification.answer

    def interrupted(case: VerificationCase) -> verification.VerificationText:
        if "MP" in case.name:
            raise KeyboardInterrupt
        return whole(case)

    monkeypatch.setattr(verification, "answer", interrupted)
    kept = files / "kept.txt"
    assert main(["verify", str(files), "--target", "gfx90a", "-o", str(kept)]) == 130
    assert "1 of 2 tests were verified" in capsys.readouterr().err
    assert kept.read_text(encoding="utf-8").endswith("1 test: 1 unsound (documented)\n")


def test_pictures_are_legible(files: Path, tmp_path: Path) -> None:
    """No text is wider than its column or lies on another, and what is stale or early is framed, in every picture."""
    for name, gpu in (("ISA2.wg.ag", "gfx90a"), ("WRC.wg.ag", "gfx1030")):
        path, drawn = tmp_path / f"{name}.litmus", tmp_path / f"{name}.svg"
        path.write_text(print_test(in_suite(name)), encoding="utf-8")
        asked = ["verify", str(path), "--target", gpu, "--assume", "worst"]
        assert main([*asked, "--format", "svg", "-o", str(drawn)]) == 1
        root = ElementTree.parse(drawn).getroot()
        boxes = [_box(text) for text in root.iter(f"{SVG}text")]
        for k, (left, top, right, bottom) in enumerate(boxes):
            assert right <= float(root.get("width", "0")) and bottom <= float(root.get("height", "0"))
            for other in boxes[:k]:
                assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
        frames = [rect for rect in root.iter(f"{SVG}rect") if rect.get("class") == "marked"]
        framed = [[float(rect.get(key, "0")) for key in ("x", "y", "width", "height")] for rect in frames]
        stale = [_box(text) for text in root.iter(f"{SVG}text") if text.get("class") == "alarm"]
        assert stale
        for left, top, right, bottom in stale:
            assert any(x <= left and right <= x + w and y <= top and bottom <= y + h for x, y, w, h in framed)


SVG = "{http://www.w3.org/2000/svg}"


def _box(text: ElementTree.Element) -> tuple[float, float, float, float]:
    """Return where a text is, by the widths of DejaVu Sans Mono (0.602 em) and its ascent and descent."""
    size = 12
    x, y = float(text.get("x", "0")), float(text.get("y", "0"))
    return x, y - 0.8 * size, x + 0.603 * size * len("".join(text.itertext())), y + 0.2 * size
