"""A picture of an execution as TikZ, for documents in LaTeX.

What goes in: an `Execution`, and what writes a text as LaTeX. What comes out: the lines of a `tikzpicture`, which needs
the package `tikz` and none of its libraries: what stands in the picture as SVG, at the same places, in colours for
paper. Relations that a page would show later are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from axmem.report.executions import Execution
from axmem.report.pictures.execution_svg import SAMPLE, class_of, classes, legend_of, letters_of, line_class
from axmem.report.pictures.layout import HEAD, MARGIN, Layout, layout
from axmem.report.pictures.style import LineStyle
from axmem.report.pictures.ways import SMALL, Point, Rect

PIXEL = 0.75
"""Points of a pixel."""
Write = Callable[[str], str]


def as_tikz(execution: Execution, write: Write) -> Iterator[str]:
    """Yield the lines of a picture; `write` gives a text as LaTeX."""
    shown = execution.picture
    laid = layout(shown, MARGIN + HEAD * (1 + len(execution.notes)))
    hidden = {line_class(name) for name in execution.hidden}
    lines = {name: style for name, style in classes(laid) if name not in hidden}
    texts = {node.name: f"{node.name}: {node.text}" for node in shown.nodes}
    yield f"\\begin{{tikzpicture}}[x={PIXEL}pt, y=-{PIXEL}pt, line width={PIXEL}pt,"
    yield "  every node/.style={inner sep=0, outer sep=0, font=\\ttfamily\\fontsize{8.5}{10}\\selectfont}]"
    for number, line in enumerate((execution.title, *execution.notes)):
        yield _text(write(line), (MARGIN, MARGIN + number * HEAD), "" if number else "\\bfseries")
    for (frame, rect), title in zip(laid.frames, laid.titles, strict=True):
        yield _box(rect, "dashed, rounded corners=3pt, draw=gray, fill=gray, fill opacity=.06")
        yield _text(write(f"{frame.level} {frame.number}"), (title.x, title.bottom - 3), "\\color{gray}")
    for name, rect in laid.heads:
        yield _text(write(name), (rect.x, rect.bottom - 3), "\\bfseries")
    yield from _ways(laid, lines)
    for name, rect in laid.boxes.items():
        yield _box(rect, "rounded corners=4pt, draw=darkgray, fill=white")
        yield f"  \\node at {_at(rect.middle)} {{{write(texts[name])}}};"
    yield from _labels(laid, lines, write)
    yield from _legend(execution, laid, lines, write)
    yield "\\end{tikzpicture}"


def _at(point: Point) -> str:
    return f"({point[0]:.1f},{point[1]:.1f})"


def _text(written: str, at: Point, face: str = "", *, options: str = "") -> str:
    """Return a text that begins at a point of its base line."""
    return f"  \\node[anchor=base west{options}] at {_at(at)} {{{face}{' ' if face else ''}{written}}};"


def _box(rect: Rect, options: str) -> str:
    return f"  \\draw[{options}] {_at((rect.x, rect.y))} rectangle {_at((rect.right, rect.bottom))};"


def _colour(style: LineStyle) -> str:
    red, green, blue = (int(style.light[k : k + 2], 16) for k in (1, 3, 5))
    return f"{{rgb,255:red,{red};green,{green};blue,{blue}}}"


def _pen(style: LineStyle) -> str:
    """Return how the lines of a relation are drawn: its colour, width and dashes."""
    dashes = [float(each) * PIXEL for each in style.dashes.split()]
    pairs = " ".join(f"on {on:g}pt off {off:g}pt" for on, off in zip(dashes[::2], dashes[1::2], strict=True))
    dashed = f", dash pattern={pairs}" if pairs else ""
    width = style.width * PIXEL
    return f"-latex, rounded corners=3pt, draw={_colour(style)}, fill=none, line width={width:g}pt{dashed}"


def _ways(laid: Layout, lines: dict[str, LineStyle]) -> Iterator[str]:
    """Yield the edges; of those that share a way the first lies above the others."""
    drawn = [(class_of(line), bundle) for bundle in laid.bundles for line in bundle.lines if class_of(line) in lines]
    order = list(lines)
    for name, bundle in sorted(drawn, key=lambda each: -order.index(each[0])):
        points = [p for k, p in enumerate(bundle.points) if not k or p != bundle.points[k - 1]]
        yield f"  \\draw[{_pen(lines[name])}] {' -- '.join(map(_at, points))};"


def _labels(laid: Layout, lines: dict[str, LineStyle], write: Write) -> Iterator[str]:
    for bundle, rect in zip(laid.bundles, laid.labels, strict=True):
        if rect is None:
            continue
        x = rect.x + 2
        for line in bundle.lines:
            if line.relation != "po" or line.stress:
                if (name := class_of(line)) in lines:
                    options = f", fill=white, text={_colour(lines[name])}"
                    yield _text(write(line.label), (x, rect.bottom - 3), "\\bfseries", options=options)
                x += (len(line.label) + 1) * SMALL


def _legend(execution: Execution, laid: Layout, lines: dict[str, LineStyle], write: Write) -> Iterator[str]:
    entries, y = legend_of(lines, laid.size[0], laid.size[1] + HEAD)
    for name, words, (x, at) in entries:
        yield f"  \\draw[{_pen(lines[name])}] {_at((x, at - 4))} -- {_at((x + SAMPLE, at - 4))};"
        yield _text(write(words), (x + SAMPLE + 6, at))
    for number, row in enumerate(letters_of(execution, laid.size[0]), 1):
        yield _text(write(row), (MARGIN, y + number * HEAD), "\\color{gray}")
