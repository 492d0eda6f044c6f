"""The built page in a headless Chromium: a server that sends the headers of `_headers`, and a browser.

What goes in: the folder that `make playground` wrote, as AXMEM_PAGE, and a Chromium, as CHROMIUM or where it is found.
What comes out: a page, and everything that went wrong on it. Invariant: the server listens on this machine alone.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from axmem.front.typing import override

FOLDER = os.environ.get("AXMEM_PAGE", "")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""
QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
PATIENCE = 40_000
"""Milliseconds after which a page that does not answer fails its test: no measure of speed."""
SHOW = """
hash => {
  document.body.dataset.state = "busy";
  if (location.hash === hash) dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = hash;
}
"""


class Handler(SimpleHTTPRequestHandler):
    """Files of a folder, with the headers that the folder asks for."""

    extensions_map = {  # noqa: RUF012 -- as the library declares it
        **SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".mjs": "text/javascript",
    }  # fmt: skip

    @override
    def end_headers(self) -> None:
        for line in (Path(self.directory) / "_headers").read_text(encoding="utf-8").splitlines()[1:]:
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


def shown(page: Any, fragment: str) -> None:
    """Let a page that is loaded show a link, and wait until it has answered."""
    page.evaluate(SHOW, fragment)
    answered(page)


def answered(page: Any) -> None:
    """Wait until the page has answered what it shows."""
    page.wait_for_selector("body[data-state=idle]", state="attached")


def put(page: Any, text: str) -> None:
    """Put a text into the first editor, as a reader would, by replacing what is there, and wait for the answer."""
    page.click("#panel-text .cm-content")
    page.keyboard.press("Control+A")
    page.evaluate("() => { document.body.dataset.state = 'busy'; }")
    page.keyboard.insert_text(text)
    answered(page)
