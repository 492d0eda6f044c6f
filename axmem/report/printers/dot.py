"""A picture of an execution as DOT, for those who have Graphviz.

What goes in: a `Picture`. What comes out: the text of a digraph in which each scope instance is a cluster, each thread
a cluster inside, and each relation has its colour.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.explanations.story import Stress
from axmem.report.executions import Column, Execution, Picture
from axmem.report.pictures.style import ALARM, LineStyle, style_of
from axmem.report.tree import Document

INDENT = "  "


class Dot:
    """DOT; of a document the first execution."""

    def document(self, found: Document) -> str:
        """Return the execution of a document as DOT."""
        shown = next(block for block in found.blocks if isinstance(block, Execution))
        return as_dot(shown.picture, shown.title)


PRINTER = Dot()


def as_dot(shown: Picture, title: str) -> str:
    """Return a picture as DOT; `title` stands above it."""
    lines = [
        f"digraph {quoted(title)} {{",
        f"  label={quoted(title)}; labelloc=t; fontname=monospace; rankdir=TB; splines=spline;",
        "  node [shape=box, style=rounded, fontname=monospace, fontsize=11, height=0.3];",
        "  edge [fontname=monospace, fontsize=9, arrowsize=0.7];",
        *_outside(shown),
        *_columns(shown),
        *_edges(shown),
        "}",
    ]
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """Return a string of DOT."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _node(shown: Picture, name: str) -> str:
    text = next(node.text for node in shown.nodes if node.name == name)
    return f"{quoted(name)} [label={quoted(f'{name}: {text}')}];"


def _outside(shown: Picture) -> Iterator[str]:
    """Yield the initial writes and the final reads, each a row."""
    for rank, names in (("source", shown.initial), ("sink", shown.final)):
        if names:
            yield f"  {{ rank={rank}; {' '.join(_node(shown, name) for name in names)} }}"


def _columns(shown: Picture) -> Iterator[str]:
    """Yield the threads inside their scope instances."""
    depth = 1
    for index, column in enumerate(shown.columns):
        for frame in shown.frames:
            if frame.first == index:
                indent = INDENT * depth
                number = f"{frame.level}_{'_'.join(str(n) for _, n in column.place)}"
                yield f"{indent}subgraph {quoted(f'cluster_{number}')} {{"
                yield f"{indent}{INDENT}label={quoted(f'{frame.level} {frame.number}')}; style=dashed; color=gray50;"
                depth += 1
        yield from _thread(shown, index, column, INDENT * depth)
        for _ in (frame for frame in shown.frames if frame.last == index):
            depth -= 1
            yield f"{INDENT * depth}}}"


def _thread(shown: Picture, index: int, column: Column, indent: str) -> Iterator[str]:
    yield f"{indent}subgraph {quoted(f'cluster_thread_{index}')} {{"
    yield f"{indent}{INDENT}label={quoted(column.name)}; peripheries=0;"
    yield from (f"{indent}{INDENT}{_node(shown, name)}" for name in column.events)
    yield f"{indent}}}"


def _edges(shown: Picture) -> Iterator[str]:
    drawn = {(m.first, m.label, m.second) for m in shown.marks}
    for relation, pairs in shown.relations.items():
        style = style_of(relation)
        for first, second in (pair for pair in pairs if (pair[0], relation, pair[1]) not in drawn):
            constraint = "" if relation == "po" else ", constraint=false"
            yield _edge(first, second, relation, style, f"style={_dashes(style)}{constraint}")
    for mark in shown.marks:
        missing = mark.stress is Stress.MISSING
        style = style_of(mark.label) if mark.stress is Stress.REASON else ALARM
        look = f"style={'dashed' if missing else 'bold'}, penwidth=2, constraint=false"
        yield _edge(mark.first, mark.second, f"no {mark.label}" if missing else mark.label, style, look)


def _edge(first: str, second: str, label: str, style: LineStyle, look: str) -> str:
    shade = quoted(style.light)
    colours = f"color={shade}, fontcolor={shade}"
    return f"  {quoted(first)} -> {quoted(second)} [label={quoted(label)}, {colours}, {look}];"


def _dashes(style: LineStyle) -> str:
    """Return the style of a line; DOT has two kinds of dashes."""
    if not style.dashes:
        return "solid"
    return "dotted" if int(style.dashes.split()[0]) <= 2 else "dashed"
