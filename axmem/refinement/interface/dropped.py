"""Operations that only the program before a change has: by which rule the execution before has them, or why none does.

What goes in: the row before, which of its operations the row after has too, and what stands for the value of a load
that goes. What comes out: the operation beside which one that goes stands, so that its facts are those of that one, or
`Unproved`. The argument for each rule is the package's.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from axmem.front.records import dataclass, field
from axmem.refinement.interface.facts import Side
from axmem.refinement.interface.operations import FENCE, LOAD, RMW, STORE, Operation, meet

STRONGLY = "a seq_cst access goes: who synchronizes with what stands for it is not strongly ordered"
"""Why a seq_cst access does not go, but for a load behind a store of its own thread that is seq_cst or unordered."""


class Unproved(Exception):
    """No rule covers a change: `args[0]` says why."""


@dataclass(slots=True)
class Gone:
    """What is known of the operations that go, while they are looked at in order.

    `sources` name for loads that go the nearest access of their cell before them that stays, `idle` those whose values
    nobody uses. `beside` names for each the operation that stands for it in the facts, `rules` the rule by which each
    is covered. `merges`: an argument joins steps of the order of seq_cst, for which scopes and tags of the context's
    own seq_cst operations must be those of the whole system.
    """

    side: Side
    common: Set[int]
    sources: Mapping[int, int]
    idle: Set[int]
    beside: dict[int, int] = field(default_factory=dict)
    rules: dict[int, str] = field(default_factory=dict)
    merges: bool = False

    def cover(self, o: Operation) -> None:
        """Find the rule that covers an operation; raise Unproved."""
        if o.volatile:
            raise Unproved("a volatile access goes")
        if o.kind == FENCE:
            self.rules[o.key] = self._fence(o)
        elif o.kind == RMW or o.compares:
            raise Unproved("a read-modify-write goes")
        elif o.kind == STORE:
            self.rules[o.key] = self._store(o)
        elif o.key not in self.idle:
            self.rules[o.key] = self._load(o)
        elif not o.strong:  # It takes what it may see, or is undef, and orders nothing.
            self.rules[o.key] = "nobody uses it"
        else:
            self.rules[o.key] = self._idle(o)

    def _fence(self, o: Operation) -> str:
        """Cover a fence: what its roles carried are facts of the accesses that stay; in the order of seq_cst another
        must stand for it, with no operation between the two that others see."""
        if not o.in_order:
            return "what it carried, others carry"
        for key in sorted(self.common & self.side.by_key.keys()):
            g = self.side.by_key[key]
            first, last = sorted((o.key, key), key=self.side.at.__getitem__)
            quiet = not any(q.is_fence or q.strong for q in self.side.between(first, last))
            if g.is_fence and g.in_order and g.level >= o.level and quiet:
                self.beside[o.key], self.merges = key, True
                return "another seq_cst fence stands for it"
        raise Unproved("a seq_cst fence goes, and none stands for it")

    def _idle(self, o: Operation) -> str:
        """Cover a load of the modification order whose value nobody uses.

        It may have to see what others have read before, and so synchronizes; unless it may read what an access of its
        own thread before it, or right behind it, reads or has written.
        """
        try:
            return self._load(o)
        except Unproved:
            return self._ahead(o)

    def _ahead(self, o: Operation) -> str:
        """Cover an idle load that reads what the next access of its cell reads.

        Nothing goes out between the two: of the load behind that would be a fact that the row after lacks.
        """
        later = (q for q in self.side.operations[self.side.at[o.key] + 1 :] if meet(q.cell, o.cell))
        p = next(later, None)
        if p is None or not (p.cell == o.cell and p.reads and p.strong and p.key in self.common) or p.level < o.level:
            raise Unproved("an idle load of the modification order goes: what it must see may synchronize")
        if o.in_order or any(q.is_fence and q.in_order for q in self.side.between(o.key, p.key)):
            raise Unproved("an idle load stands before a seq_cst fence, or is seq_cst")
        if p.in_order and any(self.side.entry(o.key, level) < self.side.at[p.key] for level in self.side.levels):
            raise Unproved("who synchronizes with an idle load is strongly ordered with the seq_cst one behind it")
        self.beside[o.key] = p.key
        return "it reads what the load behind it reads"

    def _load(self, o: Operation) -> str:
        """Cover a load for whose value that of an earlier access stands."""
        if o.key not in self.sources:
            raise Unproved("no access stands before a load that goes")
        p = self.side.by_key[self.sources[o.key]]
        mid = self.side.between(p.key, o.key)
        if any(meet(q.cell, o.cell) and q.writes for q in mid):
            raise Unproved("a store stands between a load and what stands for it")
        if o.level > p.level and o.atomicity:
            raise Unproved("a load has a wider scope than what stands for it")
        if o.in_order and not (p.kind == STORE and (p.in_order or p.atomicity == 1)):
            raise Unproved(STRONGLY)
        return self._repeated(o, p) if p.kind == LOAD else self._forwarded(o, p)

    def _repeated(self, o: Operation, p: Operation) -> str:
        """Cover a load that reads what an earlier load reads: nothing may come in between the two."""
        if o.atomicity > p.atomicity:
            raise Unproved("a load is more atomic than the one that stands for it")
        if self.side.entries(p.key, o.key):
            raise Unproved("something comes in between a load and the one that stands for it")
        if o.strong:
            if any(q.is_fence and q.in_order for q in self.side.between(p.key, o.key)):
                raise Unproved("a seq_cst fence stands between a load and the one that stands for it")
            self.beside[o.key], self.merges = p.key, True
        return "it reads what the load before it reads"

    def _forwarded(self, o: Operation, p: Operation) -> str:
        """Cover a load that reads what its own thread has written: no write of another may stand between the two."""
        ins, outs = self.side.entries(p.key, o.key), self.side.exits(p.key, o.key)
        if o.strong:
            mid = [q for q in self.side.between(p.key, o.key) if q.in_order and (q.is_fence or o.in_order)]
            ins += [self.side.at[q.key] for q in mid if p.atomicity != 1]
            if any(p.strong or any(x < e for x in outs) for e in ins):
                raise Unproved("something comes in between a store and an atomic load, or is seq_cst")
            self.merges = True
            if p.kind == RMW:
                self.beside[o.key] = p.key
            return "it reads the store of its own thread"
        if p.atomicity == 0:
            if any(x < e for x in outs for e in ins):
                raise Unproved("a release, then an acquire, stand between a store and its load")
            if o.atomicity and ins:
                raise Unproved("an unordered load behind an acquire")
        elif ins:
            raise Unproved("something comes in between an atomic store and its load")
        return "it reads the store of its own thread, or is undef"

    def _store(self, o: Operation) -> str:
        """Cover a store that another overwrites: nobody can read it, or who reads it has a race."""
        if o.in_order:
            raise Unproved(STRONGLY)
        later = [q for q in self.side.operations[self.side.at[o.key] + 1 :] if meet(q.cell, o.cell)]
        p = next(iter(later), None)
        if p is None or p.kind != STORE or p.cell != o.cell or p.key not in self.common:
            raise Unproved("a store goes that none overwrites before it is read")
        ins, outs = self.side.entries(o.key, p.key), self.side.exits(o.key, p.key)
        if o.atomicity == 0:
            if p.atomicity and outs:
                raise Unproved("something goes out before an atomic store overwrites another")
            if any(x < e for x in outs for e in ins):
                raise Unproved("a release, then an acquire, stand before a store is overwritten")
            return "another store overwrites it"
        if p.atomicity == 0:
            if o.strong:
                # Behind an unordered store nobody sees the plain one, nor that the atomic one was modified last.
                raise Unproved("an atomic store is overwritten by a plain one")
            if any(x < e for x in outs for e in ins):
                raise Unproved("a release, then an acquire, stand before an atomic store is overwritten")
            self.merges = True
            return "another store overwrites it, with which who reads it has a race"
        if p.atomicity < o.atomicity or p.level < o.level:
            raise Unproved("an atomic store is overwritten by a less atomic one")
        if outs or any(q.is_fence and q.in_order for q in self.side.between(o.key, p.key)):
            raise Unproved("something may go out before an atomic store is overwritten")
        self.merges = True
        return "another store overwrites it"
