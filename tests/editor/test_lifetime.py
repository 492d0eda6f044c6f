"""How `axmem lsp` begins and ends, and what it does with what is no good: with one server each, or with none."""

from __future__ import annotations

import asyncio
import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from axmem.cli import main
from axmem.front import extras
from axmem.front.typing import override
from tests.editor.clients import Editor, position_of
from tests.editor.test_server import MP, hinted
from tests.paths import PATIENCE, ROOT

STEP = "  store atomic {0}{1}, x monotonic\n  r{1} = load atomic x monotonic\n"
THREADS = [f"thread P{n} {{\n{''.join(STEP.format(n + 1, i) for i in range(8))}}}\n" for n in range(8)]
SLOW = f"litmus slow\nglobal x = 0\n{''.join(THREADS)}exists (P0:r0=1)\nexpect llvm sometimes\n"
"""A test that nobody answers within a test's time."""


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    found = Editor(tmp_path, "--timeout", "100000")
    yield found
    found.drop()


def test_what_is_computed_ends_with_its_text_its_request_and_its_editor(editor: Editor) -> None:
    """One server: rapid edits, files that are gone or no text, megabytes, a cancelled request, a dead editor."""
    begun = editor.begin(types.PositionEncodingKind.Utf8, types.PositionEncodingKind.Utf16)
    assert begun.capabilities.position_encoding == types.PositionEncodingKind.Utf16
    editor.open("slow.litmus", SLOW)
    asked = types.InlayHintParams(editor.at("slow.litmus"), types.Range(types.Position(0, 0), types.Position(1, 0)))
    editor.do(edited(editor, asked))
    assert hinted(editor, "slow.litmus", MP)[0][1] == "llvm: never"
    assert editor.problems("slow.litmus", False) == []
    files_that_are_no_good(editor)
    editor.change("slow.litmus", SLOW)
    editor.do(cancelled(editor, asked))
    editor.do(left(editor, asked))
    process = editor.client._server
    assert process is not None and process.returncode == 1


async def edited(editor: Editor, asked: types.InlayHintParams) -> None:
    """Ask for outcomes, ask something else meanwhile, and edit the test before they are found."""
    waiting = asyncio.ensure_future(editor.client.text_document_inlay_hint_async(asked))
    hover = types.HoverParams(editor.at("slow.litmus"), position_of(SLOW, "monotonic"))
    assert await editor.client.text_document_hover_async(hover) is not None and not waiting.done()
    for number in range(20):
        editor.change("slow.litmus", SLOW.replace("store atomic 10,", f"store atomic {number},"))
    editor.change("slow.litmus", MP)
    assert [*(await waiting or ())] == []


async def cancelled(editor: Editor, asked: types.InlayHintParams) -> None:
    """Ask for outcomes, and cancel the request."""
    send = editor.client.protocol.send_request_async
    waiting = asyncio.ensure_future(send(types.TEXT_DOCUMENT_INLAY_HINT, asked, msg_id="slow"))
    await asyncio.sleep(0)
    editor.client.cancel_request(types.CancelParams("slow"))
    with pytest.raises(JsonRpcException, match="cancel"):
        await waiting


async def left(editor: Editor, asked: types.InlayHintParams) -> None:
    """Ask for outcomes, and leave without a word as soon as a process looks for them."""
    process = editor.client._server
    assert process is not None and process.stdin is not None
    waiting = asyncio.ensure_future(editor.client.text_document_inlay_hint_async(asked))
    while not children(process.pid):
        await asyncio.sleep(0.01)
    known = children(process.pid)
    process.stdin.close()
    await process.wait()
    while any(Path("/proc", child).exists() for child in known):
        await asyncio.sleep(0.01)
    waiting.cancel()


def files_that_are_no_good(editor: Editor) -> None:
    """Open documents without files, files that are no text, megabytes."""
    editor.open("gone.litmus", MP)
    assert editor.problems("gone.litmus") == []
    editor.close("gone.litmus")
    (editor.folder / "latin.litmus").write_bytes("litmus ä\n".encode("latin-1"))
    for name in ("gone.litmus", "latin.litmus", "untitled:Untitled-1"):
        asked = types.HoverParams(editor.at(name), types.Position(0, 0))
        assert editor.do(editor.client.text_document_hover_async(asked)) is None
    (editor.folder / "latin.cat").write_bytes("(* ä *)\n".encode("latin-1"))
    editor.open("i.cat", '"i"\ninclude "latin.cat"\n')
    assert editor.problems("i.cat", True)[0].range.start.line == 1
    editor.open("huge.litmus", MP + "; padding\n" * 100_000)
    assert editor.problems("huge.litmus") == []


def children(pid: int) -> list[str]:
    """Return the processes that a process has begun."""
    found = [path.read_text(encoding="ascii").split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return [child for some in found for child in some]


# ---------------------------------------------------------------- without a server


def test_rubbish_is_passed_and_an_exit_without_a_shutdown_is_said_by_the_code(tmp_path: Path) -> None:
    body = '{"jsonrpc":"2.0","method":"exit"}'
    command = [sys.executable, "-m", "axmem", "lsp"]
    sent = f"Content-Length: 3\r\n\r\n{{x}}Content-Length: {len(body)}\r\n\r\n{body}".encode()
    done = subprocess.run(
        command, input=sent, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, timeout=PATIENCE,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, b""), done.stderr


def test_without_the_extra_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(extras, "import_module", missing)
    assert main(["lsp"]) == 2
    assert capsys.readouterr().err == "lsp: error: this needs pygls\n  hint: pip install 'axmem[lsp]'\n"


def test_a_terminal_is_no_editor(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Terminal(io.StringIO):
        @override
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    assert main(["lsp"]) == 2
    assert "an editor starts this command" in capsys.readouterr().err
