"""What a definition says for explanations: `@says "{a} synchronizes with {b}" [names]` in its doc comment.

What goes in: the text of a doc comment. What comes out: the text without its remarks, and the remarks, each with as
many strings as its form asks for and placeholders that somebody can fill; `DocError` for what cannot be read. What the
remarks mean is in docs/models.md; nothing that is evaluated depends on them.
"""

from __future__ import annotations

import re

from axmem.front.records import dataclass
from axmem.front.source import Span, did_you_mean
from axmem.model.terms import Remark


@dataclass(frozen=True, slots=True)
class RemarkForm:
    """How a remark is written: how many strings it has, and what it speaks of."""

    texts: int
    sets: bool
    relations: bool


FORMS = {
    "says": RemarkForm(1, sets=True, relations=True),
    "first": RemarkForm(0, sets=True, relations=True),
    "lacks": RemarkForm(1, sets=False, relations=True),
    "role": RemarkForm(1, sets=True, relations=False),
    "path": RemarkForm(1, sets=False, relations=True),
    "order": RemarkForm(2, sets=False, relations=True),
    "reach": RemarkForm(1, sets=False, relations=True),
    "within": RemarkForm(1, sets=True, relations=False),
    "sees": RemarkForm(2, sets=False, relations=True),
    "unless": RemarkForm(1, sets=True, relations=False),
    "rivals": RemarkForm(0, sets=False, relations=True),
    "hides": RemarkForm(1, sets=False, relations=True),
    "race": RemarkForm(1, sets=False, relations=True),
}
"""The remarks by their words."""

ENDS = ("a", "b", "c")
"""What the events of a fact are called: the ends, and what comes between."""

PLACES = ("{a}", "{is}", "{reads}", "{scope a}", "{release a}", "{acquire a}", "{store a}", "{load a}", "{role a}")
"""What may stand in a string; instead of `a` the other ends, too."""

MARK = re.compile(r"(?<!\S)@(?=[A-Za-z])")
_REMARK = re.compile(r'@([A-Za-z]+)((?:\s*"[^"]*")*)\s*(?:\[([^\[\]]*)\])?\s*(?=@|$)')


class DocError(Exception):
    """A doc comment that cannot be read: what is wrong, the hint, and where it is."""

    def __init__(self, message: str, hint: str, span: Span) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.span = span


def split(text: str, span: Span) -> tuple[str, tuple[Remark, ...]]:
    """Return a doc comment on one line without its remarks, and these; raise DocError at `span` for a malformed one."""
    mark = MARK.search(text)
    found: list[Remark] = []
    at = mark.start() if mark is not None else len(text)
    while at < len(text):
        match = _REMARK.match(text, at)
        word = match[1] if match is not None else text[at + 1 :].split()[0]
        if word not in FORMS:
            raise DocError(f"`@{word}` is no remark", did_you_mean(word, FORMS) or f"known: {', '.join(FORMS)}", span)
        texts = tuple(re.findall(r'"([^"]*)"', match[2])) if match is not None else ()
        if match is None or len(texts) != FORMS[word].texts:
            hint = f"write `@{word}" + ' "…"' * FORMS[word].texts + "`, and names in brackets if need be"
            raise DocError(f"`@{word}` is not written so", hint, span)
        if any(remark.word == word for remark in found):
            raise DocError(f"`@{word}` stands here twice", "", span)
        for place in re.findall(r"\{[^{}]*\}|[{}]", " ".join(texts)):
            if re.sub(rf"\b[{''.join(ENDS)}]\}}", "a}", place) not in PLACES:
                raise DocError(f"nothing fills `{place}`", f"known: {', '.join(PLACES)}; and so for b and c", span)
        found.append(Remark(word, texts, tuple((match[3] or "").replace(",", " ").split())))
        at = match.end()
    return text[: mark.start()].rstrip() if mark is not None else text, tuple(found)
