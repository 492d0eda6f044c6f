"""What doc comments say: `(** [Key] "Section": text *)` and the declarations `@variant` and `@default`.

What goes in: the comments before a token. What comes out: a `Doc` and the remarks of a definition
(`axmem.model.remarks`), or a `Declaration` or `Default` of the syntax tree; a comment that begins with `@` and is none
of these raises `DocError` with the message to show.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from axmem.front.source import Span
from axmem.model import remarks
from axmem.model.lexer import DocComment
from axmem.model.remarks import FORMS, RemarkError
from axmem.model.syntax import Declaration, Default
from axmem.model.terms import Doc, Remark

_DOC = re.compile(r'\[([^\[\]]+)\]\s*(?:"([^"]*)")?\s*:?\s*(.*)', re.DOTALL)
_WORD = r"[A-Za-z0-9][A-Za-z0-9_.\-]*"
_VARIANT = re.compile(rf"@variant\s+({_WORD})\s*=\s*([^:]*?)\s*(?::\s*(.*))?", re.DOTALL)
_VALUE = re.compile(rf"(\*?)\s*({_WORD})")
_DEFAULT = re.compile(rf"@default\s+({_WORD})\s*=\s*({_WORD})\s*(?::.*)?", re.DOTALL)


class DocError(Exception):
    """A doc comment that cannot be read: what is wrong, the hint, and where it is."""

    def __init__(self, message: str, hint: str, span: Span) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.span = span


@dataclass(frozen=True, slots=True)
class Said:
    """What stands directly above a definition, and the comments with remarks that it comes from."""

    doc: Doc
    remarks: tuple[Remark, ...] = ()
    comments: tuple[DocComment, ...] = ()


def is_directive(comment: DocComment) -> bool:
    """Tell whether the comment is a declaration rather than documentation or remarks about a definition."""
    text = comment.text.lstrip()
    return text.startswith("@") and re.split(r"\W", text[1:], maxsplit=1)[0] not in FORMS


def has_remarks(comment: DocComment) -> bool:
    """Tell whether the comment has remarks about a definition."""
    return not is_directive(comment) and remarks.has_remarks(_one_line(comment.text))


def said(comments: Sequence[DocComment]) -> Said:
    """Return what the comments directly above say: the doc of the last one that has any, and all remarks.

    Raises DocError for malformed remarks.
    """
    found = Said(Doc())
    for comment in reversed([c for c in comments if not is_directive(c)]):
        if not comment.adjacent or found.doc != Doc():
            break
        try:
            text, own = remarks.split(_one_line(comment.text))
        except RemarkError as error:
            raise DocError(error.message, error.hint, comment.span) from None
        found = Said(_doc(text), own + found.remarks, (comment, *found.comments))
    return found


def doc(comments: Sequence[DocComment]) -> Doc:
    """Return what the last comment directly above says; nothing where a blank line or no comment stands there."""
    texts = [c for c in comments if not is_directive(c)]
    return _doc(_one_line(texts[-1].text)) if texts and texts[-1].adjacent else Doc()


def _doc(text: str) -> Doc:
    if match := _DOC.fullmatch(text):
        key, section, rest = match.groups()
        return Doc(key.strip(), section or "", rest)
    return Doc(text=text)


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
        comment.span,
    )


def _declaration(match: re.Match[str], comment: DocComment) -> Declaration:
    name, listed, text = match.group(1), match.group(2), match.group(3)
    values: list[str] = []
    defaults: list[str] = []
    for part in listed.split("|"):
        value = _VALUE.fullmatch(part.strip())
        if not value:
            hint = "values are words separated by `|`"
            raise DocError(f"`{part.strip()}` is not a value of variant `{name}`", hint, comment.span)
        if value.group(2) in values:
            raise DocError(f"variant `{name}` lists the value `{value.group(2)}` twice", "", comment.span)
        values.append(value.group(2))
        defaults += [value.group(2)] if value.group(1) else []
    if len(defaults) != 1:
        hint = f"mark it with a star: `*{values[0]}`"
        raise DocError(f"variant `{name}` needs exactly one default value", hint, comment.span)
    return Declaration(name, tuple(values), defaults[0], _one_line(text or ""), comment.span)


def _one_line(text: str) -> str:
    """Return the text with each stretch of blanks made one space (and without the stars some begin lines with)."""
    lines = [re.sub(r"^\s*\*(?=\s)", "", line) for line in text.split("\n")]
    return " ".join(" ".join(lines).split())
