"""The options that say which programs are searched: those of `axmem diff` and of `axmem refine`.

What goes in: a parser, and later the options. What comes out: a group of options, and the `WantedBound` that they say.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from axmem.front.options import positive

if TYPE_CHECKING:
    from axmem.refinement.bounded.constructs import WantedBound

LISTS = {
    "constructs": "of fences,rmw,unordered,scopes,placements,tags,av,volatile, or none (default: {everything})",
    "orderings": "LLVM's words, not_atomic for plain accesses",
    "scopes": "such as workgroup,agent",
    "tags": "MMRA tags that operations may carry, p:s,… or none",
    "placements": "levels at which threads may be together: agent,…, or none",
}
NUMBERS = {"threads": "T", "locations": "L"}


def add_space(bound: argparse._ArgumentGroup, everything: str, **defaults: int) -> None:
    """Add the options; `defaults` are those of the numbers, if there are any, `everything` is what is not given."""
    for name, metavar in NUMBERS.items():
        said = f" (default: {defaults[name]})" if defaults else ""
        bound.add_argument(
            f"--{name}", type=positive, default=defaults.get(name), metavar=metavar, help=f"{name} at most{said}"
        )
    for name, text in LISTS.items():
        bound.add_argument(f"--{name}", metavar="LIST", help=text.format(everything=everything))


def space_given(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of the space that the user gave."""
    return {name: value for name in (*NUMBERS, *LISTS) if (value := getattr(options, name)) is not None}


def wanted(options: argparse.Namespace) -> WantedBound:
    """Return what the options say; 0 for numbers that are not given. Raises InputError."""
    from axmem.refinement.bounded import words
    from axmem.refinement.bounded.constructs import WantedBound

    said = space_given(options)
    lists = words.lists(**{name: said[name] for name in LISTS if name in said})
    return WantedBound(events=0, threads=options.threads or 0, locations=options.locations or 0, **lists)
