"""What branches tell of registers, against all numbers that could tell facts apart."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from axmem.codegen.assembly.facts import Fact, contradicts

NUMBERS = (0, 1, 2, 3, 5, 0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF)
EVERY = sorted({(number + more) % (1 << 32) for number in NUMBERS for more in (-2, -1, 0, 1, 2)})
RELATIONS = ("eq", "ltu", "leu", "lti", "lei")


def holds(fact: Fact, value: int) -> bool:
    number = int(fact.operands[1]) % (1 << 32)
    one, other = (v - (1 << 32) if fact.relation[-1] == "i" and v >> 31 else v for v in (value, number))
    return {"eq": one == other, "lt": one < other, "le": one <= other}[fact.relation[:2]] is fact.holds


def test_facts_that_contradict_each_other_hold_of_no_number() -> None:
    """And, of facts of one sign, those that hold of none contradict each other."""
    random, counts = Random(7), [0, 0]
    for _ in range(4000):
        numbers = [random.choice(NUMBERS) - random.choice((0, 1 << 32)) for _ in range(3)]
        sign = random.choice("ui")
        chosen = [random.choice(RELATIONS) for _ in numbers]
        mixed = random.random() < 0.3
        relations = [r if r == "eq" or mixed else r[:2] + sign for r in chosen]
        facts = [
            Fact(r, ("s4", str(n % (1 << 32) if n > 0 else n)), random.random() < 0.5)
            for r, n in zip(relations, numbers, strict=True)
        ]
        found = contradicts(frozenset(facts[1:]), facts[0])
        possible = any(all(holds(fact, value) for fact in facts) for value in EVERY)
        assert not (found and possible), facts
        counts[found] += 1
        if not mixed and not any(contradicts(frozenset({a}), b) for a, b in pairwise(facts[1:])):
            assert found or possible, facts
    assert min(counts) > 400


def test_what_is_no_number_contradicts_only_its_opposite() -> None:
    fact = Fact("ltu", ("s4", "s5"), holds=True)
    assert contradicts(frozenset({fact._replace(holds=False)}), fact)
    assert not contradicts(frozenset({Fact("eq", ("s4", "s5"), holds=True)}), fact)
    wide = Fact("eq", ("s[4:5]", "1"), holds=True)
    assert contradicts(frozenset({wide._replace(operands=("s[4:5]", "2"))}), wide)
    assert not contradicts(frozenset({wide._replace(operands=("s[4:5]", "-1"))}), wide)
