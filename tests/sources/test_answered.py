"""Sources that were once not answered, in time or at all: what decided it, and that nothing else is said of them."""

from __future__ import annotations

import pytest

from axmem.codegen.targets import target
from axmem.formats.sources import found_clang
from axmem.front.settings import CLANG
from axmem.mapping.built import code, profile_of_clang, program
from axmem.mapping.verification import CodeSource, Verification, verify
from tests.drawn import some
from tests.exploring import VERDICT_ALONE
from tests.formats.test_sources import with_clang
from tests.sources.trial import SOURCES


def said(source: str, gpu: str) -> Verification:
    path, where = SOURCES / source, target(gpu, "", profile_of_clang())
    text = path.read_text(encoding="utf-8")
    test = program(text, str(path), "", where)
    return verify(test, where, code=CodeSource(code(text, str(path), where)), exploration=VERDICT_ALONE)


@with_clang
@pytest.mark.parametrize(
    ("source", "gpu"),
    [
        pytest.param("sparse.hip", "gfx942", id="bounds of loops stand in memory that nobody writes"),
        pytest.param("sub-group.cl", "gfx1250", id="a loop over the lanes of a mask, with branches on what they hold"),
        pytest.param("lookback-packed.hip", "gfx1250", id="each way through a loop ends with the same store"),
        pytest.param("frontier.hip", "gfx1250", id="v_mad_u32"),
        pytest.param("readers.hip", "gfx1250", id="iterations that begin as an earlier one did"),
    ],
)
def test_it_is_sound(source: str, gpu: str) -> None:
    found = said(source, gpu)
    assert found.word == "sound" and not found.incomplete


@with_clang
@pytest.mark.parametrize(("source", "level"), [("lane-lock.hip", 2), ("lane-lock.hip", 0), ("lane-lock-inside.hip", 2)])
@pytest.mark.parametrize("gpu", some(("gfx942", "gfx90a", "gfx1100", "gfx1200", "gfx1250"), of=5))
def test_lanes_that_wait_for_each_other_do_not_end(
    source: str, level: int, gpu: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CLANG, f"{found_clang()} -O{level}")
    found = said(source, gpu)
    assert found.word == "does not end" and not found.violations and not found.found
    assert all(each.hang.locked and each.hang.group == "lock" for each in found.endless)


@with_clang
@pytest.mark.parametrize("gpu", some(("gfx942", "gfx1250", "gfx90a", "gfx1100", "gfx1200"), of=5))
def test_a_lock_that_is_released_in_the_loop_is_right(gpu: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clang leaves it there without optimisation."""
    monkeypatch.setenv(CLANG, f"{found_clang()} -O0")
    found = said("lane-lock-inside.hip", gpu)
    assert (found.word, found.found) == ("sound", (((0,), (2,)),))
