"""Games that are kept for pairs of programs that differ in orderings and scopes alone.

What goes in: pairs, one after the other. What comes out: games in which these are open, and what is known of them: with
which orderings and scopes nothing was left to propose. A pair that differs from one before in nothing else is asked
about in the circuits of that one, or is known to have no counterexample for the same reasons. A `Kept` belongs to
somebody who asks about many pairs in one process.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from axmem.encoder.sat import shared
from axmem.encoder.solver import Session
from axmem.refinement.contexts.annotations import Annotations, Mark
from axmem.refinement.contexts.game import Found, Game, Open
from axmem.refinement.contexts.placeholders import Shape

MOST = 4
"""The games of so many kinds of pairs are kept."""
Build = Callable[[Shape, Session | None, Annotations], Game]


class Family:
    """The games of pairs that are alike, by shape; `marks` are what is written at the operations of the last one.

    `whole`: no question was interrupted, which could leave a game half made.
    """

    def __init__(self, made: Annotations) -> None:
        self.made = made
        self.whole = True
        self.marks: tuple[Mark, ...] = ()
        self._session = shared()
        self._games: dict[Hashable, Game] = {}
        self._cores: dict[Hashable, list[frozenset[int]]] = {}

    def ask(self, shape: Shape, build: Build, seconds: float | None) -> Found | Open | None:
        """Return what `Game.play` says of the last pair in contexts of a shape."""
        key, whole = str(shape), self.whole
        self.whole = False
        if key not in self._games:
            self._games[key] = build(shape, self._session, self.made)
        game, cores = self._games[key], self._cores.setdefault(key, [])
        game.marks = game.setting.marked(self.marks)
        written = frozenset(game.marks)
        known = any(core <= written for core in cores)
        found = None if known else game.play(seconds)
        if found is None and not known:
            cores.append(game.core)
        self.whole = whole
        return found


class Kept:
    """The games of the kinds of pairs that were asked about last."""

    def __init__(self) -> None:
        self._families: OrderedDict[Hashable, Family] = OrderedDict()

    def family(self, key: Hashable, made: Annotations, marks: tuple[Mark, ...]) -> Family:
        """Return the games of pairs with a key."""
        if key not in self._families or not self._families[key].whole:
            self._families[key] = Family(made)
            if len(self._families) > MOST:
                self._families.popitem(last=False)
        self._families.move_to_end(key)
        found = self._families[key]
        found.marks = marks
        return found
