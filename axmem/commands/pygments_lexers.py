"""Lexers for Pygments, `litmus`, `cat-model` and `axmem-rule`: tests, models and rules coloured in documentation.

What goes in: text. What comes out: tokens. The rules are those of `axmem.editor.tokens`.
Invariant: any text is tokens that together are the text; what is not the language's is a token of the kind error.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text, _TokenType

from axmem.editor.tokens import Kind, TokenRule, languages

TOKENS: dict[Kind | None, _TokenType] = {
    None: Text,
    Kind.COMMENT: Comment,
    Kind.STRING: String,
    Kind.TITLE: Name.Class,
    Kind.KEYWORD: Keyword,
    Kind.OPERATION: Name.Function,
    Kind.MODIFIER: Name.Decorator,
    Kind.ATOM: Name.Constant,
    Kind.VERDICT: Name.Builtin,
    Kind.TYPE: Keyword.Type,
    Kind.NUMBER: Number,
    Kind.VARIABLE: Name.Variable,
    Kind.NAME: Name,
    Kind.OPERATOR: Operator,
    Kind.PUNCTUATION: Punctuation,
}
"""What Pygments calls a kind of token."""


def _states(language: str) -> dict[str, Any]:
    """Return the rules of a language as states: one for each stretch over lines, besides the root."""
    root: list[Any] = []
    states = {"root": root}
    for number, rule in enumerate(languages()[language].rules):
        if not rule.end:
            root.append((rule.pattern, _action(rule)))
            continue
        kind, name = TOKENS[rule.kinds[0]], f"stretch-{number}"
        root.append((rule.pattern, kind, name))
        inner = [(rule.pattern, kind, "#push")] if rule.nested else []
        states[name] = [*inner, (rule.end, kind, "#pop"), (r"[^*(]+|[*(]", kind)]
    root.append((r"\s+", Text))
    return states


def _action(rule: TokenRule) -> Any:
    found = [TOKENS[kind] for kind in rule.kinds]
    return found[0] if len(found) == 1 else bygroups(*found)


class LitmusLexer(RegexLexer):  # type: ignore[misc]
    """Litmus tests of axmem."""

    name = "Litmus test"
    aliases: ClassVar[list[str]] = ["litmus"]
    filenames: ClassVar[list[str]] = ["*.litmus"]
    tokens: ClassVar[dict[str, Any]] = _states("litmus")


class CatLexer(RegexLexer):  # type: ignore[misc]
    """Models in cat."""

    name = "cat model"
    aliases: ClassVar[list[str]] = ["cat-model"]
    filenames: ClassVar[list[str]] = ["*.cat"]
    tokens: ClassVar[dict[str, Any]] = _states("cat")


class RuleLexer(RegexLexer):  # type: ignore[misc]
    """Rules of `axmem refine --rule`."""

    name = "axmem rule"
    aliases: ClassVar[list[str]] = ["axmem-rule"]
    filenames: ClassVar[list[str]] = ["*.rule"]
    tokens: ClassVar[dict[str, Any]] = _states("rule")
