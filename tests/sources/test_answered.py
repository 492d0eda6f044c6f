"""Sources that were once not answered, in time or at all: what decided it, and that nothing else is said of them."""

from __future__ import annotations

import pytest

from axmem.codegen.targets import target
from axmem.mapping.built import code, profile_of_clang, program
from axmem.mapping.verification import CodeSource, verify
from tests.exploring import VERDICT_ALONE
from tests.formats.test_sources import with_clang
from tests.sources.trial import SOURCES


@with_clang
@pytest.mark.parametrize(
    ("source", "gpu"),
    [
        pytest.param("sparse.hip", "gfx942", id="bounds of loops stand in memory that nobody writes"),
        pytest.param("sub-group.cl", "gfx1250", id="a loop over the lanes of a mask, with branches on what they hold"),
        pytest.param("lookback-packed.hip", "gfx1250", id="each way through a loop ends with the same store"),
        pytest.param("frontier.hip", "gfx1250", id="v_mad_u32"),
    ],
)
def test_it_is_sound(source: str, gpu: str) -> None:
    path, where = SOURCES / source, target(gpu, "", profile_of_clang())
    text = path.read_text(encoding="utf-8")
    test = program(text, str(path), "", where)
    found = verify(test, where, code=CodeSource(code(text, str(path), where)), exploration=VERDICT_ALONE)
    assert found.word == "sound" and not found.incomplete
