"""What LLVM 22 said of a sample of kernels, which is kept in a file, against our analyses."""

from __future__ import annotations

import json
import lzma

import pytest

from tests.convergence.llvm import Printed, read
from tests.uniformity import FILE, __main__
from tests.uniformity.compare import difference, token_difference

RECORD = json.loads(lzma.decompress(FILE.read_bytes()))


def test_cycles_and_uniformity_of_recorded_kernels() -> None:
    assert len(RECORD["kernels"]) >= 60
    for text, said in RECORD["kernels"]:
        printed = Printed(said["cycles"], set(said["values"]), set(said["branches"]))
        assert difference(text, printed) == ""


def test_tokens_of_recorded_kernels() -> None:
    assert len({said for _, said in RECORD["tokens"]}) > 4
    for text, said in RECORD["tokens"]:
        assert token_difference(text, said) == ""


def test_what_is_different_is_said() -> None:
    text, said = RECORD["kernels"][0]
    assert difference(text, Printed(said["cycles"], {"nothing"}, set(said["branches"]))).startswith("values: ")
    text, said = RECORD["tokens"][0]
    assert token_difference(text, "" if said else "no").startswith("LLVM: ")


def test_without_llvm_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "")
    assert __main__.main([]) == 2
    assert "install the Debian package llvm-22" in capsys.readouterr().err


def test_the_output_of_opt_is_read() -> None:
    lines = """\
CycleInfo for function: f
    depth=1: entries(R P) Q S
        depth=2: entries(S P) Q
UniformityInfo for function 'f':
CYCLES WITH DIVERGENT EXIT:
  depth=1: entries(R P) Q S
BLOCK R
DEFINITIONS
  DIVERGENT:   %a = add i32 %b, 1
               %c = add i32 %d, 1
  DIVERGENT:   store i32 %a, ptr %p
TERMINATORS
  DIVERGENT:   br i1 %a, label %R, label %P
END BLOCK""".splitlines()
    assert read(lines) == {"f": Printed(["1 R P : P Q R S", "2 S P : P Q S"], {"a"}, {"R"})}
