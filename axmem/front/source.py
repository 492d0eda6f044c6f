"""Source text, places in it, and diagnostics about it.

What goes in: the text of a litmus test or of a model. What comes out: `Span`s that name places in the text and
`InputError`, the one exception that a user's mistake raises. Every message has the shape
`file:line:col: error: message`, the line, a caret, and, where there is one, a hint.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from axmem.front.records import dataclass
from axmem.front.typing import override


@dataclass(frozen=True, slots=True)
class Source:
    """A named text; `name` is what messages show (a path, `<stdin>`, or a made-up name)."""

    name: str
    text: str

    def text_at(self, span: Span) -> str:
        """Return what stands at a place."""
        return self.line(span.line)[span.column - 1 :][: span.length]

    def line(self, number: int) -> str:
        """Return line `number` (1-based) without its end, or the empty string past the end."""
        lines = _lines(self.text)
        return lines[number - 1].rstrip("\r") if 1 <= number <= len(lines) else ""


@lru_cache(maxsize=4)
def _lines(text: str) -> list[str]:
    """Return the lines of a text, which are kept while messages about it are printed."""
    return text.split("\n")


class Span(NamedTuple):
    """A place in a text: 1-based line and column of its first character, and its length in characters."""

    line: int
    column: int
    length: int = 1


NOWHERE = Span(0, 0, 0)
"""The span of what no text stands behind (built by a program rather than parsed)."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message about one place: `severity` is `error` or `warning`."""

    source: Source
    span: Span
    message: str
    hint: str = ""
    severity: str = "error"

    @override
    def __str__(self) -> str:
        """Render the message with its line and a caret under the place; one about no line, or no file, names none."""
        place = f"{self.source.name}:{self.span.line}:{self.span.column}" if self.span.line else self.source.name
        head = ": ".join(filter(None, (place, self.severity, self.message)))
        line = self.source.line(self.span.line)
        parts = [head]
        if line.strip():
            pad = "".join("\t" if c == "\t" else " " for c in line[: self.span.column - 1])
            width = max(1, min(self.span.length, len(line) - self.span.column + 1))
            parts += [f"  {line}", f"  {pad}^{'~' * (width - 1)}"]
        if self.hint:
            parts.append(f"  hint: {self.hint}")
        return "\n".join(parts)


ENOUGH = 100
"""A text with more errors than this is not worth reading to its end: it is probably something else."""


def first_errors(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics in the order of the text, each once; of too many the first, and one that says so."""
    found = sorted(dict.fromkeys(diagnostics), key=lambda d: (d.span.line, d.span.column))
    if len(found) <= ENOUGH:
        return found
    last = f"there are more than {ENOUGH} errors; the others are not shown"
    return [*found[:ENOUGH], Diagnostic(found[0].source, NOWHERE, last)]


class InputError(Exception):
    """A user's mistake: one or more located diagnostics, in the order of the text. Exit code 2."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(d) for d in self.diagnostics))

    @override
    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Diagnostic, ...]]]:
        """Pickle by the diagnostics, so that a worker process can send the error back."""
        return (InputError, (self.diagnostics,))


class OutputError(InputError):
    """What the system refuses of a command's output; it is no matter of one part of the command, and ends it."""


def mistake(name: str, message: str, hint: str = "", *, text: str | None = None) -> InputError:
    """Return the error that an option, a file or a command is as a whole; one that has a `text` is shown under it."""
    span = NOWHERE if text is None else Span(1, 1, max(1, len(text)))
    return InputError([Diagnostic(Source(name, text or ""), span, message, hint)])


def did_you_mean(word: str, known: Iterable[str], alike: float = 0.6) -> str:
    """Return the hint `did you mean 'release'?` for the nearest known word, or the empty string."""
    near = nearest(word, known, alike)
    return f"did you mean '{near}'?" if near else ""


def nearest(word: str, known: Iterable[str], alike: float = 0.6) -> str:
    """Return the nearest known word, or the empty string; `alike` is the least part of their letters in common."""
    import difflib  # noqa: PLC0415 -- seldom needed

    return next(iter(difflib.get_close_matches(word, list(known), n=1, cutoff=alike)), "")
