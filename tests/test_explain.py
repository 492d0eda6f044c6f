"""Explanations: executions are consistent, cores minimal, chains true; words, JSON and pictures say the same.

`make test-long` sets AXMEM_LONG: then every test of the corpus is explained, else every fourth.
"""

from __future__ import annotations

import json
import os
import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from axmem.cli import main
from axmem.decide import Asker
from axmem.encoder.constraints import encode
from axmem.encoder.cores import NO_SUCH_VALUE
from axmem.encoder.solver import SAT, UNSAT, Query, Session
from axmem.encoder.unroll import event_graph
from axmem.encoder.witness import Execution
from axmem.explain import drawing, words
from axmem.explain.derivation import Derivations
from axmem.explain.explanation import Explanation, asked, explain
from axmem.litmus.parser import parse_file
from axmem.model.library import load
from axmem.model.relation import bits
from axmem.results import outcomes
from axmem.source import InputError

CORPUS = Path(__file__).parent.parent / "litmus" / "corpus"
FILES = sorted(CORPUS.rglob("*.litmus"))[:: 1 if os.environ.get("AXMEM_LONG") else 4]
SVG = "{http://www.w3.org/2000/svg}"


def explained(name: str, model: str = "amdgpu", outcome: str | None = None) -> Explanation:
    test = parse_file(CORPUS / f"{name}.litmus")
    return explain(test if outcome is None else asked(test, outcome), load(model))


def text(name: str, model: str = "amdgpu", outcome: str | None = None) -> str:
    return "\n".join(words.lines(explained(name, model, outcome)))


# ---------------------------------------------------------------- answers


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
@pytest.mark.parametrize("model", ["llvm", "amdgpu"])
def test_explanations_of_the_corpus_hold(path: Path, model: str) -> None:
    test, session = parse_file(path), Session()
    found = explain(test, load(model), session)
    verdict = outcomes(test, model, session=session)
    if test.filter is None and not verdict.undefined:
        assert found.permitted == (verdict.positive > 0)
    if found.permitted:
        assert found.execution is not None
        assert found.execution.broken() == ()
    elif found.rules != (NO_SUCH_VALUE,):
        assert found.execution is not None
        assert set(found.execution.broken()) & {r.name for r in found.rules}
        assert {b.rule.name for b in found.breaks} == set(found.execution.broken())
        assert_minimal(found, session)
    if found.execution is not None:
        assert_chains_are_true(found, found.execution)


def assert_minimal(found: Explanation, session: Session) -> None:
    """Without any one of the rules the condition may hold; with all it may not."""
    graph = event_graph(found.test, undef_memory=not found.model.undefs)
    encoding = encode(graph, found.model, selectable=True)
    assert encoding is not None
    wanted = [Asker(encoding, graph, "literal").ask(found.condition)[0], -encoding.beyond]
    asked_of = [*wanted, *encoding.rules.values()]
    clauses = encoding.circuit.all_clauses(asked_of)
    query = Query(session, encoding.circuit.variables, clauses)
    selectors = {rule.name: x for rule, x in encoding.rules.items() if rule in found.rules}
    assert query.check([*wanted, *selectors.values()]) == UNSAT
    for name in selectors:
        assert query.check([*wanted, *[x for n, x in selectors.items() if n != name]]) == SAT


def assert_chains_are_true(found: Explanation, execution: Execution) -> None:
    """Each step of each chain is in its relation, and a chain is connected."""
    derivations = Derivations(execution)
    chains = [c for b in found.breaks for c in b.chains]
    for name, definition in execution.definitions.items():
        value = execution.terms[definition.term]
        if isinstance(value, tuple) and value:
            first = next(((a, b) for a, row in enumerate(value) for b in bits(row)), None)
            chains += [] if first is None else [derivations.definition(name, *first)]
    for chain in chains:
        for before, after in pairwise(chain):
            assert before.second == after.first
        for step in chain:
            name = step.name.removesuffix("^-1")
            if name in execution.definitions:
                ends = (step.second, step.first) if name != step.name else (step.first, step.second)
                assert execution.relation(name)[ends[0]] >> ends[1] & 1


# ---------------------------------------------------------------- words


def test_a_forbidden_outcome_names_its_rule_and_chain() -> None:
    shown = text("base/MP+rel+acq")
    assert shown.startswith("MP+rel+acq under amdgpu: forbidden by\n  reads-from-may-see: ")
    assert '([AMDGPU-MM] "Location Order")' in shown
    assert "d reads from init x" in shown
    assert "init x -overwrites-> a -lo-> d" in shown
    assert "a -vis-> c -po-> d" in shown


def test_a_cycle_is_shown() -> None:
    shown = text("classic/SB+sc+sc+mixed", "llvm")
    cycle = re.search(r"breaks sequential-consistency: a cycle\n +(\S+) -(.*)-> (\S+)\n", shown)
    assert cycle is not None
    assert cycle[1] == cycle[3]


def test_a_missing_link_is_named() -> None:
    shown = text("amdgpu/MP+st-rel.none+acq-ld")
    assert "d returns undef:\n    unordered-write: " in shown
    assert "a happens before d, but\n        no availability operation makes a available\n" in shown
    assert shown.endswith("b carries amdgcn-av:none")
    shown = text("amdgpu/Launder+three-threads")
    assert "B makes A available at agent scope" in shown
    assert "no visibility operation makes A visible" in shown


def test_a_chain_of_availability_is_told() -> None:
    shown = text("base/MP+rel+acq", outcome="P1:r0=1 /\\ P1:r1=1")
    assert "a is made available at system scope by b, b happens before c, c makes a visible to d" in shown


def test_what_no_execution_computes() -> None:
    shown = text("base/MP+rel+acq", outcome="P1:r0=7")
    assert shown == f"MP+rel+acq under amdgpu: forbidden by\n  {words.rule_line(NO_SUCH_VALUE)}"


@pytest.mark.parametrize(
    ("outcome", "message", "column"),
    [("P1:r9=1", "thread P1 assigns no register 'r9'", 1), ("P1:r0=1 /\\", "expected a", 11),
     ("P1:r0=1) \\/ (x", "expected", 15)],
)
def test_a_bad_outcome_is_located_in_the_option(outcome: str, message: str, column: int) -> None:
    with pytest.raises(InputError) as caught:
        asked(parse_file(CORPUS / "base/MP+rel+acq.litmus"), outcome)
    first = caught.value.diagnostics[0]
    assert first.source.name == "--outcome"
    assert first.span.line == 1
    assert first.message.startswith(message)
    assert first.span.column == column


# ---------------------------------------------------------------- the command


def run(capsys: pytest.CaptureFixture[str], name: str, *options: str) -> str:
    assert main(["explain", str(CORPUS / f"{name}.litmus"), *options]) == 0
    return capsys.readouterr().out


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = json.loads(run(capsys, "base/MP+rel+acq", "--format", "json"))["explanations"]
    assert (found["answer"], [r["name"] for r in found["rules"]]) == ("forbidden", ["reads-from-may-see"])
    assert [e["name"] for e in found["execution"]["events"] if e["thread"]] == ["a", "b", "c", "d"]
    assert ["b", "c"] in found["execution"]["relations"]["sw"]
    assert found["breaks"][0]["chains"][0][0] == ["init x", "overwrites", "a"]


@pytest.mark.parametrize("name", ["base/MP+rel+acq", "amdgpu/Launder+three-threads", "amdgpu/Bytes+b128"])
def test_a_picture_has_every_event(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    document = run(capsys, name, "--format", "svg")
    root = ElementTree.fromstring(document)
    shown = [t.text or "" for t in root.iter(f"{SVG}text")]
    drawn = run(capsys, name, "--format", "dot")
    execution = explained(name).execution
    assert execution is not None
    names = words.Names(execution.graph)
    for e in execution.graph.events:
        if e.thread >= 0 and execution.executed >> e.index & 1:
            label = f"{names.of[e.index]}: {names.text(e, execution)}"
            assert label in shown
            assert f"e{e.index} [label=" in drawn
    width, height = (float(root.attrib[k]) for k in ("width", "height"))
    for box in root.iter(f"{SVG}rect"):
        if "x" in box.attrib:
            assert 0 <= float(box.attrib["x"]) <= float(box.attrib["x"]) + float(box.attrib["width"]) <= width
            assert 0 <= float(box.attrib["y"]) <= float(box.attrib["y"]) + float(box.attrib["height"]) <= height
    assert drawn.count("{") == drawn.count("}")
    assert drawn.count('"') % 2 == 0


def test_relations_are_selected(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(capsys, "base/MP+rel+acq", "--format", "dot", "--show", "rf,lo-read")
    assert "lo-read" in shown
    assert 'label="sw"' not in shown
    path = str(CORPUS / "base/MP+rel+acq.litmus")
    assert main(["explain", path, "--format", "svg", "--show", "rf,ho"]) == 2
    assert "--show:1:4: error: the model has no relation 'ho'" in capsys.readouterr().err


def test_a_picture_escapes_what_a_test_says() -> None:
    assert drawing._quoted('a"\\') == '"a\\"\\\\"'


def test_mistakes_have_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(CORPUS / "base/MP+rel+acq.litmus")
    assert main(["explain", path, "--outcome", "P1:r0=="]) == 2
    assert main(["explain", path, "--model", "amdgup"]) == 2
    assert main(["explain", "no-such-file.litmus"]) == 2
    assert "Traceback" not in capsys.readouterr().err
