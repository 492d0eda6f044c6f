"""No row that is proved is refuted: `python -m tests.controls.rows --pairs 1000 --contexts 200 --seed 0`.

What goes in: how many random pairs of rows of one thread, and how many random contexts for each that is called sound. A
pair is a row of at most four operations and one or two rewrites of it; `--scopes` and `--branches` say of which share
the operations have scopes, or stand behind a branch. Each is asked as `axmem refine` is, within the same limit. What
comes out: how many are proved, refuted and by contexts of how many operations, and open, with what share is answered
without a number; and each proved one that a context refutes, which gives exit code 1. The contexts have up to eight
operations, with scopes, tags and places of their own as far as the proof allows them, and are judged as closed tests,
by the engine of single tests; with `--game N` the game asks for all of up to N, too, of the first `--games` of them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from axmem.check.selection import loaded, parse_choice
from axmem.encoder.solve import Limits
from axmem.front.source import InputError
from axmem.litmus import syntax as ast
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bounded_check import REFUTED
from axmem.refinement.changed import Change, within
from axmem.refinement.contexts.context import Context
from axmem.refinement.corresponding import corresponding
from axmem.refinement.everywhere import scene, sound_everywhere
from axmem.refinement.inclusion import SOUND, UNSOUND
from axmem.refinement.interface.proving import MERGED, proved_change
from axmem.refinement.iterations import as_they_are
from axmem.refinement.judging import Judgement, judged
from axmem.refinement.refuting import refuted

LLVM = ModelChoice("llvm")
LOADS, STORES = (
    ("", "", "unordered", "monotonic", "acquire", "seq_cst"),
    ("", "", "unordered", "monotonic", "release", "seq_cst"),
)
UPDATES = ("monotonic", "acquire", "release", "acq_rel", "seq_cst")
FENCES = ("acquire", "release", "acq_rel", "seq_cst")
ORDERINGS = {"load": LOADS, "store": STORES, "update": UPDATES, "fence": FENCES}
SCOPES = ("", "", "", "agent", "workgroup")
MOST = 8
"""How many operations a context has at most."""

Line = tuple[str, str, str, str, str]
"""An operation: its kind, place, ordering, scope, and what its register or value is called."""


def text(line: Line) -> str:
    """Return an operation as a statement."""
    kind, place, ordering, scope, name = line
    mode = (f' syncscope("{scope}")' if scope and ordering else "") + f" {ordering}" * bool(ordering)
    atomic = " atomic" * bool(ordering)
    match kind:
        case "load":
            return f"r{name} = load{atomic} {place}{mode}"
        case "store":
            return f"store{atomic} {int(name) + 1}, {place}{mode}"
        case "update":
            return f"r{name} = atomicrmw {'xchg' if int(name) % 2 else 'add'} {place}, {int(name) + 1}{mode}"
        case "fence":
            return f"fence{mode}"
    return f"r{name} = {place}"


def row(random: Random, scoped: bool) -> list[Line]:
    """Return a random row."""
    found: list[Line] = []
    for k in range(random.choice((1, 2, 2, 3, 3, 3, 4))):
        kind = random.choice(("load", "load", "load", "store", "store", "store", "fence", "fence", "update"))
        ordering = random.choice(ORDERINGS[kind])
        scope = random.choice(SCOPES) if scoped else ""
        found.append((kind, "" if kind == "fence" else random.choice("xxy"), ordering, scope, str(k)))
    return found


def rewritten(random: Random, old: list[Line], scoped: bool) -> list[Line] | None:
    """Return a rewrite of a row, as a pass makes it, or might; None if it does not apply."""
    new, i = list(old), random.randrange(len(old))
    kind, place, ordering, scope, name = old[i]
    match random.choice(
        ("delete", "delete", "swap", "swap", "swap", "forward", "forward", "order", "kind", "load", "scope")
    ):
        case "delete":
            del new[i]
        case "swap" if i + 1 < len(old):
            new[i], new[i + 1] = new[i + 1], new[i]
        case "forward" if kind == "load":
            earlier = [x for x in old[:i] if x[1] == place and x[0] in ("load", "store")]
            if not earlier:
                return None
            del new[i]
            source = f"r{earlier[-1][4]}" if earlier[-1][0] == "load" else str(int(earlier[-1][4]) + 1)
            new.append(("copy", source, "", "", name))
        case "order" if kind in ORDERINGS:
            new[i] = kind, place, random.choice(ORDERINGS[kind]), scope, name
        case "kind" if kind == "update":
            new[i] = "store", place, {"acquire": "monotonic", "acq_rel": "release"}.get(ordering, ordering), scope, name
        case "kind" if kind == "store" and ordering not in ("", "unordered", "seq_cst"):
            new[i] = "update", place, ordering, scope, name
        case "kind" if kind == "load" and ordering == "acquire":
            new[i : i + 1] = [(kind, place, "monotonic", scope, name), ("fence", "", "acquire", scope, "9")]
        case "kind" if kind == "store" and ordering == "release":
            new[i : i + 1] = [("fence", "", "release", scope, "9"), (kind, place, "monotonic", scope, name)]
        case "load":
            added = random.choice(("", "monotonic", "acquire"))
            new.insert(random.randrange(len(old) + 1), ("load", random.choice("xy"), added, "", f"new{i}"))
        case "scope" if scoped and ordering:
            new[i] = kind, place, ordering, random.choice(SCOPES), name
    return new if new != old else None


class Kind(NamedTuple):
    """What is drawn, and the model: in what share rows have scopes, or stand behind a branch."""

    scopes: float = 0.0
    branches: float = 0.0
    model: ModelChoice = LLVM


STRAIGHT = Kind()


def pair(random: Random, kind: Kind = STRAIGHT) -> tuple[ast.LitmusTest, ast.LitmusTest]:
    """Return a random row before and after a change, as tests."""
    while True:
        scoped = random.random() < kind.scopes
        old = row(random, scoped)
        new = rewritten(random, old, scoped)
        if new is not None and random.random() < 0.3:
            new = rewritten(random, new, scoped) if new else None
        if new is not None:
            olds, news = list(map(text, old)), list(map(text, new))
            if random.random() < kind.branches:
                olds, news = _branching(random, olds, news)
            try:
                same = corresponding(_test(olds, "before"), _test(news, "after"))
            except InputError:  # The second rewrite has deleted what the first one forwards.
                continue
            return same.before, same.after


def _branching(random: Random, old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Return both rows behind a branch on what is read, of the second perhaps an operation in front of it."""
    ordering = random.choice(LOADS)
    head = [f"k = load{' atomic' * bool(ordering)} y {ordering}".rstrip()]
    first, last = ["if k == 0 {"], ["}"]
    up = random.choice((0, 0, 1, 1))
    moved = new[:up] + head if random.random() < 0.5 else head + new[:up]
    return [*head, *first, *old, *last], [*moved, *first, *new[up:], *last]


def _test(lines: Sequence[str], name: str) -> ast.LitmusTest:
    body = "\n".join(lines)
    return parse(
        f"litmus {name}\nglobal x = 0, y = 0, d = 0, q = 0\nthread P @ agent 0, workgroup 0 {{\n{body}\n}}\n", name
    )


# ---------------------------------------------------------------- contexts


def context(random: Random, plain: bool) -> Context:
    """Return a random context of at most eight operations; `plain`: seq_cst operations have no scopes and no tags."""
    numbers = iter(range(100, 200))
    places = random.sample("xxyydq", 4)

    def operation() -> ast.Statement:
        kind = random.choice(("load", "load", "store", "store", "store", "fence", "update"))
        ordering = random.choice(ORDERINGS[kind][1:])
        order = ast.Ordering(ordering) if ordering else ast.Ordering.NOT_ATOMIC
        free = not (plain and order is ast.Ordering.SEQ_CST)
        scope = random.choice(SCOPES) if free and ordering else ""
        tags = f"  # {random.choice(('f:a', 'f:b'))}" if free and random.random() < 0.1 else ""
        line: Line = kind, "" if kind == "fence" else random.choice(places), ordering, scope, str(next(numbers))
        source = f"litmus c\nglobal x = 0, y = 0, d = 0, q = 0\nthread C {{\n{text(line)}{tags}\n}}\n"
        return parse(source, "c").threads[0].body[0]

    left = random.randint(3, MOST)
    sizes = []
    while left:
        sizes.append(random.randint(1, min(3, left)))
        left -= sizes[-1]
    rows = [tuple(operation() for _ in range(size)) for size in sizes]
    first, last = (rows.pop() if rows and random.random() < 0.6 else () for _ in range(2))
    threads = tuple(
        ast.Thread(f"C{k}", ast.Placement.at(agent=random.choice((0, 0, 1)), workgroup=random.choice((0, 1))), each)
        for k, each in enumerate(rows)
    )
    return Context(threads, {"P": first}, {"P": last})


def attacked(change: Change, model: ModelChoice, random: Random, contexts: int, *, plain: bool) -> str:
    """Return two tests in which a change is refuted, if one of some random contexts does that."""
    for _ in range(contexts):
        around = context(random, plain)
        try:
            found, tests, _ = within(change, around, loaded(model), limits=Limits(seconds=20))
        except InputError:
            continue
        if found.verdict == UNSOUND:
            return print_test(tests.before) + print_test(tests.after)
    return ""


ATTACK, GAME = 1.0, 20.0
"""How many seconds of a processor the contexts that use what a row shows have against a proof, and the game."""


def trial(
    pairs: int,
    contexts: int,
    seed: int,
    *,
    kind: Kind = STRAIGHT,
    game: int = 0,
    games: int = 0,
    told: bool = False,
) -> tuple[Counter[str], list[str]]:
    """Return how many pairs are proved, refuted and open, and what is wrong."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for number in range(pairs):
        random = Random(f"{seed} {number}")
        before, after = pair(random, kind)
        answer = judged(before, after, kind.model)
        counts[_word(answer)] += 1
        if answer.verdict != SOUND:
            if answer.verdict != UNSOUND and told:
                reason = proved_change(before, after, kind.model)
                print(f"open: {_short(before)} -> {_short(after)}: {answer.verdict}; {reason}", flush=True)
            continue
        change, merged = as_they_are(before, after), MERGED in answer.without
        counts["proved, merging"] += merged
        here = scene(change, kind.model)
        if found := refuted(here, ATTACK):
            refutation = "\n".join((found[1].before, found[1].after))
        else:
            refutation = attacked(change, kind.model, random, contexts, plain=merged)
        if not refutation and counts["the game"] < games:
            counts["the game"] += 1
            refutation = f"the game at {game}" * (sound_everywhere(here, game, GAME).status == REFUTED)
        if refutation:
            wrong.append(f"{_short(before)} -> {_short(after)}\n{refutation}")
            print(f"WRONG: {wrong[-1]}", flush=True)
    return counts, wrong


def _word(answer: Judgement) -> str:
    """Return what is counted of an answer."""
    if answer.verdict == SOUND:
        return "proved"
    return f"refuted in {answer.context}" if answer.verdict == UNSOUND else "open"


def _short(test: ast.LitmusTest) -> str:
    lines = print_test(test).partition("{\n")[2].rpartition("}")[0].splitlines()
    return "; ".join(line.strip() for line in lines) or "-"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--contexts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--game", type=int, default=0)
    parser.add_argument("--games", type=int, default=20, help="of so many that are proved the game is asked")
    parser.add_argument("--scopes", type=float, default=0.0, help="the share of rows with scopes")
    parser.add_argument("--branches", type=float, default=0.0, help="the share of rows behind a branch")
    parser.add_argument("--model", default="llvm")
    parser.add_argument("--share", type=float, default=0.0, help="of 100 pairs so many must be proved or refuted")
    options = parser.parse_args()
    begun = time.process_time()
    kind = Kind(options.scopes, options.branches, parse_choice(options.model))
    games = options.games if options.game else 0
    counts, wrong = trial(
        options.pairs, options.contexts, options.seed, kind=kind, game=options.game, games=games, told=True
    )
    print(", ".join(f"{what} {counts[what]}" for what in sorted(counts)), f"{time.process_time() - begun:.0f} CPU s")
    share = 100 * (1 - counts["open"] / options.pairs)
    print(f"{100 * counts['proved'] / options.pairs:.1f} % proved, {share:.1f} % answered without a number")
    return int(bool(wrong) or share < options.share)


if __name__ == "__main__":
    sys.exit(main())
