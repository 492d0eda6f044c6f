"""A folder of static files in a headless Chromium: a server, a browser, and what is wrong with pages.

What goes in: a folder, and a Chromium, as CHROMIUM or where it is found. What comes out: pages, and everything that
went wrong on them: errors, what is not there, what comes from elsewhere, what axe-core calls serious. The server sends
the headers that the folder's file `_headers` asks for. Invariant: it listens on this machine alone.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from axmem.front.typing import override
from tests.paths import ROOT

AXE = ROOT / "playground" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = ("serious", "critical")
CONTRAST = ("color-contrast",)
ALL: dict[str, Any] = {}
"""What axe-core is asked: all that it knows, the contrast of colours alone, or all but that, which takes longest."""
COLOURS = {"runOnly": {"type": "rule", "values": CONTRAST}}
FORM = {"rules": {rule: {"enabled": False} for rule in CONTRAST}}
RUN = "asked => axe.run({ resultTypes: ['violations'], ...asked })"
LINES = 300
SHORTENED = """
lines => [...document.querySelectorAll("tr, li, p, pre")].slice(lines).forEach((each) => each.remove())
"""
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""
QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
PATIENCE = 240_000
"""Milliseconds after which a page that does not answer fails its test: no measure of speed."""


class Handler(SimpleHTTPRequestHandler):
    """Files of a folder, with the headers that the folder asks for."""

    extensions_map = {  # noqa: RUF012 -- as the library declares it
        **SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".mjs": "text/javascript",
    }  # fmt: skip

    @override
    def end_headers(self) -> None:
        headers = Path(self.directory) / "_headers"
        for line in headers.read_text(encoding="utf-8").splitlines()[1:] if headers.is_file() else ():
            name, _, value = line.strip().partition(": ")
            self.send_header(name, value)
        super().end_headers()

    @override
    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: str) -> Iterator[str]:
    """Serve a folder; provide the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        thread.join()


@contextmanager
def chromium() -> Iterator[Any]:
    """Provide a browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        try:
            yield browser
        finally:
            browser.close()


def watched(page: Any, wrong: list[str], address: str) -> Any:
    """Note what goes wrong on a page: errors, what is not there, and what comes from elsewhere."""
    page.set_default_timeout(PATIENCE)
    page.on("console", lambda said: wrong.append(f"console: {said.text}") if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("response", lambda found: wrong.append(f"{found.status} {found.url}") if found.status >= 400 else None)

    def asked(sent: Any) -> None:
        if not sent.url.startswith((address, "data:", "blob:")):
            wrong.append(f"elsewhere: {sent.url}")

    page.on("request", asked)
    return page


def violations(page: Any, asked: Mapping[str, Any] = ALL) -> list[str]:
    """Return what axe-core calls serious or critical on a page, with up to three places of each.

    The lines of a long page are alike: so many of them are looked at, and the others are taken out.
    """
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    page.evaluate(SHORTENED, LINES)
    found = page.evaluate(RUN, asked)
    return [
        f"{each['id']}: {node['target']}: {node['failureSummary'][:300]}"
        for each in found["violations"] if each["impact"] in SERIOUS for node in each["nodes"][:3]
    ]  # fmt: skip
