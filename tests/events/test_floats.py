"""Programs that compute with numbers of floating point: engines agree, and LLVM IR of them is read back.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import pytest

from axmem.codegen.ir_module import module
from axmem.encoder.solver import Session
from axmem.formats.reading import parse
from axmem.litmus.printer import print_test
from axmem.model.library import load
from tests.differential.compare import compare
from tests.differential.floats import float_program
from tests.drawn import parts, some


@pytest.mark.parametrize("number", parts(30, of=16))
@pytest.mark.parametrize("model", some(["llvm", "amdgpu"], of=2))
def test_engines_agree(number: int, model: str) -> None:
    found = compare(parse(float_program(number)), load(model), Session())
    assert found.agree and found.complete, (float_program(number), found.lines)


@pytest.mark.parametrize("number", parts(30))
def test_their_module_is_read_as_they_are(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("axmem.formats.ir.complaints", lambda source: [])
    test = parse(float_program(number))
    assert print_test(parse(module(test, annotated=True).text, "m.ll", "llvm-ir")) == print_test(test)
