"""TextMate grammars and language configurations, made from the rules of `axmem.editor.tokens`.

What goes in: an `EditorLanguage`. What comes out: records that VS Code reads as JSON. Invariant: a token is of the kind
that the lexer for Pygments gives it; the scope that a kind has is in `SCOPES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axmem.editor.tokens import EditorLanguage, Kind, TokenRule, languages

SCOPES: Mapping[Kind, str] = {
    Kind.COMMENT: "comment",
    Kind.STRING: "string.quoted.double",
    Kind.TITLE: "entity.name.section",
    Kind.KEYWORD: "keyword.control",
    Kind.OPERATION: "support.function",
    Kind.MODIFIER: "storage.modifier",
    Kind.ATOM: "constant.language",
    Kind.VERDICT: "support.constant",
    Kind.TYPE: "support.type",
    Kind.NUMBER: "constant.numeric",
    Kind.VARIABLE: "variable.other",
    Kind.NAME: "variable.name",
    Kind.OPERATOR: "keyword.operator",
    Kind.PUNCTUATION: "punctuation",
}
"""What themes colour a kind of token by."""
PAIRS = (("(", ")"), ("[", "]"), ("{", "}"))


def scope(language: str, kind: Kind) -> str:
    """Return the scope of a kind of token in a language."""
    return f"{SCOPES[kind]}.{language}"


def grammar(language: EditorLanguage) -> dict[str, Any]:
    """Return the grammar of a language."""
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": language.title,
        "scopeName": f"source.{language.name}",
        "fileTypes": [language.suffix.removeprefix(".")],
        "patterns": [{"include": f"#{number}"} for number in range(len(language.rules))],
        "repository": {
            str(number): _pattern(language.name, rule, f"#{number}") for number, rule in enumerate(language.rules)
        },
    }


def _pattern(language: str, rule: TokenRule, own: str) -> dict[str, Any]:
    if len(rule.kinds) > 1:
        captures = {
            str(group): {"name": scope(language, kind)} for group, kind in enumerate(rule.kinds, 1) if kind is not None
        }
        return {"match": rule.pattern, "captures": captures}
    (kind,) = rule.kinds
    assert kind is not None
    if rule.end:
        inner = [{"include": own}] if rule.nested else []
        return {"begin": rule.pattern, "end": rule.end, "name": scope(language, kind), "patterns": inner}
    return {"match": rule.pattern, "name": scope(language, kind)}


def configuration(language: EditorLanguage) -> dict[str, Any]:
    """Return what editors know of a language besides its colours: comments, brackets, words."""
    comments: dict[str, Any] = {"lineComment": language.line_comment}
    if language.block_comment is not None:
        comments["blockComment"] = [*language.block_comment]
    closing: list[Mapping[str, Any]] = [{"open": first, "close": last} for first, last in PAIRS]
    return {
        "comments": comments,
        "brackets": [[*pair] for pair in PAIRS],
        "autoClosingPairs": [*closing, {"open": '"', "close": '"', "notIn": ["string", "comment"]}],
        "surroundingPairs": [*([*pair] for pair in PAIRS), ['"', '"']],
        "wordPattern": language.word,
    }


def files() -> dict[str, dict[str, Any]]:
    """Return the records of all languages by the paths that they have in the extension."""
    found: dict[str, dict[str, Any]] = {}
    for name, language in languages().items():
        found[f"syntaxes/{name}.tmLanguage.json"] = grammar(language)
        found[f"languages/{name}.json"] = configuration(language)
    return found
