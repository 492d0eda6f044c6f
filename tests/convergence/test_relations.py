"""Converged-with as it is given, and convergence-before under it."""

from __future__ import annotations

import json
from random import Random

import pytest

from axmem.cli import main
from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.relations import WrongRelation, of_table, written
from axmem.convergence.tables import instance_names, table
from tests.convergence.graphs import random_graph, random_path
from tests.paths import ROOT

NESTED = str(ROOT / "litmus" / "examples" / "nested-cycles.litmus")
PATHS = [["A", "L", "L", "B"], ["A", "L", "B"]]


def before(text: str) -> dict[str, str]:
    relation = written(text, PATHS)
    return {relation.names[one]: " ".join(relation.names[i] for i in later) for one, later in relation.before.items()}


def test_convergence_before_goes_through_converged_executions() -> None:
    """The first lane goes round twice; whether its second round is before the other lane's B, the relation decides."""
    assert before("A1 A2")["L1"] == "L3 B1"
    assert before("A1 A2")["A1"] == "L1 L3 B1 L2 B2"
    assert before("A1 A2, L1 L2, B1 B2")["L3"] == "B1 B2"
    assert before("A1 A2, L3 L2")["L1"] == "L3 B1 L2 B2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A1 B1", "is no class"), ("L1 L3", "is no class"), ("A1 C1", "no execution is named 'C1'"),
        ("L1 L2, L2 L3", "an execution is in one class"),
    ],
)  # fmt: skip
def test_what_is_no_relation_is_refused(text: str, message: str) -> None:
    with pytest.raises(WrongRelation, match=message):
        written(text, PATHS)


def test_classes_that_cross_are_no_converged_with_relation() -> None:
    """If L1 and M2 were together and so were M1 and L2, each would be before itself."""
    with pytest.raises(WrongRelation, match="convergence-before itself"):
        written("L1 L2, M1 M2", [["A", "L", "M"], ["A", "M", "L"]])


def test_what_is_written_of_a_table_is_its_maximal_relation() -> None:
    random = Random(11)
    for _ in range(30):
        graph = random_graph(random, 5)
        paths = [random_path(random, graph, 6) for _ in range(3)]
        found = of_table(table(llvm_hierarchy(graph), paths))
        names = instance_names(paths)
        text = ", ".join(" ".join(names[i] for i in some) for some in found.classes)
        assert not text or written(text, paths).before == found.before


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    paths = ("conv", NESTED, "--paths", "Entry P Q S Exit / Entry R S Exit")
    assert main([*paths, "--relation", "Entry1 Entry2"]) == 0
    assert "converged-with, given: Entry1 Entry2\n    Entry1 is convergence-before P" in capsys.readouterr().out
    assert main([*paths, "--relation", "maximal", "--format", "json"]) == 0
    (relation,) = json.loads(capsys.readouterr().out)["kernels"][0]["relations"]
    assert relation["source"].startswith("maximal, hierarchy") and ["Entry1", "Entry2"] in relation["classes"]
    assert main([*paths, "--relation", "Entry1 Q1"]) == 2
