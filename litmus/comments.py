"""Comments of a litmus file, which the syntax tree does not keep.

What goes in: the text of a test. What comes out: the lines that hold a comment. A comment begins at `;` outside a
string, or at a `#` that begins its line; a `#` elsewhere begins tags.
"""

from __future__ import annotations

import re

_CODE = re.compile(r'(?:"[^"]*"|[^";#])*')


def comment_lines(text: str) -> tuple[int, ...]:
    """Return the numbers of the lines that hold a comment."""
    return tuple(number for number, line in enumerate(text.split("\n"), 1) if _has_comment(line))


def _has_comment(line: str) -> bool:
    if line.lstrip().startswith("#"):
        return True
    code = _CODE.match(line)
    rest = line[code.end() :] if code else line
    return rest.startswith(";") or (rest.startswith("#") and ";" in rest)
