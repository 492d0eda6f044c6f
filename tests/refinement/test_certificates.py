"""Proofs about rows as scripts of SMT-LIB: what is proved is checked again, and what is wrong is not.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.refinement.interface import facts
from axmem.refinement.interface.certificates import script, unspoken
from axmem.refinement.interface.proving import Proved
from axmem.refinement.interface.rechecking import answers, main
from tests.drawn import some
from tests.refinement.test_rows import answer, rewrites

BY_NAME = {name: (known, before, after) for known, name, before, after in rewrites()}
RIGHT = ("swap mono load, mono store", "acquire load as mono and fence", "acq_rel split as acq, rel", "wider acquire")
WRONG = ("swap acquire load, release store", "acq_rel split as rel, acq", "acquire load becomes mono", "fence narrowed")


def certificate(name: str) -> str:
    _, before, after = BY_NAME[name]
    found = answer(before, after)
    assert isinstance(found, Proved)
    ((_, proof),) = found.threads
    assert not unspoken(proof)
    return script(name, proof)


@pytest.mark.parametrize("name", some(RIGHT, of=4))
def test_what_is_proved_is_proved_for_any_number_of_events(name: str) -> None:
    found = list(answers(certificate(name)))
    assert len(found) > 10
    assert {said for _, said in found} == {"unsat"}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_change_has_no_certificate(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script is made of the rows alone, so a mistake in the facts does not reach it."""
    monkeypatch.setattr(facts.Side, "facts", lambda self, seen, names: set())
    assert BY_NAME[name][0] == "unsound"
    assert any(said != "unsat" for _, said in answers(certificate(name)))


def test_what_a_certificate_does_not_speak_of_is_named(tmp_path: Path) -> None:
    _, before, after = BY_NAME["DSE adjacent"]
    found = answer(before, after)
    assert isinstance(found, Proved)
    text = script("DSE", found.threads[0][1])
    assert "not checked here: store: another store overwrites it" in text and "check-sat)" not in text
    path = tmp_path / "dse.smt2"
    path.write_text(text)
    assert main(str(path)) == 1
