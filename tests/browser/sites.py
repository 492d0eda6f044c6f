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
WIDTHS = (1300, 390)
"""The widths of a screen, and of a phone, on which no page moves sideways, in pixels."""
SIDEWAYS = """
(asked) => {
  const inside = (each) => {
    for (let e = each; e !== document.documentElement; e = e.parentElement) {
      if (e.scrollWidth > e.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(e).overflowX)) return true;
    }
    return false;
  };
  const tables = [...document.querySelectorAll(asked)].filter(inside).map((each) => each.tagName);
  return [document.documentElement.scrollWidth, tables];
}
"""
"""Returns how wide a page is, and which elements of those that are asked about stand in what moves sideways."""
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""
QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
PATIENCE = 240_000
"""Milliseconds after which a page that does not answer fails its test: no measure of speed."""


class Gate:
    """A download that stops half way until the gate is opened, or breaks off there if it is to."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.breaks = False
        self.asked = 0
        self.reached = threading.Event()
        self.opened = threading.Event()

    def pass_on(self, content: bytes, output: Any) -> None:
        """Write a content to what asks for it."""
        self.asked += 1
        output.write(content[: len(content) // 2])
        output.flush()
        self.reached.set()
        if self.breaks:
            raise ConnectionAbortedError
        self.opened.wait()
        output.write(content[len(content) // 2 :])


class Handler(SimpleHTTPRequestHandler):
    """Files of a folder, with the headers that the folder asks for; one of them may be behind a gate."""

    def __init__(self, *words: Any, gate: Gate | None = None, **more: Any) -> None:
        self.gate = gate
        super().__init__(*words, **more)

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
    def copyfile(self, source: Any, outputfile: Any) -> None:
        try:
            if self.gate is not None and self.gate.name in self.path:
                self.gate.pass_on(source.read(), outputfile)
            else:
                super().copyfile(source, outputfile)
        except ConnectionError:
            # The page has gone, or is to see a download that broke off.
            self.close_connection = True

    @override
    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: str, gate: Gate | None = None) -> Iterator[str]:
    """Serve a folder; provide the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder, gate=gate))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        if gate is not None:
            gate.opened.set()
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
