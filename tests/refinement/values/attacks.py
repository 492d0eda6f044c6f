"""Attacks on what is said of a pair: tests with numbers, whose outcomes the engine for single tests compares.

What goes in: a pair, a seed. What comes out: an `Attacked`: what was said, and a test that refutes it, if one does.
Each attack gives parameters and memory numbers near powers of two, or a parameter undef where it may be that, and
draws a context that stores such numbers, of no more operations than the answer speaks of. The engine for single tests
knows less of undef than the answer: an outcome with undef refutes nothing.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from random import Random

from axmem.check.selection import loaded
from axmem.encoder.sat import shared
from axmem.encoder.solve import Limits
from axmem.events.values import UNDEF, Value, may_be_undef
from axmem.formats.ir.pairs import function_pairs
from axmem.formats.ir.standalone import function_tests
from axmem.front.records import replace
from axmem.front.source import InputError, Source
from axmem.litmus import syntax as ast
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.walk import replaced
from axmem.refinement.bounded.printed import program_text
from axmem.refinement.changed import graphs, within
from axmem.refinement.contexts.beginning import with_numbers
from axmem.refinement.contexts.context import Context
from axmem.refinement.contexts.numbers import given
from axmem.refinement.corresponding import corresponding
from axmem.refinement.everywhere import scene
from axmem.refinement.functions import judged_pair
from axmem.refinement.inclusion import HELD, UNSOUND
from axmem.refinement.iterations import as_they_are
from axmem.refinement.judging import Question
from tests.controls.trial import context
from tests.refinement.values.pairs import BITS, Drawn, boundary, drawn

LLVM = ModelChoice("llvm")
FURTHER = 3
"""In so many operations attacks are made on what is said of contexts of any size."""


@dataclass(frozen=True)
class Attacked:
    """What was said of a pair, why nothing was, what refutes it, and how many seconds of a processor the answer took.

    Of one that is unsound that is what is to be found: how many `attacks` find it says what they are worth.
    """

    seed: int
    verdict: str
    why: str
    refuted: str
    seconds: float
    tried: int


def attacked(seed: int, attacks: int = 23, size: int | None = None) -> Attacked:
    """Return what is said of the pair of a seed in contexts of up to `size` operations, and what attacks make of it."""
    pair = drawn(seed)
    (each,) = function_pairs(Source(f"values {seed}", pair.text))
    begun = time.process_time()
    try:
        found = judged_pair(each, LLVM, Question(context=size)).judgement
    except InputError as error:
        return Attacked(seed, "refused", error.diagnostics[0].message, "", time.process_time() - begun, 0)
    spent = time.process_time() - begun
    shown, tried = "", 0
    if found.verdict in (*HELD, UNSOUND):
        random = Random(f"attacks {seed}")
        most = FURTHER if found.context is None or found.verdict == UNSOUND else found.context
        while tried < attacks and not shown:
            tried += 1
            shown = _attack(random, pair, most)
    return Attacked(seed, found.verdict, "; ".join(found.reasons), shown, spent, tried)


def _attack(random: Random, pair: Drawn, most: int) -> str:
    """Return tests with at most so many operations around that refute that a pair is sound, as text."""
    (each,) = function_pairs(Source("attacked", pair.text))
    reading = random.choice([*function_tests([(side.module, side.function) for side in (each.before, each.after)])])
    bits = BITS[pair.type]
    first, second = reading.tests
    same = corresponding(first, second, (), functions=True)
    change = replace(as_they_are(same.before, same.after), own=reading.own, called=True)
    here = scene(change, LLVM)
    both = graphs(here.change.within(Context()), here.meaning)
    numbers: dict[int, Value] = {}
    for expr in given(both):
        undef = may_be_undef(expr) and random.random() < 0.3
        numbers[expr.parameters[0]] = UNDEF if undef else boundary(random, expr.bits)
    initial: dict[tuple[str, int], int] = {}
    for location in here.change.before.locations:
        size = (location.type or ast.I32).size
        if location.name in here.memory.initial:
            pointer = (location.type or ast.I32).pointer is not None
            held = random.choice((0, 1 << 16, 2 << 16)) if pointer else boundary(random, min(bits, 8 * size))
            initial |= {(location.name, at): held >> 8 * at & 255 for at in range(size)}
    tests = [with_numbers(t, numbers, initial, both[0].locations) for t in (here.change.before, here.change.after)]
    change = replace(here.change, before=tests[0], after=tests[1])
    operations = random.randint(0, most)
    drawn_here = context(random, here.space, operations, here.memory.places, tests[0], None)
    around = _bounded(random, drawn_here)
    found, shown, new = within(change, around, loaded(LLVM), limits=Limits(seconds=10.0), session=shared())
    if found.verdict != UNSOUND or "undef" in new or found.reasons:
        return ""
    return f"{program_text(shown.before)}\n{program_text(shown.after)}\n{new}"


def _bounded(random: Random, around: Context) -> Context:
    """Return a context that writes numbers near powers of two, and addresses."""

    def number(expr: ast.Expr) -> ast.Expr:
        if not isinstance(expr, ast.Number) or expr.type is None or expr.type.bits < 8:
            return expr
        address = expr.type.bits == 64 and random.random() < 0.5
        return replace(expr, value=random.choice((1, 2)) << 16 if address else boundary(random, expr.type.bits))

    def changed(statement: ast.Statement) -> ast.Statement:
        if not isinstance(statement, ast.Store | ast.AtomicRmw):
            return statement
        return replace(statement, value=replaced(statement.value, number))

    threads = tuple(replace(t, body=tuple(map(changed, t.body))) for t in around.threads)
    first, last = ({n: tuple(map(changed, rows)) for n, rows in where.items()} for where in (around.first, around.last))
    return Context(threads, first, last)
