"""How pictures look: colours, line styles and fonts of all of them, on a light ground, a dark one, and paper.

What goes in: names of relations. What comes out: their styles and a style sheet. Invariants: two relations that
pictures have names for differ in their line style, so that no colour is needed to tell them apart; no colour stands
outside this module; the style sheet has no variables, which some programs that draw SVG do not know.
"""

from __future__ import annotations

from collections.abc import Mapping

from axmem.front.records import dataclass


@dataclass(frozen=True, slots=True)
class LineStyle:
    """How a relation is drawn: its colour on a light ground and on a dark one, its dashes, its width in pixels."""

    light: str
    dark: str
    dashes: str = ""
    width: float = 1.5


STYLES = {
    "po": LineStyle("#55595f", "#a9afb8", "", 1.2),
    "rf": LineStyle("#b3361b", "#ff9a7d", "", 1.8),
    "mo": LineStyle("#0b5cad", "#7cb8ff", "8 3"),
    "fr": LineStyle("#8a5a00", "#f0b64a", "2 3"),
    "sw": LineStyle("#6a3d9a", "#cba6f7", "12 3 2 3", 1.8),
    "hb": LineStyle("#00695c", "#5fd3bc", "5 2 1 2 1 2"),
    "av": LineStyle("#00729c", "#62c9ee", "4 4"),
    "vis": LineStyle("#4c7a00", "#a6d854", "9 3 3 3"),
    "lo": LineStyle("#9c2f6d", "#f19ac8", "1 3 6 3"),
}
"""The relations that pictures have names for."""
OTHER = (
    LineStyle("#7a4a21", "#d9b08c", "6 6"),
    LineStyle("#3d5a80", "#a3bcd9", "3 6"),
    LineStyle("#5f6b00", "#cdd66a", "10 6"),
)
"""Those of other relations, by their names."""
ALARM = LineStyle("#c2003a", "#ff6b91", "", 2.6)
"""What breaks a rule."""
MISSING = LineStyle("#c2003a", "#ff6b91", "6 5", 2.2)
"""What is not there, and would have to be."""

MEANINGS = {
    "po": "program order",
    "rf": "reads from",
    "mo": "modification order",
    "fr": "from reads",
    "sw": "synchronizes with",
    "hb": "happens before",
    "av": "availability",
    "vis": "visibility",
    "lo": "location order",
    "broken": "breaks the rule",
    "missing": "missing link",
}
"""What the names of lines stand for."""
KINDS = {
    "R": "read",
    "W": "write",
    "F": "fence",
    "MA": "make available",
    "MV": "make visible",
    "BAR": "barrier",
    "DMA": "begin of a DMA operation",
    "in": "entry of a DMA operation",
    "wait": "wait for DMA operations",
    "I": "initial write",
    "Fin": "final read",
}
"""What the letters of events stand for."""

FONT = "'DejaVu Sans Mono',Menlo,Consolas,monospace"
CHARACTER = 7.3
"""The width of a character of 12 pixels, at most."""
GROUND, INK, FAINT, EDGE, PANEL = "ground", "ink", "faint", "edge", "panel"

_LIGHT = {GROUND: "#ffffff", INK: "#1c1e21", FAINT: "#5b626b", EDGE: "#6b727c", PANEL: "#f4f5f7"}
_DARK = {GROUND: "#16181c", INK: "#e8eaed", FAINT: "#a4abb5", EDGE: "#8d949e", PANEL: "#22262c"}
TEXTS = {
    "wait": ("#8a4b00", "#f0b64a"),
    "writeback": ("#0b6e4f", "#5fd3a5"),
    "invalidate": ("#a4133c", "#ff8fa8"),
    "barrier": ("#4b3f9e", "#b7adff"),
    "added": ("#0b6e4f", "#5fd3a5"),
    "alarm": (ALARM.light, ALARM.dark),
}
"""Words that are coloured, by their classes; what they are is said in words too."""


def style_of(relation: str) -> LineStyle:
    """Return the style of a relation; one that pictures have no name for has one by its name."""
    return STYLES.get(relation) or OTHER[sum(map(ord, relation)) % len(OTHER)]


def sheet(lines: Mapping[str, LineStyle] | None = None) -> str:
    """Return the style sheet of a picture that has lines of these classes."""
    lines = lines or {}
    return "\n".join(
        [
            f"svg.axmem text {{ font: 12px {FONT}; }}",
            "svg.axmem .title { font-weight: bold; }",
            "svg.axmem .small { font-size: 11px; }",
            "svg.axmem .label { font-size: 11px; font-weight: bold; }",
            "svg.axmem .lines path { fill: none; stroke-linejoin: round; }",
            "svg.axmem .label { paint-order: stroke; stroke-width: 4px; stroke-linejoin: round; }",
            *(f"svg.axmem .{name} path {{ {_line(style)} }}" for name, style in lines.items()),
            *_colours(0, lines),
            f"@media (prefers-color-scheme: dark) {{\n{chr(10).join(_colours(1, lines))}\n}}",
            f"@media print {{\n{chr(10).join(_colours(0, lines))}\n}}",
            "",
        ]
    )


def _line(style: LineStyle) -> str:
    dashes = f" stroke-dasharray: {style.dashes};" if style.dashes else ""
    return f"stroke-width: {style.width}px;{dashes}"


def _colours(ground: int, lines: Mapping[str, LineStyle]) -> list[str]:
    """Return the rules of colours for a light ground (0) or a dark one (1)."""
    own = (_LIGHT, _DARK)[ground]
    rules = [
        f"svg.axmem .ground {{ fill: {own[GROUND]}; }}",
        f"svg.axmem text {{ fill: {own[INK]}; }}",
        f"svg.axmem .faint {{ fill: {own[FAINT]}; }}",
        f"svg.axmem .box {{ fill: {own[GROUND]}; stroke: {own[EDGE]}; }}",
        f"svg.axmem .panel {{ fill: {own[PANEL]}; stroke: {own[EDGE]}; }}",
        f"svg.axmem .frame {{ fill: {own[PANEL]}; fill-opacity: 0.6; stroke: {own[EDGE]}; stroke-dasharray: 5 3; }}",
        f"svg.axmem .label {{ stroke: {own[GROUND]}; }}",
    ]
    blue, red = ("#0b5cad", "#c2003a") if not ground else ("#7cb8ff", "#ff6b91")
    rules += [
        f"svg.axmem .rule {{ stroke: {own[EDGE]}; stroke-opacity: 0.4; }}",
        f"svg.axmem .outline {{ fill: none; stroke: {blue}; }}",
        f"svg.axmem .grouped {{ fill: {blue}; fill-opacity: 0.12; stroke: {blue}; }}",
        f"svg.axmem .marked {{ fill: {red}; fill-opacity: 0.08; stroke: {red}; }}",
    ]
    rules += [f"svg.axmem text.{name} {{ fill: {pair[ground]}; }}" for name, pair in TEXTS.items()]
    for name, style in lines.items():
        shade = style.dark if ground else style.light
        rules.append(f"svg.axmem .{name} path {{ stroke: {shade}; }}")
        rules.append(f"svg.axmem .{name} text, svg.axmem .{name}-head {{ fill: {shade}; }}")
    return rules
