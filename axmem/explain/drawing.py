"""Executions as pictures: DOT, and SVG that needs no other program.

What goes in: an explanation with an execution, and which relations to draw. What comes out: a picture with a column for
each thread, scope instances as nested frames, initial writes above, and coloured arrows. Invariant: everything from a
test is escaped, and every executed event but final reads is in the picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

from axmem.encoder.events import Event, Kind
from axmem.encoder.witness import Execution
from axmem.explain.explanation import Explanation
from axmem.explain.words import Names
from axmem.model.relation import bits
from axmem.source import Diagnostic, InputError, Source, Span, did_you_mean

RELATIONS = ("po", "rf", "mo", "fr", "sw", "hb", "av", "vis", "lo", "may-see")
DEFAULT = ("po", "rf", "mo", "fr", "sw", "av", "vis")
COLOURS = {
    "po": "#555555", "rf": "#c00000", "mo": "#a05a00", "fr": "#d09000", "sw": "#0050c0", "hb": "#7090c0",
    "av": "#008040", "vis": "#7a3db8", "lo": "#b8408c", "may-see": "#909090",
}  # fmt: skip
OTHER = "#303030"

Pair = tuple[int, int]

WIDTH, GAP, ROW, TOP, MARGIN, FRAME = 230, 160, 64, 34, 20, 18
LEVELS = ("agent", "cluster", "workgroup", "wavefront")


def selected(show: str | None, execution: Execution) -> tuple[str, ...]:
    """Return the relations to draw. Raises InputError for one that the model does not have."""
    if show is None:
        return DEFAULT
    names = [name.strip() for name in show.split(",") if name.strip()]
    known = {*RELATIONS, *(n for n, d in execution.definitions.items() if not execution.model.terms[d.term].is_set)}
    for name in names:
        if name not in known:
            place = Span(1, show.index(name) + 1, len(name))
            message = f"the model has no relation '{name}'"
            hint = did_you_mean(name, sorted(known))
            raise InputError([Diagnostic(Source("--show", show), place, message, hint)])
    return tuple(dict.fromkeys(names))


def pairs(execution: Execution, name: str) -> tuple[Pair, ...]:
    """Return the pairs of a relation that a picture shows; orders without what follows from their other pairs."""
    if name == "po":
        return tuple(_neighbours(execution))
    rows = list(_from_reads(execution) if name == "fr" else execution.relation(name))
    found = {(a, b) for a, row in enumerate(rows) for b in bits(row)}
    if name in ("mo", "hb", "lo", "fr"):
        found = {(a, b) for a, b in found if not any((a, c) in found and (c, b) in found for c in range(len(rows)))}
    events = execution.graph.events
    if name in ("hb", "lo"):
        found = {(a, b) for a, b in found if events[a].kind is not Kind.INIT}
    return tuple(sorted((a, b) for a, b in found if a != b and events[b].kind is not Kind.FINAL))


def _neighbours(execution: Execution) -> Iterator[Pair]:
    """Yield each event of a thread with the next."""
    for number in range(len(execution.graph.threads)):
        column = _column(execution, number)
        yield from zip([e.index for e in column], [e.index for e in column[1:]], strict=False)


def _from_reads(execution: Execution) -> Iterator[int]:
    """Yield for each event the writes that come in mo after the one it reads from."""
    for event in range(len(execution.graph.events)):
        row = 0
        for w, targets in enumerate(execution.rf):
            if targets >> event & 1:
                row |= execution.relation("mo")[w]
        yield row & ~(1 << event)


def _column(execution: Execution, thread: int) -> list[Event]:
    return [e for e in execution.graph.events if e.thread == thread and execution.executed >> e.index & 1]


def _above(execution: Execution) -> list[Event]:
    """Return the initial writes of memory that some event of a thread accesses."""
    events = execution.graph.events
    used = {e.cell for e in events if e.thread >= 0 and execution.executed >> e.index & 1}
    return [e for e in events if e.kind is Kind.INIT and e.cell in used]


def _edges(execution: Execution, show: Sequence[str]) -> list[tuple[int, int, tuple[str, ...]]]:
    """Return the arrows: two events, and the relations that relate them."""
    drawn = {e.index for e in _above(execution)} | {
        e.index for n in range(len(execution.graph.threads)) for e in _column(execution, n)
    }
    found: dict[Pair, list[str]] = {}
    for name in show:
        for pair in pairs(execution, name):
            if drawn.issuperset(pair):
                found.setdefault(pair, []).append(name)
    return [(a, b, tuple(names)) for (a, b), names in found.items()]


def _title(explanation: Explanation) -> str:
    answer = "permitted" if explanation.permitted else "forbidden by " + ", ".join(r.name for r in explanation.rules)
    return f"{explanation.test.name} under {explanation.model.name}: {answer}"


def _colour(related: Sequence[str]) -> str:
    """Return the colour of an arrow: that of the first relation that is not program order."""
    return COLOURS.get(next((n for n in related if n != "po"), "po"), OTHER)


# ---------------------------------------------------------------- DOT


def dot(explanation: Explanation, show: Sequence[str] = DEFAULT) -> str:
    """Return an execution in the language of Graphviz."""
    execution = explanation.execution
    assert execution is not None
    graph, names = execution.graph, Names(execution.graph)
    out = [f"digraph {_quoted(explanation.test.name)} {{", f"  label={_quoted(_title(explanation))};",
           "  labelloc=t; compound=true; splines=true;", '  node [shape=box, fontname="sans-serif"];']  # fmt: skip
    out += [f"  e{e.index} [label={_quoted(names.text(e, execution))}];" for e in _above(execution)]
    out += _clusters(execution, names, range(len(graph.threads)), 0, "  ")
    for a, b, related in _edges(execution, show):
        colour = _colour(related)
        label = ",".join(n for n in related if n != "po")
        weight = ", weight=10" if "po" in related else ", constraint=false"
        out.append(f'  e{a} -> e{b} [label={_quoted(label)}, color="{colour}", fontcolor="{colour}"{weight}];')
    return "\n".join([*out, "}", ""])


def _clusters(
    execution: Execution, names: Names, threads: Sequence[int], depth: int, indent: str
) -> Iterator[str]:
    """Yield the frames of scope instances, each in that around it, and the threads in them."""
    if depth == len(LEVELS):
        for thread in threads:
            yield f"{indent}subgraph cluster_thread{thread} {{ label={_quoted(execution.graph.threads[thread])};"
            for e in _column(execution, thread):
                label = f"{names.of[e.index]}: {names.text(e, execution)}"
                yield f"{indent}  e{e.index} [label={_quoted(label)}];"
            yield f"{indent}}}"
        return
    for number, group in groupby(threads, lambda t: _instance(execution, t, depth)):
        inside = list(group)
        label = f"{LEVELS[depth]} {number}"
        yield f"{indent}subgraph cluster_{LEVELS[depth]}_{inside[0]} {{ label={_quoted(label)}; style=dotted;"
        yield from _clusters(execution, names, inside, depth + 1, indent + "  ")
        yield f"{indent}}}"


def _instance(execution: Execution, thread: int, depth: int) -> int:
    number = getattr(execution.graph.placements[thread], LEVELS[depth])
    assert isinstance(number, int)
    return number


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


# ---------------------------------------------------------------- SVG


def svg(explanation: Explanation, show: Sequence[str] = DEFAULT) -> str:
    """Return an execution as an SVG document."""
    execution = explanation.execution
    assert execution is not None
    names = Names(execution.graph)
    places = dict(_places(execution))
    threads = len(execution.graph.threads)
    width = 2 * MARGIN + 2 * FRAME * len(LEVELS) + max(threads, len(_above(execution)), 1) * (WIDTH + GAP) - GAP
    bottom = max((y for _, y in places.values()), default=TOP) + 24 + FRAME * len(LEVELS)
    legend = [name for name in show if pairs(execution, name)]
    body = [*_frames(execution, places, bottom), *_boxes(execution, names, places)]
    for number, (a, b, related) in enumerate(_edges(execution, show)):
        body.append(_arrow(places[a], places[b], related, number))
    body += [
        f'<text x="{MARGIN + i * 80}" y="{bottom + 24}" fill="{COLOURS.get(name, OTHER)}">{escape(name)}</text>'
        for i, name in enumerate(legend)
    ]
    markers = "".join(
        f'<marker id="m{i}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0,0 L8,4 L0,8 z" fill="{colour}"/></marker>'
        for i, colour in enumerate((*COLOURS.values(), OTHER))
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bottom + 44}" '
        f'viewBox="0 0 {width} {bottom + 44}" font-family="sans-serif" font-size="12">'
    )
    title = f"<title>{escape(_title(explanation))}</title>"
    heading = f'<text x="{MARGIN}" y="{TOP - 10}" font-weight="bold">{escape(_title(explanation))}</text>'
    ground = '<rect width="100%" height="100%" fill="white"/>'
    return "\n".join([head, title, f"<defs>{markers}</defs>", ground, heading, *body, "</svg>", ""])


def _places(execution: Execution) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield where each event stands: the upper left corner of its box."""
    left = MARGIN + FRAME * len(LEVELS)
    for number, e in enumerate(_above(execution)):
        yield e.index, (left + number * (WIDTH + GAP), TOP)
    top = TOP + ROW + FRAME * (len(LEVELS) + 1)
    for thread in range(len(execution.graph.threads)):
        for row, e in enumerate(_column(execution, thread)):
            yield e.index, (left + thread * (WIDTH + GAP), top + row * ROW)


def _frames(execution: Execution, places: dict[int, tuple[int, int]], bottom: int) -> Iterator[str]:
    """Yield the frame of each scope instance of neighbouring threads, the widest first, and the threads' names."""
    left, top = MARGIN + FRAME * len(LEVELS), TOP + ROW + FRAME * (len(LEVELS) + 1)
    groups = [list(range(len(execution.graph.threads)))]
    for depth, level in enumerate(LEVELS):
        split = [
            (number, list(inside))
            for group in groups
            for number, inside in groupby(group, lambda t: _instance(execution, t, depth))  # noqa: B023
        ]
        out = FRAME * (len(LEVELS) - depth)
        for number, inside in split:
            x, y = left + inside[0] * (WIDTH + GAP) - out, top - out - FRAME
            wide = (len(inside) - 1) * (WIDTH + GAP) + WIDTH + 2 * out
            yield (
                f'<rect x="{x}" y="{y}" width="{wide}" height="{bottom - depth * 10 - y}" rx="6" '
                f'fill="none" stroke="#a0a0a0" stroke-dasharray="3 3"/>'
            )
            yield f'<text x="{x + 6}" y="{y + 13}" fill="#808080" font-size="10">{level} {number}</text>'
        groups = [inside for _, inside in split]
    for thread, name in enumerate(execution.graph.threads):
        yield f'<text x="{left + thread * (WIDTH + GAP)}" y="{top - 5}" font-weight="bold">{escape(name)}</text>'


def _boxes(execution: Execution, names: Names, places: dict[int, tuple[int, int]]) -> Iterator[str]:
    for index, (x, y) in places.items():
        event = execution.graph.events[index]
        label = "" if event.kind is Kind.INIT else f"{names.of[index]}: "
        text = label + names.text(event, execution)
        fit = f' textLength="{WIDTH - 12}" lengthAdjust="spacingAndGlyphs"' if len(text) > 32 else ""
        yield f'<rect x="{x}" y="{y}" width="{WIDTH}" height="24" rx="4" fill="#f6f6f6" stroke="#404040"/>'
        yield f'<text x="{x + 6}" y="{y + 16}"{fit}>{escape(text)}</text>'


def _arrow(start: tuple[int, int], end: tuple[int, int], related: Sequence[str], number: int) -> str:
    """Return a curved arrow between two boxes with its label."""
    colour = _colour(related)
    marker = [*COLOURS.values(), OTHER].index(colour)
    (x1, y1), (x2, y2) = start, end
    if x1 == x2:
        side = WIDTH if y1 < y2 else 0
        bend = 0 if related[0] == "po" and len(related) == 1 else (24 + 9 * (number % 4)) * (1 if side else -1)
        ax, ay, bx, by = (x1 + WIDTH // 2, y1 + 24, x2 + WIDTH // 2, y2) if not bend else (
            x1 + side, y1 + 12, x2 + side, y2 + 12)  # fmt: skip
        mx, my = (ax + bx) // 2 + bend, (ay + by) // 2
    else:
        right = x1 < x2
        ax, ay = x1 + (WIDTH if right else 0), y1 + 12
        bx, by = x2 + (0 if right else WIDTH), y2 + 12
        mx, my = (ax + bx) // 2, (ay + by) // 2 - 10 + 8 * (number % 3)
    label = escape(",".join(n for n in related if n != "po"))
    path = (
        f'<path d="M{ax},{ay} Q{mx},{my} {bx},{by}" fill="none" stroke="{colour}" marker-end="url(#m{marker})"/>'
    )
    lx, ly = (ax + 2 * mx + bx) // 4 + 3, (ay + 2 * my + by) // 4 - 3
    return path + (f'<text x="{lx}" y="{ly}" fill="{colour}" font-size="11">{label}</text>' if label else "")
