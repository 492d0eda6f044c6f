"""The page of what verify answers of sources: what counts as an answer, and what it prints of the rest."""

from __future__ import annotations

from pathlib import Path

from tests.sources.verified import Verified, page, place

FOUND = (
    Verified("a.hip", "gfx942", "2", "sound", "", 0.5),
    Verified("b.hip", "gfx942", "2", "unsound (documented)", "", 1.5),
    Verified("b.hip", "gfx1250", "2", "unsound (documented), known", "docs/findings/a.md", 1.5),
    Verified("b.hip", "gfx1200", "2", "sound", "the limit of 9 states was reached before it was known", 2.5),
    Verified("c.cl", "gfx942", "2", "refused", "the access of 4 bytes at this address is outside every location", 0.2),
    Verified("d.cl", "gfx942", "2", "unknown", "the loop at clang-22 d.cl:15 is followed for 4 iterations", 2.0),
    Verified("e.cl", "gfx942", "2", "no answer", "in 60 s", 60.0),
    Verified("lane-lock-inside.hip", "gfx1200", "2", "does not end (documented)", "", 0.5),
    Verified("lane-lock-inside.hip", "gfx942", "0", "does not end (documented)", "", 0.5),
    Verified("a.hip", "gfx942", "0", "refused", "two lanes access one place at once", 0.4),
)


def test_what_is_counted() -> None:
    """Of five three are answered; the one that is refused for an access outside every location is one of them."""
    text = page(FOUND, 60)
    assert "| -O2 | gfx942 | 5 | 3 | 60 % | 1.5 | 60.0 | 1 |" in text
    assert "| -O0 | gfx942 | 2 | 1 | 50 % | 0.5 | 0.5 | 1 |" in text, "released in the loop it is right there"
    assert "by clang at -O2 and -O0. 60 CPU seconds" in text
    assert "| b.hip | unsound (documented), 1.5 s | sound, 2.5 s* | unsound (documented), known, 1.5 s |" in text
    assert "| -O2 | gfx1250 | 1 | 1 | 100 % | 1.5 | 1.5 | 0 |" in text, "a fault of LLVM is no false alarm"
    assert "| -O2 | gfx1200 | 2 | 2 | 100 % | 1.5 | 2.5 | 0 |" in text
    reasons = text.partition("## Why there is no answer")[2]
    assert "| 1 | unknown: a loop goes on beyond its bound of iterations |" in reasons
    assert "| 1 | refused: two lanes access one place at once |" in reasons
    assert "outside every location" not in reasons


def test_answers_of_other_sources_or_another_limit_are_not_these(tmp_path: Path) -> None:
    source = tmp_path / "a.hip"
    source.write_text("// one")
    found = [place([source], 60), place([source], 60), place([source], 12)]
    source.write_text("// another")
    assert found[0] == found[1]
    assert len({*found, place([source], 60)}) == 3
