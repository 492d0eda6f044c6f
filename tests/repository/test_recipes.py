"""CONTRIBUTING's recipes for a level, a model, a form, a dialect, a proof and a diagnostic, followed in one copy.

The other recipes are followed in the rooms they are about: `tests/refinement/bounded/made_up.py`,
`tests/litmus/test_recipe.py`, `tests/model/test_recipe.py`, `tests/codegen/test_families.py`,
`tests/commands/test_recipe.py`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.recipes import Edit, copied, edited, ran, recipe

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the copy is made of links")

LEVEL: tuple[Edit, ...] = (
    ("litmus/words.py", '    AGENT = 4, "ag", "agent", True\n    SYSTEM = 5, "sy"',
     '    QUARTER = 4, "qu", "quarter", True, True\n    AGENT = 5, "ag", "agent", True\n    SYSTEM = 6, "sy"'),
    ("model/happens-before.cat", "         | [agent] ; same-agent\n",
     "         | [quarter] ; same-quarter\n         | [agent] ; same-agent\n"),
    ("model/amdgpu.cat", "let store-available-cluster = store-available-agent |",
     "let store-available-quarter = store-available-agent | (scoped & quarter)\n"
     "let store-available-cluster = store-available-quarter |"),
    ("model/amdgpu.cat", "    | ([store-available-agent] ; same-agent)\n",
     "    | ([store-available-agent] ; same-agent)\n    | ([store-available-quarter] ; same-quarter)\n"),
    ("model/amdgpu.cat", "let cluster-or-wider = agent-or-wider |",
     "let quarter-or-wider = agent-or-wider | quarter\nlet cluster-or-wider = quarter-or-wider |"),
    ("model/amdgpu.cat", '(** @says "{b} makes {a} visible in its cluster',
     '(** @says "{b} makes {a} visible in its quarter ({role b})" *)\n'
     "and vis-quarter = vis-agent | seen(store-available-quarter, quarter-or-wider, same-quarter, vis-quarter)\n"
     '(** @says "{b} makes {a} visible in its cluster'),
    ("model/amdgpu.cat", "and vis-cluster = vis-agent |", "and vis-cluster = vis-quarter |"),
)  # fmt: skip
"""A level between cluster and agent."""
EDITS: tuple[Edit, ...] = (
    # a form
    ("axmem/formats/forms.py", "FORMS = (\n",
     'FORMS = (\n    Form("a row of stores", r"ROW[ \\t]+\\w+", "docs/row.md", "row", "row"),\n'),
    # a dialect
    ("model/dialects/__init__.py", '    ("aarch32", r"aarch32"),\n',
     '    ("aarch32", r"aarch32"),\n    ("toy", r"toy"),\n'),
    # a diagnostic
    ("litmus/wellformed.py", "    found = []\n    for path, statement in walk.located(test):\n        for message",
     "    found = []\n    for location in walk.locations(test):\n        if location.name == 'nothing':\n"
     "            message, hint = \"'nothing' is no name of something\", 'name what it holds'\n"
     "            found.append(Diagnostic(test.source, location.span, message, hint))\n"
     "    for path, statement in walk.located(test):\n        for message"),
)  # fmt: skip
FORM = '''"""A row of stores: `ROW NAME`, then a line for each thread with the number that it stores in x."""

from __future__ import annotations

from axmem.front.source import Diagnostic, InputError, Source, Span
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest


def read(source: Source) -> LitmusTest:
    """Return the test. Raises InputError for a line that is no number."""
    head, *lines = source.text.splitlines()
    found = [
        Diagnostic(source, Span(number, 1, len(line)), "a thread stores a number", "write a decimal number")
        for number, line in enumerate(lines, 2)
        if not line.isdecimal()
    ]
    if found:
        raise InputError(found)
    threads = [f"thread P{k} {{ store atomic {line}, x monotonic }}" for k, line in enumerate(lines)]
    text = [f"litmus {head.split()[1]}", "global i32 x = 0", *threads, f"exists (x={lines[0]})"]
    return parse("\\n".join(text), source.name)
'''
MODEL = """"what came last is read (only in a copy)"
include "sc.cat"
(** [LangRef] "Memory Model for Concurrent Operations": what is observed *)
empty rf & ((W * R) \\ loc) as elsewhere
"""
MADE = {
    "model/last.cat": MODEL,
    "axmem/formats/row.py": FORM,
    "model/dialects/herd-toy.cat": (
        '"herd: what models of Toy name"\ninclude "untagged.cat"\ninclude "unscoped.cat"\n'
        "(** Toy's one fence. *)\nlet WALL = F & SC\n"
    ),
}
TOY = """TOY "toy's fences"
include "cos.cat"
acyclic po-loc | rf | fr | co as coherence
acyclic (po ; [WALL] ; po) | rf | fr | co as walls
"""
BUFFERS = """litmus Buffers
global i32 x = 0
global i32 y = 0
thread P0 {
  store atomic 1, x monotonic
  FENCE
  r = load atomic y monotonic
}
thread P1 {
  store atomic 1, y monotonic
  FENCE
  r = load atomic x monotonic
}
exists (P0:r=0 /\\ P1:r=0)
"""
PASSING = """litmus Passing
global i32 data = 0
global i32 flag = 0
thread P0 @ agent 0, quarter 0, cluster 0, workgroup 0 {
  store 1, data
  store atomic 1, flag syncscope("quarter") release
}
thread P1 @ agent 0, quarter OTHER, cluster 1, workgroup 0 {
  r0 = load atomic flag syncscope("quarter") acquire
  r1 = load data
}
exists (P1:r0=1 /\\ P1:r1=0)
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("recipes") / "sources"
    copied(place)
    edited(place, EDITS, MADE)
    proofs = place / "axmem" / "refinement" / "proofs"
    (proofs / "P3.proof").rename(proofs / "another.proof")
    return place


def test_a_level_is_an_entry_and_a_line_for_what_models_say_of_levels(tmp_path: Path) -> None:
    """Of one quarter the load synchronizes with the store, of two it does not, under every engine."""
    sources = tmp_path / "sources"
    copied(sources)
    edited(sources, LEVEL)
    for other, verdict in (("0", "never"), ("1", "sometimes")):
        path = tmp_path / f"Passing{other}.litmus"
        path.write_text(PASSING.replace("OTHER", other), encoding="utf-8")
        for engine in ("z3", "oracle"):
            done = ran(sources, "run", str(path), "--model", "llvm", "--model", "amdgpu", "--engine", engine)
            assert re.findall(r"\b(never|sometimes|always)\b", done.stdout)[:2] == [verdict] * 2, done
    own = tmp_path / "own.cat"
    own.write_text('"own"\nempty rf \\ same-quarter as elsewhere\nempty F & quarter as narrow\n', encoding="utf-8")
    assert ran(sources, "check", str(own)).returncode == 0


def test_a_model_is_a_file(sources: Path) -> None:
    assert "\nlast " in ran(sources, "models").stdout
    assert ran(sources, "models", "last").stdout.startswith('"what came last is read')


def test_a_form_is_a_module_and_an_entry(sources: Path, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.row", tmp_path / "bad.row"
    good.write_text("ROW Two\n1\n2\n", encoding="utf-8")
    bad.write_text("ROW Two\n1\ntwo\n", encoding="utf-8")
    for words in ([], ["--from", "row"]):
        done = ran(sources, "run", str(good), "--model", "sc", *words)
        assert done.returncode == 0 and "sometimes" in done.stdout, done
        refused = ran(sources, "run", str(bad), "--model", "sc", *words)
        assert refused.returncode == 2 and "bad.row:3:1: error: a thread stores a number\n" in refused.stderr


def test_a_dialect_is_a_file_and_its_words(sources: Path, tmp_path: Path) -> None:
    """Store buffering is forbidden where a fence stands between, and allowed where none does."""
    model = tmp_path / "herd" / "model.cat"
    model.parent.mkdir()
    model.write_text(TOY, encoding="utf-8")
    shown = ran(sources, "check", str(model))
    assert shown.returncode == 0 and "WALL" in shown.stdout, shown
    for fence, verdict in (("fence seq_cst", "never"), ("", "sometimes")):
        test = tmp_path / f"{verdict}.litmus"
        test.write_text(BUFFERS.replace("FENCE", fence), encoding="utf-8")
        done = ran(sources, "run", str(test), "--model", str(model))
        assert verdict in done.stdout, done


def test_a_proof_is_a_file_that_names_its_theorem(sources: Path) -> None:
    assert ran(sources, "prove", "P3").stdout.startswith("P3  proved")
    assert "amdgpu; another.proof" in ran(sources, "prove", "--list").stdout


def test_a_diagnostic_is_found_and_placed(sources: Path, tmp_path: Path) -> None:
    path = tmp_path / "nothing.litmus"
    path.write_text("litmus t\nglobal i32 nothing = 0\nthread P { r = load nothing }\n", encoding="utf-8")
    done = ran(sources, "check", str(path))
    assert done.returncode == 2
    assert "nothing.litmus:2:12: error: 'nothing' is no name of something\n" in done.stderr
    assert "hint: name what it holds" in done.stderr


def test_the_recipes_name_what_is_done() -> None:
    for kind, words in {
        "A level of AMDGPU's scopes": ("`Scope`", *(f"`{name}`" for name, _, _ in LEVEL)),
        "A model": ("`NAME.cat`", "`model/`"),
        "A form of tests": ("`FORMS`", "`axmem/formats/forms.py`", "read(source: Source) -> LitmusTest"),
        "A dialect of cat": ("`TRADITION-FAMILY.cat`", "`_FAMILIES`", "`model/dialects/__init__.py`"),
        "A proof": ("`axmem/refinement/proofs/NAME.proof`",),
        "A diagnostic": ("`litmus/wellformed.py`", "`Diagnostic`"),
    }.items():
        assert all(word in recipe(kind) for word in words), kind
    assert all((ROOT / name).exists() for name, _, _ in (*LEVEL, *EDITS))
