"""What the user says of costs: `--do vectorize@h`, `--dont unroll@h.vectorized`.

What goes in: the texts. What comes out: of which pass and loop they speak, and, when it comes to it, which outcomes
they leave. Invariant: what is refused whatever the costs cannot be told to be done.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from axmem.front.records import dataclass, replace
from axmem.front.source import did_you_mean, mistake
from axmem.transform.answers import Outcome, PassAnswer
from axmem.transform.not_modelled import left_out
from axmem.transform.passes import Pass

_FORM = re.compile(r"([\w-]+)(?:\(([^()]*)\))?@(.+)")


@dataclass(frozen=True, slots=True)
class Told:
    """A pass, a loop, whether the pass is `done` to it, and `words` about what it leaves."""

    pass_: str
    loop: str
    done: bool
    words: tuple[str, ...]
    text: str


def told(do: Iterable[str], dont: Iterable[str], passes: Iterable[Pass]) -> tuple[Told, ...]:
    """Read the texts of both options. Raises InputError for another form, or a pass that the pipeline has not."""
    running = tuple(passes)
    both = [("--do", text) for text in do] + [("--dont", text) for text in dont]
    return tuple(_read(option, text, running) for option, text in both)


def _read(option: str, text: str, passes: tuple[Pass, ...]) -> Told:
    found = _FORM.fullmatch(text)
    if found is None:
        raise mistake(option, "this is not PASS@LOOP", "for example vectorize@h, or unroll(4)@h", text=text)
    asked = (found[1], *_said(found[2]))
    if why := next(filter(None, map(left_out, asked)), ""):
        raise mistake(option, why, "docs/transform.md says what is followed", text=text)
    names = {alias: each.name for each in passes for alias in (each.name, each.llvm)}
    if found[1] not in names:
        hint = did_you_mean(found[1], names) or f"it has {', '.join(each.name for each in passes) or 'no passes'}"
        raise mistake(option, f"the pipeline has no pass '{found[1]}'", hint, text=text)
    return Told(names[found[1]], found[3], option == "--do", _said(found[2]), text)


def _said(words: str | None) -> tuple[str, ...]:
    """Return the words in parentheses."""
    return tuple(word.strip() for word in (words or "").split(",") if word.strip())


def chosen(said: Told, pass_: Pass, answer: PassAnswer) -> tuple[Outcome, ...]:
    """Return the outcomes that are left of what a pass can do. Raises InputError if there are none."""
    if answer.done is False:
        raise mistake("--do", f"{pass_.name} cannot transform '{said.loop}': {answer.reason}", text=said.text)
    left = tuple(each for each in answer.outcomes if set(said.words) <= _words(each))
    exact = tuple(each for each in left if set(each.kinds) == set(said.words))
    if left:
        return exact or left
    made = _made(said, pass_, answer)
    if made is None:
        possible = "; ".join(sorted({", ".join(sorted(_words(each))) or "nothing" for each in answer.outcomes}))
        message = f"{pass_.name} does not leave {', '.join(said.words) or 'anything'} of '{said.loop}'"
        raise mistake(
            "--do", message, f"possible: {possible}" if possible else "give a factor: unroll(4)", text=said.text
        )
    return (made,)


def _words(outcome: Outcome) -> set[str]:
    """Return the words that describe an outcome."""
    factor = set() if outcome.factor is None else {str(outcome.factor)}
    return {*outcome.kinds, *(outcome.words or ("plain",)), *factor}


def _made(said: Told, pass_: Pass, answer: PassAnswer) -> Outcome | None:
    """Return the outcome with another factor, or with the kinds of loops, that the words ask for."""
    kinds = tuple(word for word in said.words if word in {each.kind for each in pass_.makeups})
    numbers = [int(word) for word in said.words if word.isdigit()]
    rest = {word for word in said.words if word not in kinds and not word.isdigit()}
    like = [each for each in answer.outcomes if rest <= _words(each)]
    if not like or len(numbers) > 1 or min(numbers, default=2) < 2 or not (kinds or numbers):
        return None
    return replace(like[0], kinds=kinds or like[0].kinds, factor=numbers[0] if numbers else like[0].factor)
