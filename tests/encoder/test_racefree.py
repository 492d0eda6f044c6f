"""What the models promise of programs without races, to a small bound; the corpus bears it out as a whole.

`python -m tests.differential.racefree` goes on where these stop.
`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.encoder.solver import Session
from axmem.events.unroll import event_graph
from axmem.formats.reading import parse
from axmem.front.source import InputError
from axmem.model.library import load
from tests.corpus import corpus_test
from tests.differential.racefree import NAMES, defined, drf_sc, every_nth, is_defined, random_block
from tests.drawn import WHOLE, examples, in_full, some
from tests.paths import CORPUS, CORPUS_TESTS

SESSION = Session()


@pytest.mark.parametrize("model", NAMES)
@pytest.mark.parametrize("folder", some(sorted({p.parent for p in CORPUS_TESTS}), of=14), ids=lambda path: path.name)
def test_no_execution_of_the_corpus_is_undef_without_a_race(folder: Path, model: str) -> None:
    for path in sorted(folder.glob("*.litmus")):
        try:
            holds = is_defined(event_graph(corpus_test(path)), load(model), SESSION)
        except InputError:  # a hierarchy of levels that the model does not speak of
            continue
        assert holds, path


def test_random_executions_are_undef_only_with_a_race() -> None:
    assert not defined(range(examples(160))).refuted


@pytest.mark.parametrize(
    ("name", "variant"), [("PlainFirst+add+add", "val.plainfirst"), ("PlainLast+add+add", "val.plainlast")]
)
def test_by_the_letter_there_is_undef_without_a_race(name: str, variant: str) -> None:
    graph = event_graph(corpus_test(CORPUS / "values" / f"{name}.litmus"))
    assert not is_defined(graph, load("llvm", {variant: "letter"}), SESSION)


@in_full
def test_seq_cst_programs_without_races_are_sequentially_consistent() -> None:
    for tally in (random_block(range(examples(160))), every_nth((0, 200 if WHOLE else 600))):
        assert tally.race_free > 3 and not tally.refuted, tally.refuted


def test_a_program_with_a_race_is_no_case() -> None:
    racy = "litmus T\nglobal x = 0\nthread P0 {\nstore 1, x\n}\nthread P1 {\nr = load x\n}\nexists (P1:r=1)\n"
    assert drf_sc(event_graph(parse(racy)), SESSION) is None
