"""Lanes of a wave that access one place in one instruction: so many accesses, one after the other.

What goes in: accesses of several lanes to one place, which read before any of them writes. What comes out: a `Crowd`:
as many turns, in which hardware decides whose each is, and what each lane gets. Invariant: every order is one of those
that it may decide, and what others do there may come between two turns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from math import factorial

from axmem.codegen.assembly.memory import AddressAccess
from axmem.codegen.machine.program import Decision
from axmem.events.graph import Choice, Guard
from axmem.events.values import Expr, Pick, ReadOf
from axmem.front.records import dataclass, replace

MOST = 4
"""Of more lanes the orders are too many to follow."""
COMMUTING = frozenset(("add", "sub", "and", "or", "xor", "max", "min", "umax", "umin"))
"""Updates that leave the same in whichever order they come."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """The accesses of `lanes` to one place, by their numbers among those of an instruction, and what each turn is.

    The arms of `choice`, which `decision` decides, are the orders.
    """

    members: tuple[int, ...]
    lanes: tuple[int, ...]
    choice: Choice
    decision: Decision
    turns: Mapping[int, AddressAccess]

    def result(self, number: int, returned: Mapping[object, Expr | None]) -> Expr | None:
        """Return what memory returns to a member, in whichever turn."""
        mine = self.members.index(number)
        return _picked(self.choice, [returned[self.members[order.index(mine)]] for order in _orders(self.members)])


def crowd(
    members: Sequence[int], accesses: Sequence[tuple[int, AddressAccess]], choice: tuple[int, Guard], read: int
) -> Crowd:
    """Return the crowd that some of an instruction's accesses are; its choice has this number and guard."""
    index, guard = choice
    decision = Decision(read, factorial(len(members)))
    made = Choice(index, guard, ReadOf(read), tuple(range(decision.values)))
    turns = {}
    for turn, number in enumerate(members):
        each = [accesses[members[order[turn]]][1] for order in _orders(members)]
        value, expected = _picked(made, [a.value for a in each]), _picked(made, [a.expected for a in each])
        turns[number] = replace(each[0], value=value, expected=expected)
    return Crowd(tuple(members), tuple(accesses[n][0] for n in members), made, decision, turns)


def crowded(members: Sequence[int], accesses: Sequence[tuple[int, AddressAccess]]) -> bool:
    """Say whether somebody may see in which order lanes access one place, and all orders can be followed."""
    lanes = {accesses[number][0] for number in members}
    if len(lanes) != len(members) or not 1 < len(members) <= MOST:
        return False
    return not all(whichever(accesses[a][1], accesses[b][1]) for a, b in combinations(members, 2))


def whichever(one: AddressAccess, other: AddressAccess) -> bool:
    """Say whether nobody sees which of two accesses comes first: updates without results, or stores of one value."""
    if one.action == "store" and other.action == "store":
        return (one.address, one.bits, one.value) == (other.address, other.bits, other.value)
    return all(each.update in COMMUTING and not each.destination for each in (one, other))


def _orders(members: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the orders: of each turn, which member has it."""
    return list(permutations(range(len(members))))


def _picked(choice: Choice, arms: Sequence[Expr | None]) -> Expr | None:
    """Return what is one of some expressions, by the order; None if there is nothing."""
    known = [arm for arm in arms if arm is not None]
    if len(known) < len(arms):
        return None
    return known[0] if all(arm == known[0] for arm in known) else Pick(choice.index, tuple(known))
