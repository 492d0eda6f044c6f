"""The language server of `axmem lsp`: the protocol (LSP 3.17) on the standard streams, by pygls.

What goes in: requests and notifications of an editor. What comes out: its answers. Nothing is computed here, and the
loop that reads messages never waits: texts are read in one thread, outcomes are found in a process. Invariant: an
answer is of the text as it was asked about, with the unsaved texts of other documents in place of their files.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from axmem.editor import protocol
from axmem.editor.answering import Answering
from axmem.editor.completion import candidates
from axmem.editor.documents import CAT, LITMUS, EditorDocument, document, kind_of, path_of_uri
from axmem.editor.hovers import hover
from axmem.editor.outcomes import OutcomesAsked, TestOutcomes, hints, message, models_beside
from axmem.editor.places import places
from axmem.editor.problems import EditorProblem, in_order, problems, under, variant_values
from axmem.editor.references import definitions, references
from axmem.editor.symbols import symbols
from axmem.formats.canonical import lost_comments, rewritten
from axmem.front.clock import OutOfTime, within
from axmem.front.exits import TRACEBACK
from axmem.front.files import unsaved
from axmem.front.records import dataclass
from axmem.front.source import InputError, Span
from axmem.front.typing import override
from axmem.front.version import __version__

A = TypeVar("A")

RUN = "axmem.run"
"""The command behind the lens of a test."""
PAUSE_SECONDS = 0.15
"""So long after an edit a document is read, so that fast typing is read once."""
READING_SECONDS = 20.0
"""The most time that reading a text takes."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What the command line says: seconds and megabytes for outcomes, whether they are shown without being asked."""

    seconds: float = 5.0
    megabytes: int | None = None
    hints: bool = True


class _Answer:
    """Outcomes that are looked for, or found, and how many requests wait for them."""

    def __init__(self, task: asyncio.Task[TestOutcomes]) -> None:
        self.task = task
        self.waiting = 0


class _Protocol(LanguageServerProtocol):
    """The protocol with columns in UTF-16, which every editor has, whatever else it offers."""

    @override
    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Begin; another encoding of columns is not offered."""
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))

    @property
    def ended_well(self) -> bool:
        """Whether the editor asked for the end before it came."""
        return bool(self._shutdown)


class Server(LanguageServer):
    """The documents of one editor, and what is being computed about them."""

    protocol: _Protocol

    def __init__(self, settings: ServerSettings) -> None:
        # Whole texts are sent: where lines end is then said in one place, `places`.
        full = types.TextDocumentSyncKind.Full
        super().__init__("axmem", __version__, full, protocol_cls=_Protocol)
        self.settings = settings
        self.answering = Answering(settings.megabytes)
        self.reading = ThreadPoolExecutor(1, "reading")
        self.opened: set[str] = set()
        """The addresses of the open documents."""
        self.checks: dict[str, asyncio.Task[None]] = {}
        self.answers: dict[str, _Answer] = {}

    # ------------------------------------------------------------ documents

    def document(self, uri: str) -> EditorDocument:
        """Return a document as the editor has it, or else its file; one that cannot be read is empty."""
        try:
            return document(uri, self.workspace.get_text_document(uri).source, self.root)
        except (OSError, ValueError):
            return document(uri, "", self.root)

    @property
    def root(self) -> str:
        """The folder of what is in no file."""
        return self.workspace.root_path or os.getcwd()

    def texts(self) -> dict[str, str]:
        """Return the open models by their paths, as their editor has them."""
        found = map(self.document, sorted(self.opened))
        return {each.name: each.text for each in found if each.kind == CAT}

    def address(self, path: str) -> str:
        """Return the address by which the editor knows a file that it has open; empty for others."""
        return next((uri for uri in self.opened if self.document(uri).name == path), "")

    async def read(self, function: Callable[..., A], *arguments: object) -> A | None:
        """Return what a function makes of texts, in the thread that reads; None if it takes too long."""
        texts = self.texts()

        def limited() -> A | None:
            try:
                with unsaved(texts), within(READING_SECONDS):
                    return function(*arguments)
            except OutOfTime:
                return None

        return await asyncio.get_running_loop().run_in_executor(self.reading, limited)

    def changed(self, uri: str) -> None:
        """Read a document again, and the others that may depend on it; end what is computed about them."""
        for other in [*self.opened] if kind_of(path_of_uri(uri) or uri) == CAT else [uri] * (uri in self.opened):
            self.stop(other)
            self.checks[other] = asyncio.ensure_future(self.check(other))

    def stop(self, uri: str) -> None:
        """End what is computed about a document."""
        if (check := self.checks.pop(uri, None)) is not None:
            check.cancel()
        if (answer := self.answers.pop(uri, None)) is not None:
            answer.task.cancel()

    async def check(self, uri: str) -> None:
        """Say what is wrong with a document; an edit cancels this."""
        await asyncio.sleep(PAUSE_SECONDS)
        text, version = self.document(uri), self.workspace.get_text_document(uri).version
        found = await self.read(problems, text, models_beside(text, self.texts()))
        if found is None:
            late = f"this text was not read within {READING_SECONDS:.0f} seconds, and is not checked"
            found = (EditorProblem(places(text.text).range(Span(0, 0, 0)), "warning", late),)
        self.publish(uri, found, version)
        # One reading after the other: what is asked meanwhile is answered between two of them.
        further = [await self.read(under, text, each) or () for each in await self.read(variant_values, text) or ()]
        everything = in_order((*found, *chain.from_iterable(further)))
        if everything != found:
            self.publish(uri, everything, version)

    def publish(self, uri: str, found: Iterable[EditorProblem], version: int | None = None) -> None:
        """Send what is wrong with a document."""
        said = [protocol.diagnostic(each) for each in found]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, said, version))

    # ------------------------------------------------------------ outcomes

    async def outcomes(self, uri: str) -> TestOutcomes | None:
        """Return the outcomes of a document, found once for each state of it; None if it changes before.

        Whoever asks may be cancelled; when nobody waits for outcomes any more, they are not looked for.
        """
        known = self.answers.get(uri) if uri in self.opened else None
        if known is None:
            text, texts = self.document(uri), self.texts()
            models = tuple(models_beside(text, texts).items())
            asked = OutcomesAsked(text, models, tuple(texts.items()), self.settings.seconds)
            known = self.answers[uri] = _Answer(asyncio.ensure_future(self.answering.answer(asked)))
        known.waiting += 1
        try:
            return await asyncio.shield(known.task)
        except asyncio.CancelledError:
            if known.task.cancelled():
                return None
            if known.waiting == 1 and self.answers.get(uri) is known:
                self.answers.pop(uri).task.cancel()
            raise
        finally:
            known.waiting -= 1

    def close(self) -> None:
        """End all that is computed."""
        for uri in [*self.opened]:
            self.stop(uri)
        self.answering.close()
        self.reading.shutdown(wait=False, cancel_futures=True)


def serve(settings: ServerSettings) -> int:
    """Serve the editor at the standard streams until it leaves; return the exit code that the protocol asks for."""
    # Nothing but messages may be printed where the editor reads: what prints otherwise prints to the standard error.
    messages = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if not os.environ.get(TRACEBACK):
        logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
    server = language_server(settings)
    try:
        server.start_io(sys.stdin.buffer, messages)
    finally:
        server.close()
    return 0 if server.protocol.ended_well else 1


def language_server(settings: ServerSettings) -> Server:
    """Return a server with all that it can do."""
    server = Server(settings)
    _documents(server)
    _questions(server)
    _outcomes(server)
    return server


def _documents(server: Server) -> None:
    """Follow the documents of the editor."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.opened.add(params.text_document.uri)
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        if params.text_document.uri in server.opened:
            server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.stop(uri)
        if uri in server.opened:
            server.opened.remove(uri)
            server.publish(uri, ())
            server.changed(uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files(params: types.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            server.changed(change.uri)


def _questions(server: Server) -> None:
    """Answer what the editor asks about texts."""

    async def at(function: Callable[[EditorDocument, int], A], params: Any) -> A | None:
        text = server.document(params.text_document.uri)
        offset = places(text.text).offset(params.position.line, params.position.character)
        return await server.read(function, text, offset)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(params: types.HoverParams) -> types.Hover | None:
        return protocol.hover(server.document(params.text_document.uri), await at(hover, params))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def defined(params: types.DefinitionParams) -> list[types.Location]:
        return protocol.locations(await at(definitions, params), server.address)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def used(params: types.ReferenceParams) -> list[types.Location]:
        find = partial(references, models=tuple(server.texts()), definitions=params.context.include_declaration)
        return protocol.locations(await at(find, params), server.address)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["%", "$", '"']))
    async def completed(params: types.CompletionParams) -> list[types.CompletionItem]:
        return protocol.items(server.document(params.text_document.uri), await at(candidates, params))

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def outlined(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        text = server.document(params.text_document.uri)
        return protocol.outline(text, await server.read(symbols, text))

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def formatted(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        text = server.document(params.text_document.uri)
        printed, refused = (await server.read(_formatted, text)) or ("", "this takes too long")
        if refused:
            server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"not formatted: {refused}"))
            return None
        whole = protocol.range_of(places(text.text).whole)
        return [] if printed == text.text else [types.TextEdit(whole, printed)]


def _formatted(text: EditorDocument) -> tuple[str, str]:
    """Return the canonical text of a test, and why there is none."""
    if text.kind != LITMUS:
        return "", "only litmus tests have a canonical form"
    try:
        if lines := lost_comments(text.text, text.name):
            return "", f"the canonical form keeps no comments, and line {lines[0]} has one"
        return rewritten(text.text, text.name), ""
    except InputError as error:
        return "", f"the test has errors, the first: {error.diagnostics[0].message}"


def _outcomes(server: Server) -> None:
    """Find outcomes, where the editor shows them or asks for them."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        text = server.document(params.text_document.uri)
        return protocol.lenses(text, await server.read(protocol.models_of, text), RUN)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def beside(params: types.InlayHintParams) -> list[types.InlayHint]:
        text = server.document(params.text_document.uri)
        if not server.settings.hints or text.kind != LITMUS:
            return []
        found = await server.outcomes(params.text_document.uri)
        return [] if found is None else protocol.inlays(text, hints(text, found))

    @server.command(RUN)
    async def run(uri: str) -> str | None:
        found = await server.outcomes(uri)
        if found is None:
            return None
        wrong = found.lost or any(e.status != "ok" for each in found.found for e in each.expected)
        kind = types.MessageType.Warning if wrong else types.MessageType.Info
        server.window_show_message(types.ShowMessageParams(kind, message(found)))
        capabilities = server.client_capabilities.workspace
        if capabilities and capabilities.inlay_hint and capabilities.inlay_hint.refresh_support:
            server.workspace_inlay_hint_refresh(None)
        return message(found)
