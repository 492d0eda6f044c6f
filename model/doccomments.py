"""What doc comments say: `(** [Key] "Section": text *)` and the declarations `@variant` and `@default`.

What goes in: the comments before a token. What comes out: a `Doc`, or a `Declaration` or `Default` of the syntax
tree; a comment that begins with `@` and is neither raises `DocError` with the message to show.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from axmem.model.lexer import DocComment
from axmem.model.syntax import Declaration, Default
from axmem.model.terms import Doc

_DOC = re.compile(r'\[([^\[\]]+)\]\s*(?:"([^"]*)")?\s*:?\s*(.*)', re.DOTALL)
_WORD = r"[A-Za-z0-9][A-Za-z0-9_.\-]*"
_VARIANT = re.compile(rf"@variant\s+({_WORD})\s*=\s*([^:]*?)\s*(?::\s*(.*))?", re.DOTALL)
_VALUE = re.compile(rf"(\*?)\s*({_WORD})")
_DEFAULT = re.compile(rf"@default\s+({_WORD})\s*=\s*({_WORD})\s*(?::.*)?", re.DOTALL)


class DocError(Exception):
    """A doc comment that cannot be read: what is wrong, and the hint."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def is_directive(comment: DocComment) -> bool:
    """Tell whether the comment is a declaration rather than documentation."""
    return comment.text.lstrip().startswith("@")


def doc(comments: Sequence[DocComment]) -> Doc:
    """Return what the last comment directly above says; nothing where a blank line or no comment stands there."""
    texts = [c for c in comments if not is_directive(c)]
    if not texts or not texts[-1].adjacent:
        return Doc()
    text = texts[-1].text.strip()
    if match := _DOC.fullmatch(text):
        key, section, rest = match.groups()
        return Doc(key.strip(), _one_line(section or ""), _one_line(rest))
    return Doc(text=_one_line(text))


def directive(comment: DocComment) -> Declaration | Default:
    """Read `@variant name = *value | value : text` or `@default name = value`."""
    text = comment.text.strip()
    if match := _DEFAULT.fullmatch(text):
        return Default(match.group(1), match.group(2), comment.span)
    if match := _VARIANT.fullmatch(text):
        return _declaration(match, comment)
    raise DocError(
        f"`{text.split()[0]}` is not a declaration that can be read",
        "write `(** @variant name = *value | value : text *)` or `(** @default name = value *)`",
    )


def _declaration(match: re.Match[str], comment: DocComment) -> Declaration:
    name, listed, text = match.group(1), match.group(2), match.group(3)
    values: list[str] = []
    defaults: list[str] = []
    for part in listed.split("|"):
        value = _VALUE.fullmatch(part.strip())
        if not value:
            raise DocError(f"`{part.strip()}` is not a value of variant `{name}`", "values are words separated by `|`")
        if value.group(2) in values:
            raise DocError(f"variant `{name}` lists the value `{value.group(2)}` twice", "")
        values.append(value.group(2))
        defaults += [value.group(2)] if value.group(1) else []
    if len(defaults) != 1:
        raise DocError(f"variant `{name}` needs exactly one default value", f"mark it with a star: `*{values[0]}`")
    return Declaration(name, tuple(values), defaults[0], _one_line(text or ""), comment.span)


def _one_line(text: str) -> str:
    """Return the text with each stretch of blanks made one space (and without the stars some begin lines with)."""
    lines = [re.sub(r"^\s*\*(?=\s)", "", line) for line in text.split("\n")]
    return " ".join(" ".join(lines).split())
