"""The words of LLVM IR.

What goes in: the text of a module. What comes out: its words as tokens of the test language (`axmem.litmus.lexer`), so
that orderings, scopes and metadata are read by the same parsers; and a diagnostic for each character that begins no
word. Kinds that only IR has: `label` (`loop:`), `attributes` (`#0`), `comdat`, `float`, `bytes` (`c"…"`). Invariant: a
line end is a token, except inside parentheses and brackets and behind a comma; comments and debug records are none.
"""

from __future__ import annotations

import re

from axmem.front.source import ENOUGH, Diagnostic, Source, Span
from axmem.litmus.lexer import Token, decoded

_NAME = r"[-a-zA-Z$._][-a-zA-Z$._0-9]*"
_WORDS = re.compile(
    rf"""
    (?P<blank>[ \t\r\f\v]+ | ;[^\n]* | \#dbg_[^\n]*)
  | (?P<newline>\n)
  | (?P<label>(?:[-a-zA-Z$._0-9]+|"[^"\n]*"):)
  | (?P<local>%(?:{_NAME}|[0-9]+|"[^"\n]*"))
  | (?P<global>@(?:{_NAME}|[0-9]+|"[^"\n]*"))
  | (?P<bytes>c"[^"\n]*")
  | (?P<string>"[^"\n]*") | (?P<metastring>!"[^"\n]*") | (?P<metadata>![A-Za-z_$.0-9\\-][\w.$\\-]*)
  | (?P<attributes>\#[0-9]+) | (?P<comdat>\$(?:{_NAME}|"[^"\n]*")) | (?P<summary>\^[0-9]+)
  | (?P<float>[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)? | [us]?0x[KLMHR]?[0-9A-Fa-f]+)
  | (?P<name>[A-Za-z_$][\w.$]*)
  | (?P<number>[0-9]+)
  | (?P<punctuation>\.\.\. | !\{{ | [][(){{}}<>,:=*+|!-])
    """,
    re.VERBOSE | re.ASCII,
)
LONG_WORDS = re.compile(_WORDS.pattern.replace('[^"\\n]*', '[^"]*'), re.VERBOSE | re.ASCII)
_SIGIL = frozenset({"local", "global", "metadata", "comdat", "attributes"})
_QUOTES = {"string": 1, "metastring": 2, "bytes": 2}
_VALUED = {*_SIGIL, *_QUOTES, "label"}
"""The kinds whose words have something besides their values."""
_DEEPER = {"(": 1, "[": 1, ")": -1, "]": -1}


def tokens(source: Source, words: re.Pattern[str] = _WORDS) -> tuple[list[Token], list[Diagnostic]]:
    """Return the words of a module, the last of which is `end`, and what is wrong with its characters.

    In `LONG_WORDS` strings may have several lines.
    """
    text = source.text
    found: list[Token] = []
    wrong: list[Diagnostic] = []
    line, start, at, depth = 1, 0, 0, 0
    match, make = words.match, tuple.__new__
    while at < len(text) and len(wrong) <= ENOUGH:
        word = match(text, at)
        if word is None:
            span = Span(line, at - start + 1)
            wrong.append(Diagnostic(source, span, *_unknown(text[at])))
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        kind, shown = word.lastgroup, word[0]
        if kind == "newline":
            if depth <= 0 and not (found and found[-1].kind == ","):
                found.append(Token("newline", "", "", Span(line, at - start + 1)))
            line, start = line + 1, word.end()
        elif kind != "blank":
            value = shown
            if kind == "punctuation":
                kind = shown
                depth += _DEEPER.get(kind, 0)
            elif kind in _VALUED:
                value = _value(kind, shown)
            # Many: what a named tuple does before it is one takes longer than all else here.
            found.append(make(Token, (kind, shown, value, make(Span, (line, at - start + 1, len(shown))))))
            if "\n" in shown:
                line, start = line + shown.count("\n"), at + shown.rindex("\n") + 1
        at = word.end()
    last = Span(line, len(text) - start + 1)
    found += [Token("newline", "", "", last), Token("end", "", "", last)]
    return found, wrong


def _value(kind: str, shown: str) -> str:
    """Return a word without sigils and quotes."""
    if kind in _QUOTES:
        return decoded(shown[_QUOTES[kind] : -1])
    if kind == "label":
        shown = shown[:-1]
    elif kind in _SIGIL:
        shown = shown[1:]
    return decoded(shown[1:-1]) if shown[:1] == '"' else shown


def _unknown(char: str) -> tuple[str, str]:
    if char in "\"'":
        return "this string has no end on its line", ""
    shown = char if char.isprintable() else f"U+{ord(char):04X}"
    hint = "a comment starts with ';'" if char in "/#" else ""
    return f"unexpected character '{shown}'", hint
