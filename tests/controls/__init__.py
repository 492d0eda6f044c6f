"""Negative controls: changes that are known to be unsound, for everything that says `sound`.

A verdict `sound` is a promise, and a check that calls everything sound would pass every test of what is sound. So here
stand changes that are wrong, with what is wrong with them, drawn at every scope and class of tags: a control that is
called sound fails the tests. Each command has a module with a function `controls()` that yields `Control`s:

- `programs`: `axmem refine` of two programs, in contexts and closed;
- `functions`: `axmem refine` of functions of LLVM IR: attributes, flags, undefined behaviour, aliasing, calls;
- `kernels`: `axmem kernel transform --check` of transformations that are forced;
- `rules`: `axmem refine --rule` of rules of which one condition is dropped;
- `properties`: `axmem prove --bounded` and `axmem prove` of models and claims that are broken on purpose;
- `machine`: `axmem verify` of code from which something was taken;
- `passes`: `axmem passes` with an opt that makes wrong changes.

`python -m tests.controls` asks all of them (`make controls`), `test_controls.py` a few of each command. What is added
here says in a sentence why it is wrong, by a document or by an execution; the sentence is not taken from an answer.

`python -m tests.controls.trial` is the other way round (`make trials`): changes of random programs that are called
sound, each beside random closed contexts of the space that the answer names, in which nothing may refute it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

FOUND, MISSED = "unsound", "sound"
"""What is to be said of a control, and what must not be."""


@dataclass(frozen=True)
class Control:
    """A wrong change: the command that is asked, its name, the scope and tags at which it is drawn, why it is wrong.

    `ask` returns the verdict: `unsound`, `sound` or `unknown`.
    """

    command: str
    name: str
    scope: str
    tags: str
    why: str
    ask: Callable[[], str]

    @property
    def title(self) -> str:
        """What the control is called."""
        drawn = ", ".join(part for part in (self.scope, self.tags) if part)
        return f"{self.command}: {self.name}" + (f" ({drawn})" if drawn else "")
