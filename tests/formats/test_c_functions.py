"""Random functions in C, at clang's levels, and this machine: a sample of `python -m tests.long.c_functions`.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.compiled.c_functions import CProgram, alone
from tests.drawn import parts, some
from tests.long import c_functions
from tests.long.c_functions import Answer, both, missing, single, structures

needs_clang = pytest.mark.skipif(bool(missing()), reason=missing() or "there is all")


@needs_clang
@pytest.mark.parametrize("number", parts(40, of=40))
def test_functions_leave_what_this_machine_does(number: int) -> None:
    found = single(number)
    assert len(found) == 4 and "WRONG" not in {each.kind for each in found}


@needs_clang
@pytest.mark.parametrize("number", some((0, 2, 4, 5, 6, 7, 12, 13, 14, 15, 17), of=6))
def test_what_small_ones_leave_is_known(number: int) -> None:
    assert [each.kind for each in single(number)] == ["same"] * 4


@needs_clang
@pytest.mark.parametrize("number", parts(40, of=40))
def test_functions_that_hand_structures_around_leave_it_too(number: int) -> None:
    found = structures(number)
    assert len(found) == 4 and "WRONG" not in {each.kind for each in found}


@needs_clang
@pytest.mark.parametrize("number", parts(16, of=16))
def test_pairs_do_no_more_at_o2(number: int) -> None:
    (found,) = both(number)
    assert found.kind in ("same", "fewer", "undefined")


def wrong(program: CProgram) -> CProgram:
    """Return a program whose first function leaves another result."""
    first, *others = program.functions
    return replace(program, functions=(replace(first, text=first.text.replace("*r = ", "*r = 1 + ")), *others))


@needs_clang
def test_another_result_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    number = next(n for n in range(9) if not alone(n).wild)
    real = c_functions.launched
    monkeypatch.setattr(c_functions, "launched", lambda program, level: real(wrong(program), level))
    assert [each.kind for each in single(number)] == ["WRONG"] * 4


@needs_clang
def test_a_division_by_zero_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    number = next(n for n in range(9) if not alone(n).wild)
    monkeypatch.setattr(c_functions, "executed", lambda *_: None)
    first, *_ = single(number)
    assert first.kind == "WRONG" and first.why.endswith("no division by zero")


@needs_clang
def test_an_outcome_that_is_new_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """At -O2 another program is read; it counts where refine has nothing to say."""
    number = next(n for n in range(9) if both(n) == [Answer("same")])
    real = c_functions.launched
    monkeypatch.setattr(c_functions, "launched", lambda p, level: real(wrong(p) if level == "2" else p, level))
    kinds = []
    for sound in (True, False):
        monkeypatch.setattr(c_functions, "sound", lambda _, sound=sound: sound)
        kinds += [each.kind for each in both(number)]
    assert kinds == ["WRONG", "new"]
