"""How the text of tests, models and rules falls into coloured tokens: the rules that lexers and grammars are made from.

What goes in: nothing. What comes out: an `EditorLanguage` for each kind of file, with its rules in the order in which
they are tried. The lexers for Pygments (`axmem.commands.pygments_lexers`) and the TextMate grammars
(`axmem.editor.textmate`) are these rules in another form. Invariant: a pattern means the same to Python's `re` and to
Oniguruma, and matches within a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache

from axmem.editor.words import words
from axmem.front.records import dataclass
from axmem.litmus.lexer import NAME
from axmem.model.lexer import OVERRIDE, REPLACED
from axmem.refinement.fragments import COMPATIBILITY
from axmem.refinement.fragments import KEYWORDS as RULE_KEYWORDS


class Kind(Enum):
    """What a token is; those of words have the names of the classes in `axmem.editor.words`."""

    COMMENT = "comment"
    STRING = "string"
    TITLE = "title"
    KEYWORD = "keyword"
    OPERATION = "operation"
    MODIFIER = "modifier"
    ATOM = "atom"
    VERDICT = "verdict"
    TYPE = "type"
    NUMBER = "number"
    VARIABLE = "variable"
    NAME = "name"
    OPERATOR = "operator"
    PUNCTUATION = "punctuation"


@dataclass(frozen=True, slots=True)
class TokenRule:
    """A pattern, and what its match is; of a pattern with groups, which are the whole match, what each group is.

    With an `end` the match begins a stretch up to there, over lines; a stretch that is `nested` may have others in it.
    """

    pattern: str
    kinds: tuple[Kind | None, ...]
    end: str = ""
    nested: bool = False


@dataclass(frozen=True, slots=True)
class EditorLanguage:
    """A kind of file: its name, what names of such files end with, how comments are written, and its rules."""

    name: str
    title: str
    suffix: str
    line_comment: str
    block_comment: tuple[str, str] | None
    word: str
    rules: tuple[TokenRule, ...]


_BRACKETS = TokenRule(r"[(){}\[\],:]", (Kind.PUNCTUATION,))
_TEXT = TokenRule(r'!?"[^"\n]*"?', (Kind.STRING,))
_HEADERS = {
    word: TokenRule(rf'^([ \t]*)({word})([ \t]+)([^\s";{{]+)', (None, Kind.KEYWORD, None, Kind.TITLE))
    for word in ("litmus", RULE_KEYWORDS[0])
}
_COMMENTS = (TokenRule(r"^[ \t]*#.*$", (Kind.COMMENT,)), TokenRule(r";.*$", (Kind.COMMENT,)))
_NUMBER = TokenRule(r"(?:0[xX][0-9A-Fa-fu]+|0b[01u]+|[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?)?)(?![\w$])", (Kind.NUMBER,))
_OPERATORS = TokenRule(r"/\\|\\/|=>|[=!<>]=|<<|>>|&&|\|\||\.\.\.?|[-+*&|^?~@=!<>#]", (Kind.OPERATOR,))
_CAT_WORD = r"_?[A-Za-z][A-Za-z0-9_.\-]*'*"


@cache
def vocabulary(language: str) -> Mapping[str, list[str]]:
    """Return the words of a language by their classes; rules are written in operations of tests."""
    if language == "rule":
        return {**words()["litmus"], "keyword": [*RULE_KEYWORDS, *COMPATIBILITY], "verdict": []}
    return words()[language]


@cache
def languages() -> Mapping[str, EditorLanguage]:
    """Return the languages by their names."""
    cat = EditorLanguage("cat", "cat model", ".cat", "//", ("(*", "*)"), _CAT_WORD, (
        TokenRule(r"\(\*", (Kind.COMMENT,), end=r"\*\)", nested=True),
        TokenRule(r"/\*", (Kind.COMMENT,), end=r"\*/"),
        TokenRule(r"(?://|#).*$", (Kind.COMMENT,)),
        TokenRule(r'"[^"\n]*"?', (Kind.STRING,)),
        TokenRule(rf"{OVERRIDE}(?={REPLACED})", (Kind.KEYWORD,)),
        *_words(vocabulary("cat"), r"(?![\w.'-])"),
        TokenRule(_CAT_WORD, (Kind.NAME,)),
        TokenRule(r"'_?[A-Za-z][A-Za-z0-9_.\-]*", (Kind.ATOM,)),
        TokenRule(r"-?[0-9]+", (Kind.NUMBER,)),
        TokenRule(r"&&|\|\||\+\+|->|[|&*~!+^\\?=;_]", (Kind.OPERATOR,)),
        TokenRule(r"[(){}\[\],]", (Kind.PUNCTUATION,)),
    ))  # fmt: skip
    return {
        each.name: each
        for each in (
            EditorLanguage("litmus", "Litmus test", ".litmus", ";", None, NAME, _of_tests("litmus")),
            cat,
            EditorLanguage("rule", "Rule of axmem", ".rule", ";", None, NAME, _of_tests("rule")),
        )
    }


def _of_tests(language: str) -> tuple[TokenRule, ...]:
    """Return the rules of a language whose lines are those of tests; its first word is its name."""
    return (
        _HEADERS[language],
        *_COMMENTS,
        _TEXT,
        TokenRule(r"![\w$.-]+", (Kind.MODIFIER,)),
        TokenRule(r"[%@][\w.$]+|\$[\w]+", (Kind.VARIABLE,)),
        *_words(vocabulary(language), r"(?![\w.$-])"),
        TokenRule(NAME, (Kind.NAME,)),
        _NUMBER,
        _OPERATORS,
        _BRACKETS,
    )


def _words(known: Mapping[str, Iterable[str]], behind: str) -> tuple[TokenRule, ...]:
    """Return a rule for the words of each class, longer words first; a word of two classes is of the first."""
    return tuple(
        TokenRule(f"(?:{'|'.join(map(re.escape, sorted(found, key=lambda w: (-len(w), w))))}){behind}", (Kind(kind),))
        for kind, found in known.items()
        if found
    )
