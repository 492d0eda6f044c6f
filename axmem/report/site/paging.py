"""Lists of which a page holds only a part, and the links from page to page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from axmem.report.site.addresses import root_of
from axmem.report.tree import Block, Line, Link, Paragraph, listed

Item = TypeVar("Item")


def paged(
    items: Sequence[Item], most: int, address: Callable[[int], str]
) -> Iterator[tuple[int, Sequence[Item], tuple[Block, ...]]]:
    """Yield the pages, at least one: the number from 1 on, its items, `most` at most, and links to all pages.

    `address` gives a page's address by its number. One page alone has no links.
    """
    number = max(1, -(-len(items) // most))
    for page in range(1, number + 1):
        root = root_of(address(page))
        ways: list[Line] = [(Link(str(n), root + address(n)),) if n != page else str(n) for n in range(1, number + 1)]
        links = (Paragraph(("Pages: ", *listed(ways, " "))),) if number > 1 else ()
        yield page, items[(page - 1) * most : page * most], links
