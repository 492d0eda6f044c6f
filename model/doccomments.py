"""What doc comments say: `(** [Key] "Section": text *)` and the directives `@variant`, `@default`, `@levels` and so on.

What goes in: the comments before a token. What comes out: a `Doc` and the remarks of a definition
(`axmem.model.remarks`), or the directive as it stands in the syntax tree; a comment that begins with `@`
and is none of these raises `DocError` with the message to show.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from axmem.front.records import replace
from axmem.litmus.words import hierarchy
from axmem.model.lexer import DocComment
from axmem.model.remarks import FORMS, MARK, DocError, split
from axmem.model.syntax import After, Declaration, Default, Levels, Readings
from axmem.model.terms import Doc

_DOC = re.compile(r'\[([^\[\]]+)\]\s*(?:"([^"]*)")?\s*:?\s*(.*)', re.DOTALL)
_WORD = r"[A-Za-z0-9][A-Za-z0-9_.\-]*"
_VARIANT = re.compile(rf"@variant\s+({_WORD})\s*=\s*([^:]*?)\s*(?::\s*(.*))?", re.DOTALL)
_VALUE = re.compile(rf"(\*?)\s*({_WORD})")
_DEFAULT = re.compile(rf"@default\s+({_WORD})\s*=\s*({_WORD})\s*(?::.*)?", re.DOTALL)
_NAMES = re.compile(rf"@(readings|after)((?:\s+{_WORD})+)\s*(?::.*)?", re.DOTALL)
_LEVELS = re.compile(r"@levels\s+([^:]*?)\s*(?::.*)?", re.DOTALL)


def is_directive(comment: DocComment) -> bool:
    """Tell whether the comment is a declaration rather than documentation or remarks about a definition."""
    text = comment.text.lstrip()
    return text.startswith("@") and re.split(r"\W", text[1:], maxsplit=1)[0] not in FORMS


def is_about_nothing(comment: DocComment, defines: bool) -> bool:
    """Tell whether the comment has remarks, and is not directly above what `defines` something."""
    remarks = not is_directive(comment) and MARK.search(_one_line(comment.text)) is not None
    return remarks and not (defines and comment.adjacent)


def doc(comments: Sequence[DocComment]) -> Doc:
    """Return what the comments directly above say: the text of the last one that has any, and all remarks.

    Raises DocError for malformed remarks.
    """
    found = Doc()
    for comment in reversed([c for c in comments if not is_directive(c)]):
        if not comment.adjacent or found != Doc(remarks=found.remarks):
            break
        text, own = split(_one_line(comment.text), comment.span)
        found = replace(_doc(text), remarks=own + found.remarks)
    return found


def _doc(text: str) -> Doc:
    if match := _DOC.fullmatch(text):
        key, section, rest = match.groups()
        return Doc(key.strip(), section or "", rest)
    return Doc(text=text)


def directive(comment: DocComment) -> Declaration | Default | Levels | Readings | After:
    """Read `@variant name = *value | value : text`, `@default name = value`, `@levels …`, `@readings …`, `@after …`."""
    text = comment.text.strip()
    if match := _NAMES.fullmatch(text):
        kind = Readings if match.group(1) == "readings" else After
        return kind(tuple(match.group(2).split()), comment.span)
    if match := _DEFAULT.fullmatch(text):
        return Default(match.group(1), match.group(2), comment.span)
    if match := _LEVELS.fullmatch(text):
        try:
            return Levels(hierarchy(tuple(match.group(1).split())), comment.span)
        except ValueError as error:
            raise DocError(str(error), "write `(** @levels thread cta gpu system *)`", comment.span) from None
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
