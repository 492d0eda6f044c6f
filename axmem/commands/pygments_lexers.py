"""Lexers for Pygments, under the names `litmus` and `cat-model`: tests and models coloured in anybody's documentation.

What goes in: text. What comes out: tokens. The words are those of the language itself, so that none is forgotten.
Invariant: any text is tokens that together are the text; what is not the language's is a token of the kind error.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from axmem.litmus.words import Ordering

_ORDERINGS = tuple(ordering.value for ordering in Ordering)
_DECLARATIONS = (
    "litmus", "global", "lds", "private", "thread", "Thread", "kernel", "barrier", "dma", "levels", "bound", "declare",
    "workgroups", "wavefronts", "lanes",
)  # fmt: skip
_QUESTIONS = ("exists", "forall", "not", "filter", "observe", "expect", "model", "outcomes", "all", "some")
_OPERATIONS = (
    "load", "store", "fence", "atomicrmw", "cmpxchg", "load-visible", "store-available", "make.available",
    "make.visible", "make.ptr.available", "make.ptr.visible", "assume", "if", "else", "while", "for", "in", "br",
    "switch", "phi", "ret", "unreachable", "call", "asyncmark", "wait.asyncmark",
)  # fmt: skip
_VERDICTS = ("never", "sometimes", "always", "undefined", "unknown", "possible", "undef", "poison", "true", "false")
_CAT = (
    "let", "rec", "and", "in", "include", "if", "then", "else", "end", "as", "with", "from", "try", "flag", "override",
    "procedure", "call", "when", "check", "fun", "match",
)  # fmt: skip
_SUFFIX = r"(?![\w.$-])"


class LitmusLexer(RegexLexer):  # type: ignore[misc]
    """Litmus tests of axmem."""

    name = "Litmus test"
    aliases: ClassVar[list[str]] = ["litmus"]
    filenames: ClassVar[list[str]] = ["*.litmus"]
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"^\s*#.*$", Comment.Single),
            (r";.*$", Comment.Single),
            (r'"[^"\n]*"', String),
            (r"#(?=\s)", Operator),
            (r"![\w.]+", Name.Decorator),
            (words(_DECLARATIONS, prefix=r"\b", suffix=_SUFFIX), Keyword.Declaration),
            (words(_QUESTIONS, prefix=r"\b", suffix=_SUFFIX), Keyword),
            (words(_OPERATIONS, prefix=r"\b", suffix=_SUFFIX), Name.Function),
            (words(_ORDERINGS, prefix=r"\b", suffix=_SUFFIX), Keyword.Type),
            (words(("atomic", "volatile", "elementwise", "nontemporal", "syncscope", "weak"), suffix=_SUFFIX), Keyword),
            (words(_VERDICTS, prefix=r"\b", suffix=_SUFFIX), Name.Constant),
            (r"\b(i1|i8|i16|i32|i64|i128|half|float|double|ptr)\b", Keyword.Type),
            (r"-?\b(0x[0-9a-fA-F]+|\d+(\.\d+)?)\b", Number),
            (r"[%@]?[\w.$]+(-[\w.]+)*(:[\w.]+)?", Name),
            (r"/\\|\\/|=>|[=!<>]=?|[-+*&|^~?@]|\.\.", Operator),
            (r"[(){}\[\],:]", Punctuation),
            (r"\s+", Text),
        ]
    }


class CatLexer(RegexLexer):  # type: ignore[misc]
    """Models in cat."""

    name = "cat model"
    aliases: ClassVar[list[str]] = ["cat-model"]
    filenames: ClassVar[list[str]] = ["*.cat"]
    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            (r"\(\*", Comment.Multiline, "comment"),
            (r'"[^"\n]*"', String),
            (
                words(_CAT, prefix=r"\b", suffix=_SUFFIX),
                Keyword,
            ),
            (words(("acyclic", "irreflexive", "empty", "undef"), prefix=r"\b", suffix=_SUFFIX), Keyword.Reserved),
            (r"->|\^-1|\^\+|\^\*|[|&\\;~+*?!=:]", Operator),
            (r"[A-Za-z_][\w.-]*", Name),
            (r"\d+", Number),
            (r"[(){}\[\],]", Punctuation),
            (r"\s+", Text),
        ],
        "comment": [
            (r"[^*(]+", Comment.Multiline),
            (r"\(\*", Comment.Multiline, "#push"),
            (r"\*\)", Comment.Multiline, "#pop"),
            (r"[*(]", Comment.Multiline),
        ],
    }  # fmt: skip
