"""How pictures of executions look: nothing overlaps, lines are told apart without colours, on every ground.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from axmem.explanations.explanation import explain
from axmem.formats.reading import parse, parse_file
from axmem.front.records import replace
from axmem.report.executions import Execution, Picture, picture, relation_names, unasked
from axmem.report.explanation import execution
from axmem.report.pictures.execution_svg import as_svg, classes, way_of
from axmem.report.pictures.execution_tikz import as_tikz
from axmem.report.pictures.layout import Layout, layout
from axmem.report.pictures.style import ALARM, MEANINGS, MISSING, STYLES, LineStyle
from axmem.report.pictures.ways import Point, Rect
from axmem.report.printers.latex import PRINTER as LATEX
from tests.drawn import some
from tests.paths import CORPUS, CORPUS_TESTS

SAMPLE = CORPUS_TESTS[3::17]
SVG = "{http://www.w3.org/2000/svg}"
EIGHT = "\n".join(
    [
        "litmus Eight",
        "global x = 0, y = 0, z = 0",
        *(
            f"thread P{t} @ agent {t // 4}, workgroup {t // 2 % 2} {{\n"
            + "\n".join(
                f"  store {4 * t + k + 1}, {'xyz'[(t + k) % 3]} release"
                if (t + k) % 3 == 0
                else f"  r{k} = load {'xyz'[(t + 2 * k) % 3]} acquire"
                for k in range(4 if t < 6 else 3)
            )
            + "\n}"
            for t in range(8)
        ),
        "exists (P2:r2=undef)",
    ]
)


def shown(path: Path) -> Execution | None:
    found = explain(parse_file(path), "amdgpu").exhibit
    return None if found is None else execution(found)


@cache
def eight() -> tuple[Picture, Picture]:
    """Return an execution of eight threads and thirty events, as it is drawn and with every relation there is."""
    found = explain(parse(EIGHT, "eight"), "amdgpu").exhibit
    assert found is not None
    return unasked(found), picture(found, [n for n in relation_names(found.view) if n in STYLES])


def crossed(rect: Rect, a: Point, b: Point) -> bool:
    """Tell whether a level or upright line passes through the inside of a rectangle."""
    (x1, x2), (y1, y2) = sorted((a[0], b[0])), sorted((a[1], b[1]))
    return x1 < rect.right and x2 > rect.x and y1 < rect.bottom and y2 > rect.y


def measured(laid: Layout) -> None:
    """Fail where two things overlap, an edge passes through a box, or something is off the page."""
    solid = {f"box {name}": rect for name, rect in laid.boxes.items()}
    solid |= {f"head {name}": rect for name, rect in laid.heads}
    solid |= {f"title {k}": rect for k, rect in enumerate(laid.titles)}
    for bundle, rect in zip(laid.bundles, laid.labels, strict=True):
        assert (rect is None) == (not bundle.text), bundle
        if rect is not None:
            solid[f"label {bundle.first} {bundle.text} {bundle.second}"] = rect
    for (one, a), (other, b) in combinations(solid.items(), 2):
        assert not a.overlaps(b), (one, other)
    for name, rect in solid.items():
        assert rect.x >= 0 and rect.right <= laid.size[0] and rect.y >= 0 and rect.bottom <= laid.size[1], name
    for bundle in laid.bundles:
        for start, end in pairwise(bundle.points):
            assert start[0] == end[0] or start[1] == end[1], "an edge is level or upright"
            for name, rect in laid.boxes.items():
                assert not crossed(rect, start, end), (bundle.first, bundle.second, name)
            for name, rect in laid.heads:
                assert not crossed(rect, start, end), (bundle.first, bundle.second, name)


@pytest.mark.parametrize("path", some(SAMPLE, of=6), ids=lambda path: path.stem)
def test_nothing_overlaps(path: Path) -> None:
    found = shown(path)
    if found is not None:
        measured(layout(found.picture, 60))


def test_nothing_overlaps_at_eight_threads_and_thirty_events() -> None:
    for found in eight():
        assert len(found.columns) == 8 and sum(len(c.events) for c in found.columns) == 30
        laid = layout(found, 60)
        measured(laid)
        assert len(laid.bundles) > 20


def test_no_two_edges_run_on_one_another() -> None:
    """Level parts of two edges that lie on each other for more than a few pixels could not be told apart."""
    for found in eight():
        laid = layout(found, 60)
        parts = [(a, b, n) for n, bundle in enumerate(laid.bundles) for a, b in pairwise(bundle.points) if a != b]
        upright = [(a[0], *sorted((a[1], b[1])), n) for a, b, n in parts if a[0] == b[0]]
        level = [(a[1], *sorted((a[0], b[0])), n) for a, b, n in parts if a[1] == b[1]]
        for along in (upright, level):
            for one, other in combinations(along, 2):
                together = min(one[2], other[2]) - max(one[1], other[1])
                assert one[3] == other[3] or abs(one[0] - other[0]) > 0.5 or together <= 6, (one, other)


def test_a_rectangle_knows_what_overlaps_it() -> None:
    box = Rect(10, 10, 10, 10)
    assert box.overlaps(Rect(19, 19, 5, 5)) and not box.overlaps(Rect(20, 10, 5, 5))
    assert crossed(box, (0, 15), (30, 15))
    assert not crossed(box, (0, 20), (30, 20)) and not crossed(box, (0, 15), (10, 15))


# ---------------------------------------------------------------- styles

BLIND = {
    "protan": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deutan": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritan": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}
"""What people see who lack one kind of cones: linear RGB, after Machado, Oliveira and Fernandes (2009)."""


def linear(colour: str) -> list[float]:
    values = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def seen(colour: str, how: str) -> list[float]:
    given = linear(colour)
    return [min(1.0, max(0.0, sum(w * v for w, v in zip(row, given, strict=True)))) for row in BLIND[how]]


def luminance(values: list[float]) -> float:
    return sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), values, strict=True))


def contrast(values: list[float], ground: str) -> float:
    light, dark = sorted((luminance(values), luminance(linear(ground))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


ALL: dict[str, LineStyle] = {**STYLES, "broken": ALARM, "missing": MISSING}


@pytest.mark.parametrize("how", BLIND)
def test_lines_are_told_apart_and_seen_without_colours(how: str) -> None:
    """Every line stands out from both grounds, and two of one dash differ in their width or in what is seen of them."""
    for name, style in ALL.items():
        assert contrast(seen(style.light, how), "#ffffff") >= 3, name
        assert contrast(seen(style.dark, how), "#16181c") >= 3, name
    for (one, a), (other, b) in combinations(ALL.items(), 2):
        assert a.dashes != b.dashes or abs(a.width - b.width) >= 0.6, (one, other)


def test_a_picture_has_light_and_dark_and_print_and_says_what_it_is() -> None:
    found = shown(CORPUS / "amdgpu" / "Launder+fence.singlethread.litmus")
    assert found is not None
    text = as_svg(Execution(found.picture, found.threads, found.events, title="A < B"))
    assert "prefers-color-scheme: dark" in text and "@media print" in text and "var(" not in text
    root = ElementTree.fromstring(text)
    assert root.find(f"{SVG}title").text == "A < B"  # type: ignore[union-attr]
    assert "P0 @ agent 0" in (root.find(f"{SVG}desc").text or "")  # type: ignore[union-attr]


def test_the_legend_has_a_sample_of_each_kind_of_line_that_is_drawn() -> None:
    for path in some(SAMPLE[::4], of=3):
        found = shown(path)
        if found is None:
            continue
        root = ElementTree.fromstring(as_svg(found))
        drawn = {g.get("class", "") for g in root.iter(f"{SVG}g") if (g.get("class") or "").startswith("lines ")}
        words = [t.text or "" for t in root.iter(f"{SVG}text") if "legend" in (t.get("class") or "")]
        assert len(words) == len(drawn)
        for name in drawn:
            relation = name.removeprefix("lines ").removeprefix("r-")
            assert any(MEANINGS.get(relation, relation) in said for said in words), name


def test_orders_are_drawn_without_being_asked_for() -> None:
    """That initial writes are before everything is left out; that a release is before an acquire is not."""
    found = explain(parse_file(CORPUS / "base" / "MP+rel+acq.litmus"), "amdgpu", outcome="P1:r0=1 /\\ P1:r1=1").exhibit
    assert found is not None
    drawn = unasked(found)
    assert ("B", "C") in drawn.relations["hb"] and drawn.relations["lo"]
    assert not any(first.startswith("init") for name in ("hb", "lo") for first, _ in drawn.relations[name])


def test_a_way_has_round_corners() -> None:
    (found, _) = eight()
    ways = [way_of(bundle) for bundle in layout(found, 60).bundles if len(set(bundle.points)) > 2]
    assert ways and all(re.fullmatch(r"M[-\d. ]+(L[-\d. ]+Q[-\d. ]+)+L[-\d. ]+", way) for way in ways)


# ---------------------------------------------------------------- TikZ


@pytest.mark.parametrize("path", some(SAMPLE[::3], of=4), ids=lambda path: path.stem)
def test_tikz_has_what_is_in_the_picture(path: Path) -> None:
    found = shown(path)
    if found is None:
        return
    lines = [*as_tikz(found, LATEX.text)]
    assert lines[0].startswith("\\begin{tikzpicture}") and lines[-1] == "\\end{tikzpicture}"
    assert all(line.endswith(";") and line.count("{") == line.count("}") for line in lines[2:-1])
    for node in found.picture.nodes:
        assert sum(f"{{{LATEX.text(f'{node.name}: {node.text}')}}};" in line for line in lines) == 1, node
    laid = layout(found.picture, 60)
    drawn = [line for bundle in laid.bundles for line in bundle.lines]
    assert sum(" -- " in line for line in lines) == len(drawn) + len(dict(classes(laid)))
    assert sum(" rectangle " in line for line in lines) == len(found.picture.nodes) + len(found.picture.frames)


def test_tikz_leaves_out_what_is_hidden_and_reads_no_command() -> None:
    found = shown(CORPUS / "amdgpu" / "MP+st-rel.none+acq-ld.litmus")
    assert found is not None
    lines = [*as_tikz(replace(found, hidden=("po",), notes=(r"\input{x} 50% $y$ #1",)), LATEX.text)]
    assert any("program order" in line for line in as_tikz(found, LATEX.text))
    assert not any("program order" in line for line in lines)
    assert any(r"\textbackslash{}input\{x\} 50\% \$y\$ \#1" in line for line in lines)
