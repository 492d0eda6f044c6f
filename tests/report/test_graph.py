"""Pictures: well-formed SVG with every event, DOT that a grammar accepts, frames, marks, what may be shown.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.explanations.explanation import Exhibit, explain
from axmem.formats.reading import parse_file
from axmem.report.executions import Execution, Picture, picture, relation_names
from axmem.report.pictures.execution_svg import as_svg
from axmem.report.printers.dot import as_dot
from tests.drawn import some
from tests.paths import CORPUS, CORPUS_TESTS

SAMPLE = [path for path in CORPUS_TESTS if not path.stem.startswith("Tear+")][5::36]
"""Without those of which no execution is shown: their programs cannot compute the values that are asked for."""
LAUNDER = CORPUS / "amdgpu" / "Launder+fence.singlethread.litmus"
MP = CORPUS / "base" / "MP+rel+acq.litmus"
SVG = "{http://www.w3.org/2000/svg}"

DOT_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|->|[{}\[\];,=]|[\w.]+)')


def shown(path: Path, model: str = "amdgpu", show: tuple[str, ...] = ("po", "rf", "mo", "sw")) -> Picture:
    return picture(exhibit(path, model), show)


def exhibit(path: Path, model: str = "amdgpu") -> Exhibit:
    found = explain(parse_file(path), model).exhibit
    assert found is not None
    return found


def dot_tokens(text: str) -> list[str]:
    """Return the tokens of DOT; fail where the text is none."""
    found, at = [], 0
    while at < len(text.rstrip()):
        match = DOT_TOKEN.match(text, at)
        assert match, text[at : at + 40]
        found.append(match[1])
        at = match.end()
    return found


class DotReader:
    """A reader of the part of DOT that is written; it notes nodes and edges."""

    def __init__(self, text: str) -> None:
        self.tokens = dot_tokens(text)
        self.nodes: set[str] = set()
        self.edges: set[tuple[str, str]] = set()
        self.clusters: list[str] = []

    def next(self, *wanted: str) -> str:
        token = self.tokens.pop(0)
        assert not wanted or token in wanted, (token, wanted)
        return token

    def graph(self) -> None:
        self.next("digraph")
        self.next()
        self.block()
        assert not self.tokens

    def block(self) -> None:
        self.next("{")
        while self.tokens[0] != "}":
            self.statement()
        self.next("}")

    def statement(self) -> None:
        if self.tokens[0] == "{":
            self.block()
            return
        first = self.next()
        if first == "subgraph":
            self.clusters.append(self.next())
            self.block()
            return
        if self.tokens[0] == "=":
            self.next("=")
            self.next()
        elif self.tokens[0] == "->":
            self.next("->")
            self.edges.add((first, self.next()))
            self.attributes()
        else:
            if first not in ("node", "edge"):
                self.nodes.add(first)
            self.attributes()
        self.next(";")

    def attributes(self) -> None:
        self.next("[")
        while self.tokens[0] != "]":
            self.next()
            self.next("=")
            self.next()
            if self.tokens[0] == ",":
                self.next(",")
        self.next("]")


@pytest.mark.parametrize("path", some(SAMPLE, of=6), ids=lambda path: path.stem)
def test_svg_is_well_formed_and_has_every_event(path: Path) -> None:
    found = shown(path)
    root = ElementTree.fromstring(as_svg(Execution(found, title=path.stem, notes=("a < b & c",))))
    assert root.tag == f"{SVG}svg"
    events = {g.get("id") for g in root.iter(f"{SVG}g") if g.get("class") == "event"}
    assert events == {f"event-{node.name}" for node in found.nodes}
    frames = [g for g in root.iter(f"{SVG}g") if g.get("class") == "scope"]
    assert len(frames) == len(found.frames)
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert {column.name for column in found.columns} <= texts
    assert "a < b & c" in texts


@pytest.mark.parametrize("path", some(SAMPLE, of=3), ids=lambda path: path.stem)
def test_dot_is_read_back(path: Path) -> None:
    found = shown(path)
    reader = DotReader(as_dot(found, f'"{path.stem}" \\'))
    reader.graph()
    assert reader.nodes == {f'"{node.name}"' for node in found.nodes}
    pairs = {pair for edges in found.relations.values() for pair in edges} | {(m.first, m.second) for m in found.marks}
    assert reader.edges == {(f'"{a}"', f'"{b}"') for a, b in pairs}
    assert len(reader.clusters) == len(set(reader.clusters)) == len(found.frames) + len(found.columns)


def test_svg_stays_on_its_page() -> None:
    """Every event lies inside the page, and no two overlap."""
    for path in some(SAMPLE, of=3):
        root = ElementTree.fromstring(as_svg(Execution(shown(path), title=path.stem)))
        width, height = float(root.get("width", 0)), float(root.get("height", 0))
        boxes = []
        for group in root.iter(f"{SVG}g"):
            box = group.find(f"{SVG}rect")
            if group.get("class") == "event" and box is not None:
                x, y, wide, high = (float(box.get(key, 0)) for key in ("x", "y", "width", "height"))
                assert 0 <= x <= x + wide <= width
                assert 0 <= y <= y + high <= height
                boxes.append((x, y, x + wide, y + high))
        for i, a in enumerate(boxes):
            assert not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for b in boxes[i + 1 :]), path


def test_each_relation_is_a_group() -> None:
    root = ElementTree.fromstring(as_svg(Execution(shown(MP, show=("rf", "vis")), title="MP")))
    groups = {g.get("class") for g in root.iter(f"{SVG}g") if (g.get("class") or "").startswith("lines")}
    assert groups == {"lines r-rf", "lines r-vis", "lines broken", "lines r-lo"}


def test_marks_show_the_broken_link_and_the_broken_rule() -> None:
    missing = [(m.first, m.label, m.second) for m in shown(LAUNDER).marks if m.stress.value == "missing"]
    assert missing == [("A", "lo", "F")]
    cycle = [m for m in shown(CORPUS / "classic" / "SB+sc+fence.sc.litmus").marks if m.stress.value == "broken"]
    ends = {m.first for m in cycle}
    assert ends == {m.second for m in cycle}


FRAMED = """litmus F
global x
thread P2 @ agent 1, cluster 0, workgroup 0, wavefront 0 { store 3, x }
thread P0 @ agent 0, cluster 0, workgroup 0, wavefront 0 { store 1, x }
thread P1 @ agent 0, cluster 1, workgroup 0, wavefront 0 { store 2, x }
thread P3 @ agent 0, cluster 0, workgroup 1, wavefront 1 { r0 = load x }
thread P4 @ agent 0, cluster 0, workgroup 1, wavefront 0 { r0 = load x }
exists (P3:r0=undef)
"""


def test_frames_nest_as_the_scopes_do() -> None:
    """Threads stand in the order of the hierarchy, so that each instance is one frame around its threads."""
    found = explain(FRAMED, "llvm").exhibit
    assert found is not None
    drawn = picture(found)
    assert [c.name for c in drawn.columns] == ["P0", "P4", "P3", "P1", "P2"]
    assert [(f.level, f.number, f.first, f.last) for f in drawn.frames] == [
        ("agent", 0, 0, 3), ("agent", 1, 4, 4),
        ("cluster", 0, 0, 2), ("cluster", 1, 3, 3), ("cluster", 0, 4, 4),
        ("workgroup", 0, 0, 0), ("workgroup", 1, 1, 2), ("workgroup", 0, 3, 3), ("workgroup", 0, 4, 4),
        ("wavefront", 0, 0, 0), ("wavefront", 0, 1, 1), ("wavefront", 1, 2, 2),
        ("wavefront", 0, 3, 3), ("wavefront", 0, 4, 4),
    ]  # fmt: skip
    ElementTree.fromstring(as_svg(Execution(drawn, title="F")))


def test_names_are_labels_or_letters() -> None:
    """Labels are kept, other instructions take letters that no label has; halves and cells are told apart."""
    text = """litmus N
global x = 0
global <2 x i32> v
thread P0 {
  B: store 1, x
  r0 = atomicrmw add x, 1 monotonic
  store <1, 2>, v
  store 5, v[1]
}
exists (P0:r0=1)
"""
    found = explain(text, "llvm").exhibit
    assert found is not None
    assert picture(found).columns[0].events == ("B", "A.r", "A.w", "C[0]", "C[1]", "D")


def test_every_relation_of_the_model_can_be_shown() -> None:
    found = exhibit(MP)
    names = relation_names(found.view)
    assert {"po", "rf", "hb", "lo", "av", "vis", "sw-atomic", "hidden"} <= set(names)
    assert set(picture(found, names).relations) <= set(names)


def test_a_directory_takes_a_file_for_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "pictures"
    assert main(["graph", str(LAUNDER), "--each", "--model", "llvm", "--model", "amdgpu", "-o", f"{folder}/"]) == 0
    assert capsys.readouterr().out.count("\n") == 4
    assert sorted(f.name for f in folder.iterdir()) == [
        f"Launder+fence.singlethread.{model}.{n}.svg" for model in ("amdgpu", "llvm") for n in (1, 2)
    ]


def test_the_name_of_the_file_says_the_format(tmp_path: Path) -> None:
    for name, begin in (("a.dot", "digraph"), ("a.gv", "digraph"), ("a.json", "{"), ("a.svg", "<svg"), ("a", "<svg")):
        assert main(["graph", str(MP), "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begin)
