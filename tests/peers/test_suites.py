"""The run over the peers' suites, on a small one of our own in their folders.

x86 lets a load overtake an earlier store to another location, and nothing else: store buffering is possible, and a
message is never passed half. The model `together.cat` of the suite forbids what interleavings do not have.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.peers import __main__ as run
from tests.peers.__main__ import main
from tests.peers.explained import entries
from tests.peers.judging import DIFFERENT, SAME, Asking, Found, judged, log
from tests.peers.suites import Asked, Case

SB = """X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""
MP = """X86 MP
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV EAX,[y] ;
 MOV [y],$1  | MOV EBX,[x] ;
exists (1:EAX=1 /\\ 1:EBX=0)
"""
INTERLEAVED = """TSO
acyclic po | rf | fr | co
empty rmw & (fre ; coe)
"""
RACE = """VULKAN R
{ x=0; }
 P0@sg 0,wg 0,qf 0 | P1@sg 0,wg 1,qf 0 ;
 st.sc0 x, 1       | ld.sc0 r0, x      ;
exists (P1:r0=1)
"""
RACING = """VULKAN
let met = loc & ext & (M * M) & ((W * M) | (M * W)) \\ (IW * _) \\ (_ * IW)
flag ~empty met as racy
"""
KHRONOS = """NEWWG
NEWSG
NEWTHREAD
st.sc0 x = 1
NEWWG
NEWSG
NEWTHREAD
ld.sc0 x = 1
NOSOLUTION consistent[X] && #dr=0
SATISFIABLE consistent[X] && #dr>0
"""
LOG = """Test SB Allowed
States 4
0:EAX=0x0; 1:EAX=0;
0:EAX=0; 1:EAX=1;
0:EAX=1; 1:EAX=0;
0:EAX=1; 1:EAX=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (0:EAX=0 /\\ 1:EAX=0)
Observation SB Sometimes 1 3
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    resources = "Dat3M/dartagnan/src/test/resources"
    files = {
        f"{resources}/TSO-expected.csv": "// ours\n\nlitmus/X86/SB.litmus,1\nlitmus/X86/MP.litmus,0\n",
        f"{resources}/VULKAN-DR-expected.csv": "litmus/VULKAN/R.litmus,0\n",
        "Dat3M/litmus/X86/SB.litmus": SB,
        "Dat3M/litmus/X86/MP.litmus": MP,
        "Dat3M/litmus/VULKAN/R.litmus": RACE,
        "Dat3M/cat/tso.cat": INTERLEAVED,
        "Dat3M/cat/vulkan.cat": RACING,
        "herdtools7/herd/tests/instructions/X86_64/SB.litmus": SB,
        "herdtools7/herd/tests/instructions/X86_64/SB.litmus.expected": LOG,
        "herdtools7/herd/libdir/x86tso-mixed.cat": f'"X86"\n{INTERLEAVED.partition(chr(10))[2]}',
        "Vulkan-MemoryModel/alloy/tests/R.test": KHRONOS,
    }  # fmt: skip
    for name, text in files.items():
        path = tmp_path / "peers" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    explained = tmp_path / "explained.txt"
    explained.write_text("# none\n", encoding="utf-8")
    monkeypatch.setattr(run, "FILE", explained)
    monkeypatch.setattr(run, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(run, "RESULT", tmp_path / "peers.md")
    return tmp_path / "peers"


SB_DIFFERS = "Dartagnan TSO tso.cat litmus/X86/SB.litmus"
LOG_DIFFERS = "herd X86_64 x86tso-mixed.cat herd/tests/instructions/X86_64/SB.litmus"


def test_each_suite_is_asked_and_differences_fail(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder)]) == 1
    out = capsys.readouterr().out
    assert f"{SB_DIFFERS}: fails, expected: holds" in out
    assert f"{LOG_DIFFERS}: new: none; lost: 0:EAX=0 1:EAX=0" in out
    rows = [line.split(" | ")[:10] for line in out.splitlines() if line.startswith("| ")]
    found = {tuple(row[:3]): row[3:10] for row in rows}
    # Files, read, same, different, explained, unknown, refused.
    assert found["| Dartagnan", "TSO", "tso.cat"] == ["2", "2", "1", "1", "0", "0", "0"]
    assert found["| Dartagnan", "TSO", "tso"] == ["2", "2", "2", "0", "0", "0", "0"]
    assert found["| Dartagnan", "VULKAN-DR", "vulkan.cat"] == ["1", "1", "1", "0", "0", "0", "0"]
    assert found["| Dartagnan", "VULKAN-DR", "vulkan"] == ["1", "1", "1", "0", "0", "0", "0"]
    assert found["| herd", "X86_64", "tso"] == ["1", "1", "1", "0", "0", "0", "0"]
    assert found["| Khronos", "alloy", "vulkan"] == ["1", "1", "1", "0", "0", "0", "0"]
    assert found["| Khronos", "alloy", "vulkan.cat"] == ["1", "1", "1", "0", "0", "0", "0"]
    assert out.splitlines()[-1] == "10 cases, 2 failures"


def test_an_explained_difference_passes_and_a_stale_entry_fails(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reasons = f"{SB_DIFFERS}: the model is not that of the tests\nherd * x86tso-mixed.cat *: likewise\n"
    explained = folder.parent / "explained.txt"
    explained.write_text(reasons, encoding="utf-8")
    assert main([str(folder), "--results"]) == 0
    page = run.RESULT.read_text(encoding="utf-8")
    assert "| Dartagnan | TSO | tso.cat | 2 | 2 | 1 | 0 | 1 | 0 | 0 |" in page
    assert str(folder) not in page
    explained.write_text(f"{reasons}Khronos * R.test: nothing\n", encoding="utf-8")
    assert main([str(folder)]) == 1
    assert "explained.txt:3: explains no difference: Khronos * R.test" in capsys.readouterr().out


def test_what_is_not_there_is_skipped_by_name(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("herdtools7", "Vulkan-MemoryModel"):
        (folder / name).rename(tmp_path / name)
    (folder / "Dat3M/litmus/X86/SB.litmus").unlink()
    (folder / "Dat3M/litmus/X86/MP.litmus").write_text(MP.replace("MOV [x],$1 ", "FDIV [x],$1"), encoding="utf-8")
    assert main([str(folder)]) == 0
    out = capsys.readouterr().out
    assert "herdtools7: not in the folder, skipped\nVulkan-MemoryModel: not in the folder, skipped\n" in out
    assert "| 1 | the list names a file that is not there (refused) |" in out
    assert "| 1 | the instruction FDIV is not read (refused) |" in out
    assert main([str(tmp_path / "nowhere")]) == 2


def test_answers_are_kept_until_something_changes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def noted(asking: Asking) -> Found:
        asked.append(asking.case.key)
        return judged(asking)

    monkeypatch.setattr(run, "judged", noted)
    main([str(folder)])
    assert len(asked) == 10
    main([str(folder)])
    assert len(asked) == 10
    (folder / "Dat3M/litmus/X86/MP.litmus").write_text(MP.replace("EBX=0", "EBX=1"), encoding="utf-8")
    main([str(folder)])
    assert asked[10:] == [f"Dartagnan TSO {model} litmus/X86/MP.litmus" for model in ("tso.cat", "tso")]


def test_a_line_that_is_no_entry_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "explained.txt"
    file.write_text("Dartagnan * without a reason\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"explained\.txt:1: an entry is a key, a colon and a reason"):
        entries(file)


def test_logs_are_compared_number_by_number() -> None:
    one = log("States 1\n0:X0=-1; [x]=0x10;\nOk\n")
    assert one == log("States 1\nx=16; 0:X0=18446744073709551615;\n")
    assert log("States 1\na={1,0x2};\n") == log("States 1\na[0]=1; a[1]=2;\n")
    assert log("no log") == frozenset()


WIDE = """AArch64 W
{ int x=-1; 0:X3=x; int64_t 0:X2; }
 P0          ;
 LDR W2,[X3] ;
forall (0:X2=-1)
"""


@pytest.mark.parametrize(
    ("declared", "value", "answer", "said"),
    [
        ("int64_t", "4294967295", "No", SAME),
        ("int64_t", "4294967295", "Ok", DIFFERENT),
        ("int64_t", "-1", "No", DIFFERENT),
        ("int", "-1", "Ok", SAME),
        ("int", "-1", "No", DIFFERENT),
    ],
)
def test_a_log_shows_numbers_by_their_types_and_answers_its_question(
    declared: str, value: str, answer: str, said: str, tmp_path: Path
) -> None:
    test, expected = tmp_path / "W.litmus", tmp_path / "W.litmus.expected"
    test.write_text(WIDE.replace("int64_t", declared), encoding="utf-8")
    expected.write_text(f"Test W Required\nStates 1\n0:X2={value};\n{answer}\nWitnesses\n", encoding="utf-8")
    case = Case("herd", "AArch64", "W", str(test), "aarch64", "aarch64", Asked.STATES, str(expected))
    assert judged(Asking(case, 10)).status == said
