"""Pictures as SVG, element by element.

What goes in: names of elements, attributes, what is inside. What comes out: the text of a document. Invariant: texts
and attributes are escaped here and nowhere else, and a length that is no whole number has one digit of its fraction.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

Attribute: TypeAlias = str | float | None
"""The value of an attribute; one that is None is left out."""


def element(name: str, /, *inside: str, **attributes: Attribute) -> str:
    """Return an element around others. `_` in the name of an attribute stands for `-`, one at its end for nothing."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_written(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}>{''.join(inside)}</{name}>" if inside else f"<{name}{given}/>"


def _written(value: str | float) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def text(
    content: str, *inside: str, x: float, y: float, class_: str | None = None, spaced: bool = False, **more: Attribute
) -> str:
    """Return a line of text, with its spaces kept if it is `spaced`."""
    kept = {"xml:space": "preserve"} if spaced else {}
    return element("text", escape(content), *inside, class_=class_ or None, x=x, y=y, **kept, **more)


def tooltip(content: str) -> tuple[str, ...]:
    """Return what an element says of itself where a pointer rests on it: nothing if there is nothing to say."""
    return (element("title", escape(content)),) if content else ()


def document(
    parts: Iterable[str], *, width: float, height: float, style: str, title: str = "", description: str = ""
) -> str:
    """Return a document of so many pixels on a ground; what it shows is said to those who do not see it.

    Without a `style` it is for a page that has the style sheet.
    """
    wide, high = f"{width:.0f}", f"{height:.0f}"
    size = {"width": wide, "height": high, "viewBox": f"0 0 {wide} {high}", "role": "img", "class_": "axmem"}
    ground = element("rect", width="100%", height="100%", class_="ground")
    about = (element("desc", escape(description)),) if description else ()
    styles = (element("style", style),) if style else ()
    lines = [*tooltip(title), *about, *styles, ground, *parts]
    return element("svg", "\n", *(f"{line}\n" for line in lines), xmlns="http://www.w3.org/2000/svg", **size) + "\n"
