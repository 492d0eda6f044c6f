"""LLVM's own opinion of a module, where LLVM is there.

What goes in: the text of a module. What comes out: what LLVM's parser and verifier say of it, at its place; nothing if
they accept it, or if there is no LLVM (llvmlite, or else `opt`) that is new enough, which is said once with `-v`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from functools import cache, partial
from itertools import count

from axmem.front.notes import remark
from axmem.front.records import replace
from axmem.front.source import NOWHERE, Diagnostic, Source, Span

OLDEST, NEWEST = 20, 29
"""The first version of LLVM whose parser knows what is written today, and the last that is looked for."""
MOST = 20
"""How often opt is started in a process at most."""
_STARTED = count()
_UNCHECKED = "LLVM's parser has not checked what is read here"
NEWER = {"elementwise": 23}
"""Words of IR, and the version of LLVM that brought each."""
_VERSION = "Debug Info Version"
_DEBUGGING = re.compile(r"(?:, )?!dbg ![0-9]+|^!llvm\.dbg\.cu[^\n]*", re.MULTILINE)
"""What names debug info: of a module that does not say its version LLVM would write a warning, and leave it out."""
_HEAD = re.compile(r'^(?:source_filename|target (?:datalayout|triple)) = "[^"]*"', re.MULTILINE)
"""What LLVM wants above all else, where people write their own variables above a module that clang wrote."""
_ERROR = re.compile(r"<string>:(\d+):(\d+): error: (.*)")
_WORD = re.compile(rf"\b(?:{'|'.join(NEWER)})\b")


def complaints(source: Source) -> list[Diagnostic]:
    """Return what LLVM refuses of a module."""
    version, parse = _parser()
    if parse is None:
        remark(f"{_UNCHECKED}: there is no llvmlite (pip install 'axmem[llvm]'), and no opt")
        return []
    if isinstance(parse, partial) and next(_STARTED) >= MOST:
        remark(f"{_UNCHECKED} behind the first {MOST} modules: that would start opt as often")
        return []
    needed = max((NEWER[word] for word in _WORD.findall(source.text)), default=OLDEST)
    if version < needed:
        remark(f"{_UNCHECKED}: LLVM {version} is older than its words")
        return []
    text = source.text if _VERSION in source.text else _blank(_DEBUGGING, source.text)
    head = " ".join(_HEAD.findall(text))
    text = f"{head} {_blank(_HEAD, text)}" if head else text
    refusal = _refusal(parse, text)
    if refusal and not text.isascii():
        # LLVM counts the bytes of a line, and may show a part of a character.
        refusal = _refusal(parse, text.encode("ascii", "replace").decode()) or refusal
    if not refusal:
        return []
    found = located(source, refusal)
    if head and found.span.line == 1:
        found = replace(found, span=found.span._replace(column=max(1, found.span.column - len(head) - 1)))
    return [found]


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """Return a text with blanks where a pattern matches."""
    return pattern.sub(lambda found: " " * len(found[0]), text)


@cache
def _parser() -> tuple[int, Callable[[str], str] | None]:
    """Return the version of the LLVM that is there, and what says what it has against a text."""
    try:
        from llvmlite import binding  # noqa: PLC0415
    except ImportError:
        for version in range(NEWEST, OLDEST - 1, -1):
            if found := shutil.which(f"opt-{version}"):
                return version, partial(_refused_by, found)
        return 0, None

    def refused(text: str) -> str:
        try:
            binding.parse_assembly(text).verify()
        except RuntimeError as reason:
            return str(reason)
        return ""

    return binding.llvm_version_info[0], refused


def _refused_by(opt: str, text: str) -> str:
    """Return what opt says against a module, empty if it accepts it."""
    import subprocess  # noqa: PLC0415 -- no browser has it

    command = [opt, "-passes=verify", "-disable-output", "-"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    said = done.stderr.decode("utf-8", "replace").removeprefix(f"{opt}: ")
    said = said.replace("<stdin>:", "<string>:") if done.returncode else ""
    return re.sub(r"^.*: error: input module is broken!\n", "", said, flags=re.MULTILINE)


def _refusal(parse: Callable[[str], str], text: str) -> str:
    """Return what LLVM says against a module, empty if it accepts it."""
    try:
        return parse(text)
    except UnicodeDecodeError as reason:
        return str(reason)


def located(source: Source, text: str) -> Diagnostic:
    """Return a message of LLVM at the place that it names: a line and a column, or what it shows."""
    if found := _ERROR.search(text):
        return Diagnostic(source, Span(int(found[1]), int(found[2])), f"LLVM says: {found[3]}")
    message, *shown = text.strip().split("\n")
    # A type stands before the instruction that it is a part of, two spaces apart.
    for part in filter(None, map(str.strip, "  ".join(shown).split("  "))):
        pattern = _pattern(part)
        for number, each in enumerate(source.text.split("\n"), 1):
            if pattern.match(each.strip()):
                span = Span(number, len(each) - len(each.lstrip()) + 1, len(each.strip()))
                return Diagnostic(source, span, f"LLVM says: {message}")
    return Diagnostic(source, NOWHERE, f"LLVM says: {message}")


def _pattern(shown: str) -> re.Pattern[str]:
    """Return what the line begins with of which LLVM shows what it holds: a definition by its name, else all of it."""
    if made := re.match(r"([%!@][^\s=]+) = ", shown):
        return re.compile(rf"{re.escape(made[1])} =")
    if named := re.fullmatch(r"ptr (@\S+)", shown):
        return re.compile(rf"(?:define|declare)\b.*{re.escape(named[1])}\s*\(|{re.escape(named[1])} =")
    return re.compile(re.escape(shown))
