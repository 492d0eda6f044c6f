"""The links of a folder of HTML pages, and those that lead nowhere.

What goes in: a folder. What comes out: a line for each link, picture, script or style sheet of a page whose file, or
whose place in a page, does not exist. Links to other hosts are not followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from axmem.front.typing import override

ADDRESSES = {"a": "href", "link": "href", "script": "src", "img": "src", "iframe": "src", "object": "data"}


class Page(HTMLParser):
    """What a page links to, and the places in it that links can name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.places |= {name for key in ("id", "name") if (name := given.get(key))}
        if address := given.get(ADDRESSES.get(tag, "")):
            self.links.append(address)


def dead_links(folder: Path) -> Iterator[str]:
    """Yield each link that leads nowhere, with its page."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        for address in dict.fromkeys(page.links):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            place = unquote(parts.fragment)
            shown = f"{path.relative_to(folder)}: {address}"
            if not target.is_file():
                yield f"{shown}: no such file"
            elif place and target.suffix == ".html" and target in pages and place not in pages[target].places:
                yield f"{shown}: no such place"
