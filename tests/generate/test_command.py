"""`axmem generate` as a command: what it prints, what it writes, what it refuses."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.formats.reading import parse, parse_file

MP = "Rfe PodRR Fre PodWW"


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command; return its exit code and what it printed."""

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["generate", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_one_cycle_is_printed(run: Run) -> None:
    code, text, _ = run(MP)
    assert code == 0
    test = parse(text)
    assert (test.name, test.description) == ("MP", "Cycle: PodWW Rfe PodRR Fre")
    assert run(*MP.split()) == (0, text, "")


def test_several_are_listed(run: Run) -> None:
    assert run("--family", "SB,CoWW") == (0, "SB\tPodWR Fre PodWR Fre\nCoWW\tPosWW Wsi\n", "")
    code, text, _ = run("--family", "all", "--accesses", "P")
    assert code == 0
    assert "IRIW+plain\tP Rfe P PodRR P Fre P Rfe P PodRR P Fre\n" in text


def test_size_edges_orderings_scopes_places(run: Run) -> None:
    arguments = ("--size", "4", "--edges", "Rfe,Fre,Pod**", "--orderings", "Rel,Acq", "--scopes", "ag")
    code, text, _ = run(*arguments, "--places", "0.0.0,0.1.0", "--place", "0.0.0,0.0.0,0.0.0")
    names = [line.split("\t")[0] for line in text.splitlines()]
    assert code == 0
    assert names == [
        "MP+atomics+rel.ag+acq.ag+0.0.0-0.1.0",
        "LB+acq.ag-rel.ag+acq.ag-rel.ag+0.0.0-0.1.0",
        "SB+rel.ag-acq.ag+rel.ag-acq.ag+0.0.0-0.1.0",
    ]


def test_places_all(run: Run) -> None:
    _, text, _ = run(MP, "--places", "all")
    assert [line.split("\t")[0] for line in text.splitlines()] == [
        f"MP+{places}" for places in ("0.0.0-0.0.0", "0.0.0-0.0.1", "0.0.0-0.1.0", "0.0.0-1.0.0")
    ]


# ---------------------------------------------------------------- files


def test_files_and_list(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "suite"
    code, text, _ = run("--size", "4", "-o", str(folder))
    assert (code, text) == (0, f"{folder}: 6 tests\n")
    listed = (folder / "@all").read_text().split()
    assert sorted(os.listdir(folder)) == sorted([*listed, "@all"])
    for name in listed:
        assert f"{parse_file(str(folder / name)).name}.litmus" == name


def test_the_list_is_one_that_run_takes(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("--family", "MP,SB", "--orderings", "Sc", "--accesses", "Sc", "-o", str(tmp_path))
    assert main(["run", "--model", "llvm", f"@{tmp_path}/@all"]) == 0
    shown = capsys.readouterr().out
    assert "MP+sc-sc+sc-sc" in shown
    assert "SB+sc+sc" in shown


def test_the_same_arguments_give_the_same_files(run: Run, tmp_path: Path) -> None:
    arguments = ("--size", "4", "--edges", "Rfe,Fre,Wse,Po*,Dp*", "--scopes", "ag,wg", "-o")
    for folder in ("one", "two"):
        run(*arguments, str(tmp_path / folder))
    one, two = ({p.name: p.read_bytes() for p in (tmp_path / f).iterdir()} for f in ("one", "two"))
    assert one == two
    assert len(one) > 50


def test_existing_files_are_kept_without_force(run: Run, tmp_path: Path) -> None:
    old = tmp_path / "SB.litmus"
    old.write_text("mine")
    code, _, error = run("--family", "MP,SB", "-o", str(tmp_path))
    assert code == 2
    assert "SB.litmus" in error and "there already" in error and "--force" in error
    assert os.listdir(tmp_path) == ["SB.litmus"]
    assert old.read_text() == "mine"
    assert run("--family", "MP,SB", "-o", str(tmp_path), "--force")[0] == 0
    assert parse_file(str(old)).name == "SB"


def test_a_file_is_no_directory(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    code, _, error = run(MP, "-o", str(file))
    assert code == 2
    assert "a directory is wanted" in error
    code, _, error = run(MP, "-o", str(file / "below"))
    assert code == 2
    assert "cannot write here" in error


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_without_permission(run: Run, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    code, _, error = run(MP, "-o", str(tmp_path))
    assert code == 2
    assert "cannot write" in error
    assert not list(Path(tmp_path).iterdir())


def test_a_failed_write_leaves_no_part_of_a_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replaced = []

    def fail(source: str, target: str) -> None:
        replaced.append(target)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    code, _, error = run("--family", "MP,SB", "-o", str(tmp_path))
    assert code == 2
    assert "No space left on device" in error
    assert len(replaced) == 1
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("arguments", "place", "message", "hint"),
    [
        (["Rfe PodRR Fr PodWW"], "<cycle>:1:11", "unknown edge or decoration 'Fr'", "did you mean 'Fri'?"),
        (["Rfe PodRR Fre PodRW"], "<cycle>:1:15", "Fre leads to a write, but PodRW begins with a read", ""),
        (["PodRR Fre PodWW"], "<cycle>:1:1", "the last edge closes the cycle", ""),
        (["Rfi PodRW Rfi PodRW"], "<cycle>:1:1", "the cycle stays in one thread", "end edges in 'e'"),
        (["Rfe PodRW"], "<cycle>:1:1", "one edge leads to another thread and none leads back", ""),
        (["Rfe PosRR Fre PodWW"], "<cycle>:1:15", "one edge leads to another location and none leads back", ""),
        (["Rfe Fre"], "<cycle>:1:1", "communications alone make no cycle", ""),
        (["Rfe"], "<cycle>:1:1", "a cycle has at least two edges", ""),
        (["Rfe Rel PodRR Fre PodWW"], "<cycle>:1:5", "a read cannot be Rel", ""),
        (["Acq Rfe PodRR Fre PodWW"], "<cycle>:1:1", "a write cannot be Acq", ""),
        (["Rel.agnt Rfe PodRR Fre PodWW"], "<cycle>:1:1", "unknown scope 'agnt'", "did you mean 'agent'?"),
        (["P.ag Rfe PodRR Fre PodWW"], "<cycle>:1:1", "an access that is not atomic has no scope", "'Av.ag'"),
        (["Rel Mono Rfe PodRR Fre PodWW"], "<cycle>:1:5", "two decorations", ""),
        (["Rel Rfe PodRR Fre PodWW Rel"], "<cycle>:1:25", "decorated already", ""),
        (["Rfe #private PodRR Fre PodWW"], "<cycle>:1:5", "'#private' is no tag", "#prefix:suffix"),
        (["Rfe P Rmw PodWR Fre PodWW"], "<cycle>:1:5", "a read-modify-write cannot be P", ""),
        (["Rfe Acq.ag Rmw Rel.wg PodWR Fre PodWW"], "<cycle>:1:5", "have one scope", ""),
        (["Fence.mono.dWW Rfe PodRR Fre"], "<cycle>:1:1", "a fence cannot be mono", "acq, rel"),
        (["FencedWW Rfe PodRR Fre"], "<cycle>:1:1", "'FencedWW' is no fence", "Fence.ORDERING"),
        (["Fence.sc.d*W Rfe PodRR Fre"], "<cycle>:1:1", "'*' stands for several edges", ""),
        (["--family", "MP,IRW"], "--family:1:1", "unknown family 'IRW'", "did you mean 'IRIW'?"),
        (["--family", "mp"], "--family:1:1", "unknown family 'mp'", "did you mean 'MP'?"),
        (["--size", "four"], "--size:1:1", "a cycle has 2 edges or more", ""),
        (["--size", "4", "--edges", "Rfe,Pod*,Fer"], "--edges:1:10", "unknown edge 'Fer'", "did you mean 'Fr"),
        (["--size", "4", "--edges", "Q*"], "--edges:1:1", "no edge matches 'Q*'", ""),
        (["--size", "2"], "axmem generate", "no test comes of this", ""),
        (["--family", "MP", "--orderings", "Mono,Akq"], "--orderings:1:6", "unknown ordering 'Akq'", "'Acq'"),
        (["--family", "MP", "--scopes", "ag,xx"], "--scopes:1:4", "unknown scope 'xx'", "the scopes are"),
        (["--family", "MP", "--accesses", "Acq"], "--accesses:1:1", "for reads and writes", ""),
        ([MP, "--places", "0.0.0,0.1"], "--places:1:7", "'0.1' is no place", "0.0.0,0.1.0"),
        ([MP, "--places", "0.0.0"], "--places:1:1", "the cycle has 2 threads, and here is 1", ""),
        ([MP, "--size", "4"], "axmem generate", "one of a cycle, --family and --size", ""),
        (["MP"], "axmem generate", "a family is no cycle", "--family MP"),
        ([], "axmem generate", "one of a cycle, --family and --size", ""),
        ([MP, "--edges", "Rfe"], "--edges:1:1", "edges are for --size", ""),
    ],
)
def test_mistakes_are_located(run: Run, arguments: tuple[str, ...], place: str, message: str, hint: str) -> None:
    code, printed, error = run(*arguments)
    assert code == 2
    assert not printed
    assert error.startswith(f"{place}:")
    assert " error: " in error.splitlines()[0]
    assert message in error
    assert hint in error
    assert "Traceback" not in error


def test_every_mistake_of_a_cycle_is_reported(run: Run) -> None:
    _, _, error = run("Rel.zz Rfe Rell PodRR Fre PodWW")
    assert error.count("error:") == 2
