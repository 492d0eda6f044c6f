"""No `sound` that a closed program refutes: `python -m tests.controls.trial --pairs 400 --contexts 20 --seed 0`.

What goes in: how many pairs, and how many contexts for each that is called sound. A pair is a random thread, or two,
and a mutant of it, as LLVM's passes make them, or might; every fourth is a random kernel with a loop and what a
transformation, forced, makes of it, every fourth one with a branch, over which something moves. What comes out: how
many are sound, unsound, unknown; and each `sound` that some context refutes, with both tests, which gives exit code 1.
The contexts are drawn from the space that the answer names, at places of their own, beside the threads or in them, and
are judged as closed tests, by the engine of single tests, which knows nothing of families of programs.

With `--alike N` a random thread and its mutant come with N choices of orderings and scopes each, and these share
circuits (`axmem.refinement.contexts.kept`).
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

from axmem.check.selection import loaded
from axmem.commands.pages.soundness import VERDICT_OF
from axmem.events.unroll import event_graph
from axmem.front.records import replace
from axmem.front.source import InputError, Source
from axmem.litmus import syntax as ast
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import OperationKind, Scope
from axmem.refinement.bodies import BODIES, DEEDS, kernel_text
from axmem.refinement.bounded.bound import Bound, operations
from axmem.refinement.bounded.operations import BoundedOperation
from axmem.refinement.bounded.programs import statement
from axmem.refinement.changed import Change, within
from axmem.refinement.contexts.context import Context, enclosed
from axmem.refinement.contexts.kept import Kept
from axmem.refinement.contexts.placeholders import Meeting
from axmem.refinement.contexts.places import Place, pieces
from axmem.refinement.everywhere import scene
from axmem.refinement.inclusion import SOUND, UNSOUND
from axmem.refinement.iterations import mapped
from axmem.refinement.soundness import SAME, Outcomes, change_of, outcomes_sound
from axmem.transform.applying import Refused, apply_all
from tests.spread import ended, spread
from tests.transform import motion

MODELS = ("llvm", "amdgpu")
SCOPES = ("", "", "agent", "workgroup", "wavefront")
TAGS = ("", "", "", "f:a", "f:b", "f:a f:b", "amdgcn-av:none")
EXCHANGING = 0.3
"""How many of the pairs have a compare-exchange in the thread that changes."""
FAILURES = ("monotonic", "acquire", "seq_cst")
"""How a compare-exchange that fails may be ordered."""
MEETING = 0.15
MET = ('fence syncscope("workgroup") release', "barrier", 'fence syncscope("workgroup") acquire')
"""How many of the threads have a barrier, and what stands there."""
ATTEMPTS = 5
"""So often orderings are drawn until a form with them means something."""
EVENTS = 2
"""How many operations the contexts have of which pairs are asked."""

REFUSED = "refused"

Line = str


@dataclass(frozen=True)
class Found:
    """What became of a pair: its verdict, how that was found, and what refutes it."""

    verdict: str
    how: str
    refuted: tuple[str, ...] = ()
    tried: int = 0


# ---------------------------------------------------------------- pairs of programs


def body(random: Random) -> list[Line]:
    """Return the statements of a random thread without branches."""
    lines: list[Line] = []
    for k in range(random.randint(2, 4)):
        x, kind = random.choice("xyf"), random.random()
        if kind < 0.35:
            lines.append(_load(random, f"r{k}", x))
        elif kind < 0.75:
            lines.append(_store(random, _value(random, lines), x))
        elif kind < 0.85:
            lines.append(_update(random, f"r{k}", x))
        else:
            lines.append(_fence(random))
    return lines


def _at(random: Random, orderings: Sequence[str]) -> str:
    scope, ordering = random.choice(SCOPES), random.choice(orderings)
    tags = random.choice(TAGS)
    if ordering == "monotonic" and tags.startswith("amdgcn"):
        tags = ""
    return (f' syncscope("{scope}")' if scope else "") + f" {ordering}" + (f"  # {tags}" if tags else "")


def _load(random: Random, register: str, x: str) -> Line:
    if random.random() < 0.5:
        return f"{register} = load {x}"
    return f"{register} = load atomic {x}{_at(random, ('monotonic', 'acquire', 'acquire', 'seq_cst'))}"


def _store(random: Random, value: str, x: str) -> Line:
    if random.random() < 0.5:
        return f"store {value}, {x}"
    return f"store atomic {value}, {x}{_at(random, ('monotonic', 'release', 'release', 'seq_cst'))}"


def _update(random: Random, register: str, x: str) -> Line:
    operation = random.choice(("xchg", "add", "or"))
    return f"{register} = atomicrmw {operation} {x}, {random.randint(0, 2)}{_at(random, ('monotonic', 'acq_rel'))}"


def _fence(random: Random) -> Line:
    return f"fence{_at(random, ('acquire', 'release', 'acq_rel', 'seq_cst'))}"


def _exchange(random: Random, lines: Sequence[Line], register: str, x: str) -> Line:
    success = random.choice(("monotonic", "acquire", "release", "acq_rel", "seq_cst"))
    at, _, tags = _at(random, (success,)).partition("  # ")
    failure = random.choice(("", "", *(f" {word}" for word in FAILURES)))
    old, new = random.choice((str(random.randint(0, 2)), _value(random, lines))), _value(random, lines)
    weak = random.choice(("", " weak"))
    return f"{register}, s{register} = cmpxchg{weak} {x}, {old}, {new}{at}{failure}" + (f"  # {tags}" if tags else "")


def _register(line: Line) -> str:
    """Return what a line defines, of a compare-exchange the value that it read."""
    return line.split(" ", 1)[0].rstrip(",")


def _value(random: Random, lines: Sequence[Line]) -> str:
    known = [_register(line) for line in lines if " = " in line]
    return random.choice(known) if known and random.random() < 0.3 else str(random.randint(1, 3))


def mutant(lines: Sequence[Line], random: Random) -> list[Line]:
    """Return a thread with one or two things changed."""
    found = list(lines)
    for _ in range(random.choice((1, 1, 2))):
        found = random.choice(MUTATIONS)(found, random)
    return found


def _swapped(lines: list[Line], random: Random) -> list[Line]:
    k = random.randrange(max(1, len(lines) - 1))
    return [*lines[:k], *reversed(lines[k : k + 2]), *lines[k + 2 :]]


def _dropped(lines: list[Line], random: Random) -> list[Line]:
    k = random.randrange(len(lines))
    return lines[:k] + lines[k + 1 :] if len(lines) > 1 else lines


def _reordered(lines: list[Line], random: Random) -> list[Line]:
    words = ("monotonic", "acquire", "release", "acq_rel", "seq_cst")
    k = random.randrange(len(lines))
    old = next((word for word in words if f" {word}" in lines[k]), "")
    return [*lines[:k], lines[k].replace(f" {old}", f" {random.choice(words)}", 1), *lines[k + 1 :]] if old else lines


def _rescoped(lines: list[Line], random: Random) -> list[Line]:
    k = random.randrange(len(lines))
    old = next((f' syncscope("{scope}")' for scope in SCOPES if scope and f'"{scope}"' in lines[k]), "")
    new = random.choice(["", *(f' syncscope("{scope}")' for scope in SCOPES if scope)])
    return [*lines[:k], lines[k].replace(old, new, 1), *lines[k + 1 :]] if old else lines


def _retagged(lines: list[Line], random: Random) -> list[Line]:
    k = random.randrange(len(lines))
    bare, tags = lines[k].split("  # ")[0], random.choice(TAGS[:-1])
    return [*lines[:k], f"{bare}  # {tags}" if tags else bare, *lines[k + 1 :]]


def _copied(lines: list[Line], random: Random) -> list[Line]:
    loads = [k for k, line in enumerate(lines) if " = load" in line]
    if not loads:
        return lines
    k = random.choice(loads)
    others = [line for line in lines[:k] if " = " in line]
    value = _register(random.choice(others)) if others else str(random.randint(0, 2))
    return [*lines[:k], f"{_register(lines[k])} = {value}", *lines[k + 1 :]]


def _atomic(lines: list[Line], random: Random) -> list[Line]:
    k = random.randrange(len(lines))
    plain = ("load ", "store ")
    for word in plain:
        if f"{word}" in lines[k] and "atomic" not in lines[k]:
            return [*lines[:k], lines[k].replace(word, f"{word}atomic ", 1) + " monotonic", *lines[k + 1 :]]
    return lines


def _doubled(lines: list[Line], random: Random) -> list[Line]:
    k = random.randrange(len(lines))
    return [*lines[: k + 1], *lines[k:]] if lines[k].startswith(("fence", "store")) else lines


def _stored(lines: list[Line], random: Random) -> list[Line]:
    stores = [k for k, line in enumerate(lines) if line.startswith("store")]
    if not stores:
        return lines
    k = random.choice(stores)
    value = lines[k].replace("store atomic ", "").replace("store ", "").split(",")[0]
    return [*lines[:k], lines[k].replace(f"{value},", f"{_value(random, lines[:k])},", 1), *lines[k + 1 :]]


def _exchanged(lines: list[Line], random: Random) -> list[Line]:
    """Change whether a compare-exchange may fail of itself, how it is ordered if it fails, or that it may write."""
    found = [k for k, line in enumerate(lines) if "cmpxchg" in line]
    if not found:
        return lines
    k = random.choice(found)
    parts = _EXCHANGE.fullmatch(lines[k])
    assert parts is not None, lines[k]
    register, weak, x, values, scope, success, failure, tags = parts.groups(default="")
    deed, other = random.randrange(3), random.choice(FAILURES)
    if deed == 0:
        weak = "" if weak else " weak"
    elif deed == 1:
        failure = f" {other}"
    else:
        return [*lines[:k], f"{register} = load atomic {x}{scope} {other}{tags}", *lines[k + 1 :]]
    made = f"{register}, s{register} = cmpxchg{weak} {x}, {values}{scope}{success}{failure}{tags}"
    return [*lines[:k], made, *lines[k + 1 :]]


_EXCHANGE = re.compile(r"(\w+), \w+ = cmpxchg( weak)? (\w), (\w+, \w+)( syncscope\(\"\w+\"\))?( \w+)( \w+)?(  # .*)?")

MUTATIONS: tuple[Callable[[list[Line], Random], list[Line]], ...] = (
    _swapped, _swapped, _dropped, _reordered, _rescoped, _retagged, _copied, _atomic, _doubled, _stored, _exchanged,
)  # fmt: skip


def _text(name: str, bodies: Sequence[Sequence[Line]]) -> str:
    threads = (
        f"thread P{k} @ agent 0, workgroup {k} {{\n" + "\n".join(lines) + "\n}" for k, lines in enumerate(bodies)
    )
    return "\n".join((f"litmus {name}", "global x = 0, y = 0, f = 0", *threads)) + "\n"


def programs(random: Random) -> Change:
    """Return a random thread or two, and a mutant of the first. Raises InputError for a mutant that means nothing."""
    bodies = [body(random) for _ in range(random.choice((1, 1, 1, 2)))]
    if random.random() < EXCHANGING:
        k = random.randrange(len(bodies[0]) + 1)
        bodies[0][k : k + 1] = [_exchange(random, bodies[0][:k], f"r{k}", random.choice("xyf"))]
    if random.random() < MEETING:
        bodies = [[*body(random)[:2], *MET, *body(random)[:2]]]
    before, after = _text("before", bodies), _text("after", [mutant(bodies[0], random), *bodies[1:]])
    return mapped(parse(before, "before"), parse(after, "after"), Source("--map-iterations", ""))


_MARKED = re.compile(
    r"(?P<operation>.*?(load atomic|store atomic|atomicrmw|fence)\b.*?)(?: syncscope\(\"\w+\"\))?"
    r" (?:monotonic|acquire|release|acq_rel|seq_cst)(?P<tags>  # .*)?"
)
_LEGAL = {
    "load atomic": ("monotonic", "acquire", "acquire", "seq_cst"),
    "store atomic": ("monotonic", "release", "release", "seq_cst"),
    "atomicrmw": ("monotonic", "acquire", "release", "acq_rel", "seq_cst"),
    "fence": ("acquire", "release", "acq_rel", "seq_cst"),
}


def remarked(form: Random, random: Random) -> Change:
    """Return a thread and a mutant of it of one form with random orderings and scopes: what is alike stays alike."""
    lines = body(form)
    bodies = lines, mutant(lines, form)
    marks = {line: _remarked(line, random) for each in bodies for line in each}
    before, after = (parse(_text("remarked", [[marks[line] for line in each]]), "remarked") for each in bodies)
    return mapped(before, after, Source("--map-iterations", ""))


def _remarked(line: Line, random: Random) -> Line:
    found = _MARKED.fullmatch(line)
    if found is None:
        return line
    ordering, scope = random.choice(_LEGAL[found[2]]), random.choice(SCOPES)
    tags = "" if ordering == "monotonic" else found["tags"] or ""
    return found["operation"] + (f' syncscope("{scope}")' if scope else "") + f" {ordering}{tags}"


def kernels(random: Random) -> Change:
    """Return a loop before and after a transformation, forced, of a body of the table with other scopes."""
    deed, one = random.choice(DEEDS), random.choice([b for b in BODIES if b.name not in ("spin", "barrier", "ballot")])
    text = one.text
    for ordering in ("release", "acquire", "acq_rel"):
        scope = random.choice(SCOPES)
        text = text.replace(f" {ordering}", f' syncscope("{scope}") {ordering}' if scope else f" {ordering}")
    test = parse(kernel_text(type(one)(one.name, text, one.measured, one.lanes, one.against), deed), "before")
    (kernel,) = test.kernels
    return change_of(test, kernel, apply_all(kernel, deed.text, force=True))


def motions(random: Random) -> Change:
    """Return a kernel with a branch before and after a step that moves something over it. Raises Refused."""
    text, steps = motion.kernel(random)
    test = parse(text, "before")
    (kernel,) = test.kernels
    return change_of(test, kernel, apply_all(kernel, random.choice(steps)))


# ---------------------------------------------------------------- contexts


def context(
    random: Random, space: Bound, size: int, memory: Sequence[Place], test: ast.LitmusTest, meeting: Meeting | None
) -> Context:
    """Return so many operations of a space on some memory: before and after what one lane does in a test, and beside
    it, in threads that may take part in a meeting."""
    fixed = event_graph(test).placements
    shape = random.choice([(size,), *(((1,) * size,) if size > 1 else ())])
    number, threads = 50, []
    around: tuple[dict[str, tuple[ast.Statement, ...]], ...] = ({}, {})
    for t, length in enumerate(shape):
        lines = []
        for i in range(length):
            op, at = _operation(random, space, memory)
            # A value of its own, or one that the programs may write, too.
            value = random.choice((number, number, random.randrange(4)))
            lines.append(statement(op, f"c{t}.{i}", ast.Number(value, at.type), at.address, at.type))
            number += 1
        if (names := enclosed(test)) and random.random() < 0.3:
            side, name = random.choice(around), random.choice(names)
            side[name] = (*side.get(name, ()), *lines)
        elif meeting is not None and random.random() < 0.7:
            for where in sorted((random.randint(0, length) for _ in range(meeting.times)), reverse=True):
                lines.insert(where, ast.Barrier(meeting.name))
            threads.append(ast.Thread(f"C{t}", _place(random, space, fixed, t, Scope.WORKGROUP.depth), tuple(lines)))
        else:
            threads.append(ast.Thread(f"C{t}", _place(random, space, fixed, t), tuple(lines)))
    return Context(threads, around[0], around[1])


def _operation(random: Random, space: Bound, memory: Sequence[Place]) -> tuple[BoundedOperation, Place]:
    x = random.randrange(len(memory))
    fence = random.random() < 0.15
    alphabet = _alphabet(space, -1 if fence else x)
    # What synchronizes and what is plain tells more than the rest, and is drawn more often.
    telling = [op for op in alphabet if op.scope is Scope.SYSTEM and not op.volatile and not op.av and not op.tags]
    op = random.choice(telling if telling and random.random() < 0.6 else alphabet)
    return op, memory[x]


_ALPHABETS: dict[tuple[Bound, int], list[BoundedOperation]] = {}


def _alphabet(space: Bound, location: int) -> list[BoundedOperation]:
    """Return the operations of a space on a location; any tags are f:a and f:b here."""
    if (space, location) not in _ALPHABETS:
        tags = (("f", "a"), ("f", "b")) if space.any_tags else ()
        _ALPHABETS[space, location] = list(operations(replace(space, tags=tags), location))
    return _ALPHABETS[space, location]


def _place(random: Random, space: Bound, fixed: Sequence[ast.Placement], number: int, least: int = 0) -> ast.Placement:
    """Return a place that is beside one of some threads down to a level of the space, of a depth of at least `least`,
    and apart from there on."""
    near = random.choice(fixed)
    depths = [least, *(level.depth for level in space.levels if level.depth >= least)]
    depth = random.choice(depths)
    mine = [near.numbers[k] if k < depth else 900 + number for k in range(len(near.numbers))]
    return ast.Placement((*mine[:-1], 900 + number))


# ---------------------------------------------------------------- the trial


def tried(seed: int, count: int) -> Found:
    """Ask about one pair, and let closed contexts try to refute what is called sound."""
    random = Random(seed)
    model = ModelChoice(random.choice(MODELS))
    while True:
        try:
            change = (programs, programs, motions, kernels)[seed % 4](random)
        except (InputError, Refused):
            continue
        break
    found = outcomes_sound(change, model, EVENTS)
    verdict = VERDICT_OF[found.finding.status]
    if verdict != SOUND:
        return Found(verdict, found.how)
    return Found(verdict, found.how, tuple(refuted(change, found, model, random, count)), count)


_KEPT = Kept()
"""The games of this process about pairs that are alike."""


def tried_alike(seed: int, count: int, alike: int) -> Found:
    """Ask about a pair of a form that so many have, and let closed contexts try to refute what is called sound."""
    form = Random(seed // alike)
    model = ModelChoice(form.choice(MODELS))
    random, state = Random(seed), form.getstate()
    for _ in range(ATTEMPTS):
        form.setstate(state)
        try:
            change = remarked(form, random)
            break
        except InputError:
            pass
    else:
        return Found(REFUSED, "the form means nothing")
    found = outcomes_sound(change, model, EVENTS, kept=_KEPT)
    verdict = VERDICT_OF[found.finding.status]
    if verdict != SOUND:
        return Found(verdict, found.how)
    return Found(verdict, found.how, tuple(refuted(change, found, model, random, count)), count)


def refuted(change: Change, found: Outcomes, model: ModelChoice, random: Random, count: int) -> Iterator[str]:
    """Yield the contexts of a change, as tests, that refute that it is sound."""
    graphs = [event_graph(test) for test in (change.before, change.after)]
    memory = pieces(*graphs)
    change = replace(change, memory=memory)
    space = replace(found.space, kinds=[k for k in found.space.kinds if k is not OperationKind.BARRIER])
    meeting = scene(change, model).meeting
    # Where the rows are the same, contexts of any size are promised.
    most = EVENTS + 1 if found.how == SAME else found.finding.events
    for _ in range(count if memory else 0):
        around = context(random, space, random.randint(1, most), memory, change.before, meeting)
        verdict, tests, new = within(change, around, loaded(model))
        if verdict.verdict == UNSOUND:
            yield f"{model.label}: {new}\n{print_test(tests.before)}\n{print_test(tests.after)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the trial, print the numbers, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=400, help="how many pairs")
    parser.add_argument("--contexts", type=int, default=20, help="how many closed contexts for each that is sound")
    parser.add_argument("--alike", type=int, default=0, help="how many pairs of one form (default: each has its own)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    seeds = range(options.seed * 1_000_000, options.seed * 1_000_000 + options.pairs)
    ask = partial(tried_alike, alike=options.alike) if options.alike else tried
    found = list(spread(partial(ask, count=options.contexts), seeds, options.jobs))
    counts = Counter((each.verdict, each.how) for each in found)
    for (verdict, how), count in sorted(counts.items()):
        print(f"{verdict}, {how}: {count}")
    wrong = [(seed, text) for seed, each in zip(seeds, found, strict=True) for text in each.refuted[:1]]
    print(f"{len(found)} pairs, {sum(each.tried for each in found)} closed contexts: {len(wrong)} refuted")
    for seed, text in wrong:
        print(f"\nseed {seed}\n{text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(ended(main))
