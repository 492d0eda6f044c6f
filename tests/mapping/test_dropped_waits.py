"""A sample of `python -m tests.long.waits`: waits dropped from recorded assembly, one at a time.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from collections import Counter

import pytest

from axmem.codegen.targets import target
from axmem.formats.reading import parse_file
from tests.assembly.record import read
from tests.drawn import parts, some
from tests.mapping.dropped_waits import dropped, registers, used_at_once
from tests.paths import ROOT

TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250")
TESTS = ("Cmpxchg", "Mask", "Lds", "Pointer", "Volatile", "Index")


@pytest.mark.parametrize("part", parts(6))
def test_no_wait_is_overlooked(part: int) -> None:
    """`make test` asks two of the targets, with waits of either kind."""
    path = f"tests/assembly/{TESTS[part]}.litmus"
    words: Counter[str] = Counter()
    for name in some(TARGETS, of=4):
        text = read().get((name, "", path, "llc"))
        if text is not None:
            found = list(dropped(parse_file(ROOT / path), text, target(name, "", "llvm-22")))
            wrong = [one for one in found if one.why in ("overlooked", "unknown")]
            assert not wrong
            assert all(one.by for one in found if one.why == "subsumed")
            words.update(one.why for one in found)
    assert words["register"] > 1, words


def test_the_text_alone_shows_what_must_be_missed() -> None:
    lines = ["  global_load_dword v1, v0, s[0:1]", "  s_waitcnt vmcnt(0)", "  v_mov_b32_e32 v2, v1", "  s_endpgm"]
    assert used_at_once(lines, 1)
    assert not used_at_once([lines[0], lines[1], "  v_mov_b32_e32 v2, v3", lines[3]], 1)
    assert not used_at_once([lines[0], lines[1], lines[1], *lines[2:]], 1), "another wait stands between"
    loads = ("d16_b16 v1, v0", "d16_hi_b16 v1, v0", "d16_hi_b16 v1, v1")
    halves = [f"  global_load_{load}, s[2:3]" for load in loads]
    assert not used_at_once([halves[0], lines[1], halves[1]], 1), "the other half of the register"
    assert used_at_once([halves[0], lines[1], halves[2]], 1) and used_at_once([halves[0], lines[1], halves[0]], 1)
    assert registers("v[1:3], s4, 0x5") == {"v1", "v2", "v3", "s4"}
