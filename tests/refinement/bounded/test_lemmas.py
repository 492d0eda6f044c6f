"""What is read off a model's terms: how they change as primitives lose facts."""

from __future__ import annotations

import pytest

from axmem.check.selection import loaded, parse_choice
from axmem.front.source import Source
from axmem.model.library import load_text
from axmem.model.primitives import BARRIERS, DEPENDENCIES
from axmem.refinement.bounded.lemmas import AROUND, BOTH, WITHIN, antitone_undef, directions


@pytest.mark.parametrize("model", ["llvm", "amdgpu", "amdgpu-doc", "amdgpu-next"])
def test_fewer_reads_from_leave_no_fewer_reads_undef_where_nothing_depends(model: str) -> None:
    """What a read decides may make it undef by itself alone, and so take its undef away."""
    assert antitone_undef(loaded(parse_choice(model)), frozenset({DEPENDENCIES, BARRIERS}))
    assert not antitone_undef(loaded(parse_choice(model)), frozenset({BARRIERS}))
    assert antitone_undef(loaded(parse_choice(f"{model}[undef.just=any]")), frozenset())


def test_what_is_gone_stays_as_it_is() -> None:
    text = '"Two"\nlet less = guard & rf\nlet more = po \\ less\nempty less as one\nempty more as two\n'
    model = load_text(Source("two.cat", text))
    term = {d.name: d.term for d in model.definitions}
    lost = directions(model, frozenset({"rf"}))
    assert (lost[term["less"]], lost[term["more"]]) == (WITHIN, AROUND)
    kept = directions(model, frozenset({"rf"}), frozenset({term["less"]}))
    assert kept[term["less"]] == kept[term["more"]] == BOTH
