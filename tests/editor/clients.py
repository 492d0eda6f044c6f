"""A real client of `axmem lsp`, over the standard streams of a process of its own: that of pytest-lsp.

What goes in: documents by name, which may exist as files, too. What comes out: the server's answers. The client checks
by itself that what it receives is what the protocol says.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.paths import PATIENCE, ROOT

A = TypeVar("A")


class Editor:
    """A client with a loop of its own, whose calls wait for their answers."""

    def __init__(self, folder: Path, *options: str, command: Sequence[str] = ()) -> None:
        self.folder = folder
        self.loop = asyncio.new_event_loop()
        line = [*(command or (sys.executable, "-m", "axmem")), "lsp", *options]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        client = self.do(ClientServerConfig(server_command=line, server_env=environment).start())
        assert isinstance(client, LanguageClient)
        self.client = client
        self.versions: dict[str, int] = {}
        self.refreshed = 0

    def do(self, what: Awaitable[A]) -> A:
        """Wait for something."""

        async def patient() -> A:
            return await asyncio.wait_for(what, PATIENCE)

        return self.loop.run_until_complete(patient())

    def begin(self, *encodings: str) -> types.InitializeResult:
        """Initialize the server as VS Code does."""

        def refresh(*_: object) -> None:
            self.refreshed += 1

        self.client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)(refresh)
        capabilities = client_capabilities("visual-studio-code")
        assert capabilities.workspace is not None
        capabilities.workspace.inlay_hint = types.InlayHintWorkspaceClientCapabilities(refresh_support=True)
        if encodings:
            capabilities.general = types.GeneralClientCapabilities(position_encodings=[*encodings])
        params = types.InitializeParams(capabilities, root_uri=self.folder.as_uri(), process_id=os.getpid())
        return self.do(self.client.initialize_session(params))

    def uri(self, name: str) -> str:
        """Return the address of a document."""
        return name if ":" in name else (self.folder / name).as_uri()

    def at(self, name: str) -> types.TextDocumentIdentifier:
        """Return what names a document in a request."""
        return types.TextDocumentIdentifier(self.uri(name))

    def open(self, name: str, text: str) -> None:
        """Open a document."""
        self.versions[name] = 1
        self.client.diagnostics.pop(self.uri(name), None)
        item = types.TextDocumentItem(self.uri(name), "axmem", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, name: str, text: str) -> None:
        """Replace the text of a document; what is said of it from then on is of the new text, or of a newer one."""
        self.versions[name] += 1
        named = types.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name))
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(named, [change]))

    def close(self, name: str) -> None:
        """Close a document, of which nothing is wrong then."""
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.at(name)))
        self.until(lambda: not self.client.diagnostics.get(self.uri(name), ["unknown"]))

    def until(self, holds: Callable[[], Any]) -> None:
        """Wait until something holds, which messages of the server bring about."""

        async def wait() -> None:
            while not holds():
                await asyncio.sleep(0.01)

        self.do(wait())

    def problems(self, name: str, wrong: bool | None = None) -> list[types.Diagnostic]:
        """Return what the server says of a document, once it says that something or nothing is wrong, or anything."""
        uri, found = self.uri(name), self.client.diagnostics
        self.until(lambda: uri in found and wrong in (None, bool(found[uri])))
        return list(found[uri])

    def end(self) -> int:
        """Leave as the protocol asks; return the server's exit code."""
        self.do(self.client.shutdown_session())
        return self.code()

    def code(self) -> int:
        """Return the exit code of the server, once it has ended."""
        process = self.client._server
        assert process is not None
        return self.do(process.wait())

    def drop(self) -> None:
        """End the server, if it is there, and the loop."""
        process = self.client._server
        if process is not None and process.returncode is None:
            process.kill()
            self.code()
        self.client._stop_event.set()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()


def position_of(text: str, word: str, *, after: int = 0, inside: int = 0) -> types.Position:
    """Return the position of a word of a text, as editors count: in UTF-16 units."""
    index = text.index(word, after) + inside
    line = text.count("\n", 0, index)
    before = text[text.rfind("\n", 0, index) + 1 : index]
    return types.Position(line, len(before.encode("utf-16-le")) // 2)
