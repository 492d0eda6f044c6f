"""What a definition says for explanations: `@says "{a} synchronizes with {b}" [names]` in its doc comment.

What goes in: the text of a doc comment. What comes out: the text without its remarks, and the remarks, each with as
many strings as its form asks for and placeholders that somebody can fill; `RemarkError` for what cannot be read. What
the remarks mean is in docs/models.md; nothing here, and nothing that is evaluated, depends on them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from axmem.front.source import did_you_mean
from axmem.model.terms import Remark


@dataclass(frozen=True, slots=True)
class Form:
    """How a remark is written: how many strings it has, and what it speaks of."""

    texts: int
    sets: bool
    relations: bool


FORMS = {
    "says": Form(1, sets=True, relations=True),
    "first": Form(0, sets=True, relations=True),
    "lacks": Form(1, sets=False, relations=True),
    "role": Form(1, sets=True, relations=False),
    "path": Form(1, sets=False, relations=True),
    "order": Form(2, sets=False, relations=True),
    "reach": Form(1, sets=False, relations=True),
    "sees": Form(1, sets=False, relations=True),
    "unless": Form(1, sets=True, relations=False),
    "hides": Form(1, sets=False, relations=True),
}
"""The remarks by their words."""

ENDS = ("a", "b", "c")
"""What the events of a fact are called: the ends, and what comes between."""

CAPACITIES = ("scope", "release", "acquire", "store", "load", "role")
"""What may be asked of an event: `{scope a}` and so on."""

PLACES = ("{a}", "{b}", "{c}", "{is}", "{reads}", *(f"{{{capacity} a}}" for capacity in CAPACITIES))
"""What may stand in a string, the events by the example of `a`."""

_MARK = re.compile(r"(?<!\S)@(?=[A-Za-z])")
_REMARK = re.compile(r'@([A-Za-z]+)((?:\s*"[^"]*")*)\s*(?:\[([^\[\]]*)\])?\s*(?=@|$)')
_PLACE = re.compile(rf"[{''.join(ENDS)}]|is|reads|(?:{'|'.join(CAPACITIES)}) [{''.join(ENDS)}]")


class RemarkError(Exception):
    """A remark that cannot be read: what is wrong, and the hint."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def has_remarks(text: str) -> bool:
    """Tell whether a doc comment on one line has remarks."""
    return _MARK.search(text) is not None


def split(text: str) -> tuple[str, tuple[Remark, ...]]:
    """Return a doc comment on one line without its remarks, and these; raise RemarkError for one that is malformed."""
    mark = _MARK.search(text)
    if mark is None:
        return text, ()
    found: list[Remark] = []
    at = mark.start()
    while at < len(text):
        match = _REMARK.match(text, at)
        if match is None:
            word = text[at + 1 :].split()[0]
            hint = _written(word if word in FORMS else "says")
            raise RemarkError(f"`@{word}` is not followed by what a remark has", hint)
        found.append(_remark(match, found))
        at = match.end()
    return text[: mark.start()].rstrip(), tuple(found)


def _remark(match: re.Match[str], earlier: list[Remark]) -> Remark:
    """Return one remark; raise RemarkError if it has not its form."""
    word, texts = match.group(1), tuple(re.findall(r'"([^"]*)"', match.group(2)))
    form = FORMS.get(word)
    if form is None:
        raise RemarkError(f"`@{word}` is no remark", did_you_mean(word, FORMS) or f"known: {', '.join(FORMS)}")
    if len(texts) != form.texts:
        raise RemarkError(f"`@{word}` needs {_strings(form.texts)}, and has {_strings(len(texts))}", _written(word))
    if any(r.word == word for r in earlier):
        raise RemarkError(f"`@{word}` stands here twice")
    for text in texts:
        _check_places(text)
    return Remark(word, texts, tuple((match.group(3) or "").replace(",", " ").split()))


def _check_places(text: str) -> None:
    for place in re.findall(r"\{([^{}]*)\}", text):
        if _PLACE.fullmatch(place) is None:
            raise RemarkError(f"nothing fills `{{{place}}}`", f"known: {', '.join(PLACES)}")
    if re.search(r"[{}]", re.sub(r"\{[^{}]*\}", "", text)):
        raise RemarkError(f'the braces of "{text}" do not pair up')


def _strings(number: int) -> str:
    return f"{number or 'no'} string{'s' * (number != 1)}"


def _written(word: str) -> str:
    strings = ' "…"' * FORMS[word].texts
    return f"write `@{word}{strings}`, and if need be names in brackets"
