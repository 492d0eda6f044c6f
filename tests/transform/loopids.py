"""Random kernels whose accesses promise to be parallel, transformed: what their LoopIDs and promises are afterwards.

What goes in: a seed. What comes out: what is wrong with the test as it is printed after a transformation, by `--apply`
or as the metadata asks. It is read again; other kernels are what they were; a loop that keeps its LoopID keeps its
attributes, and a new LoopID has a name that nothing had; a kernel whose promises held does what it did, and they hold.
Numbers of LoopIDs and access groups are dealt out at random, so that one kernel has what another leaves free.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random

import axmem
from axmem.front.source import InputError
from axmem.litmus.loop_printer import loop_ids
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import Kernel, LitmusTest
from axmem.transform.applying import Refused, apply_all
from axmem.transform.executed import executed
from axmem.transform.identities import names_in
from axmem.transform.metadata import MetadataQuestion
from tests.transform.agreement import applications

SINGLE = ["unroll.count, i32 2", "unroll.count, i32 3", "unroll.full", "user", "vectorize.width, i32 2"]
OUTER = ["unroll_and_jam.count, i32 2", "unroll.count, i32 2", "user", "unroll.disable"]
INDICES = ["%i", "%j", "%s", "%d", "%r", "0"]
"""`s` is i + j, `d` is 4 + j - i, `r` is 4 i + j."""
SIZE = 16
"""How many elements an array has."""
PIPELINES = ["unroll", "unroll-full", "unroll-full,unroll", "unroll-and-jam", "unroll-and-jam,unroll", "vectorize"]


@dataclass(slots=True)
class Found:
    """What became of one test: transformations that were done, how many runs were compared, what is wrong."""

    done: list[str] = field(default_factory=list)
    compared: int = 0
    wrong: list[str] = field(default_factory=list)


def program(seed: int) -> str:
    """Return a test with two or three kernels, all numbers of whose metadata are dealt out at random."""
    random = Random(seed)
    numbers = iter(random.sample(range(16), 16))
    lines, nodes = ["litmus random", f"global <{SIZE} x i32> a = 0, b = 0"], list[str]()
    for name in ["K", "L", "M"][: random.choice((2, 2, 3))]:
        lines += _kernel(name, random, [str(next(numbers)) for _ in range(4)], nodes)
    shown = ", ".join(f"{array}[{n}]" for array in "ab" for n in range(SIZE))
    return "\n".join([*lines, *nodes, f"observe {shown}", "exists (true)", ""])


def _kernel(name: str, random: Random, numbers: list[str], nodes: list[str]) -> Iterator[str]:
    """Yield the lines of a kernel; its metadata, LoopIDs and groups with these numbers, is put behind `nodes`."""
    inner, outer, group, other = numbers
    nest = random.random() < 0.6
    groups = [group] if random.random() < 0.7 else [group, other]
    nodes += [f"!{each} = distinct !{{}}" for each in groups]
    _loop_id(random, nodes, inner, SINGLE, groups)
    if nest:
        _loop_id(random, nodes, outer, OUTER, groups)
    own = [inner, outer] if nest else [inner]
    yield f"kernel {name}(i64 %n = {random.choice((2, 3, 4))}) {{"
    yield "entry:"
    if nest:
        yield from ["br label %o", "o:", "%i = phi i64 [ 0, %entry ], [ %i1, %ol ]", "br label %h"]
        yield from ["h:", "%j = phi i64 [ 0, %o ], [ %j1, %h ]"]
        yield from ["%s = add i64 %i, %j", "%f = sub i64 %j, %i", "%d = add i64 %f, 4", "%q = mul i64 %i, 4"]
        yield "%r = add i64 %q, %j"
    else:
        yield from ["br label %h", "h:", "%j = phi i64 [ 0, %entry ], [ %j1, %h ]"]
        yield from ["%i = mul i64 %j, 2", "%s = add i64 %j, 1", "%d = sub i64 9, %j", "%r = mul i64 %j, 3"]
    for number in range(random.choice((1, 1, 2))):
        place = random.choice(INDICES)
        promise = _promise(random, groups, own)
        yield f"%v{number} = load i32, {random.choice('aab')}[{place}]{promise}"
        yield f"%w{number} = add i32 %v{number}, {number + 1}"
        target = place if random.random() < 0.6 else random.choice(INDICES)
        yield f"store i32 %w{number}, {random.choice('aab')}[{target}]{promise}"
    yield from ["%j1 = add i64 %j, 1", f"%c = icmp ult i64 %j1, {random.choice(('%n', '2', '4'))}"]
    if nest:
        yield from [f"br i1 %c, label %h, label %ol, !llvm.loop !{inner}", "ol:", "%i1 = add i64 %i, 1"]
        yield f"%e = icmp ult i64 %i1, {random.choice(('%n', '2', '4'))}"
        yield f"br i1 %e, label %o, label %x, !llvm.loop !{outer}"
    else:
        yield f"br i1 %c, label %h, label %x, !llvm.loop !{inner}"
    yield from ["x:", "ret void", "}"]


def _loop_id(random: Random, nodes: list[str], number: str, attributes: list[str], groups: list[str]) -> None:
    parts = [f'!{{!"llvm.loop.{name}"{comma}{rest}}}' for name, comma, rest in
             (text.partition(",") for text in random.sample(attributes, random.choice((1, 1, 2))))]  # fmt: skip
    if random.random() < 0.6:
        parts.append(f'!{{!"llvm.loop.parallel_accesses", !{random.choice(groups)}}}')
    random.shuffle(parts)
    nodes.append(f"!{number} = distinct !{{{', '.join([f'!{number}', *parts])}}}")


def _promise(random: Random, groups: list[str], own: list[str]) -> str:
    kind = random.random()
    if kind < 0.5:
        return f", !llvm.access.group !{random.choice(groups)}"
    return f", !llvm.mem.parallel_loop_access !{random.choice(own)}" if kind < 0.8 else ""


def compared(seed: int) -> Found:
    """Transform the first kernel of a random test in a few ways, and compare."""
    found = Found()
    test = parse(program(seed), "k")
    kernel, *_ = test.kernels
    random = Random(seed)
    texts = [each for each in applications(kernel, random) if not each.startswith("drop")]
    asked: list[tuple[str, MetadataQuestion | None]] = [
        (each, None) for each in random.sample(texts, min(3, len(texts)))
    ]
    if any(each.startswith("jam") for each in texts):
        asked += [("jam(o, 2)", None), ("interchange(o, h)", None)]
    asked += [(f"metadata {each}", MetadataQuestion(pipeline=each)) for each in random.sample(PIPELINES, 2)]
    for text, question in asked:
        try:
            reserved = names_in(test)
            made = (
                apply_all(kernel, text, reserved=reserved)
                if question is None
                else executed(kernel, question, reserved=reserved)[1]
            )
        except (Refused, InputError):
            continue
        found.done.append(text.partition("(")[0])
        after = replace(test, kernels=(made.kernel, *test.kernels[1:]))
        found.wrong += [f"seed {seed}: {text}: {word}" for word in _wrong(test, after)]
        if not found.wrong:
            different = _does_something_else(test, after)
            found.compared += different is not None
            found.wrong += [f"seed {seed}: {text}: {different}"] if different else []
    return found


def _wrong(before: LitmusTest, after: LitmusTest) -> Iterator[str]:
    """Yield what is wrong with a test as it is printed."""
    text = print_test(after)
    try:
        again = parse(text, "after")
    except InputError as error:
        yield f"it is not read again: {error}"
        return
    if print_test(again) != text:
        yield "it is printed otherwise once it is read"
    for old, new in zip(before.kernels[1:], again.kernels[1:], strict=True):
        if print_test(_alone(before, old)) != print_test(_alone(before, new)):
            yield f"kernel {old.name} has changed"
    known = {loop.name: loop.attributes for loop in loop_ids(before)}
    taken = names_in(before)
    for loop in loop_ids(_alone(again, again.kernels[0])):
        if loop.name not in known and loop.name in taken:
            yield f"the new LoopID !{loop.name} has the name of an access group"
        if loop.name in known and loop.attributes != known[loop.name]:
            yield f"the LoopID !{loop.name} is that of another loop"


def _alone(test: LitmusTest, kernel: Kernel) -> LitmusTest:
    return replace(test, kernels=(kernel,))


def _does_something_else(before: LitmusTest, after: LitmusTest) -> str | None:
    """Return how the first kernels differ, as they are printed, with promises and without; None if they are not asked.

    Where a promise is broken before, nothing is asked: behaviour is undefined.
    """
    again = parse(print_test(_alone(after, after.kernels[0])), "after")
    alone = _alone(before, before.kernels[0])
    for promises in (True, False):
        first = axmem.outcomes(alone, "llvm", promises=promises)
        if first.verdict == "undefined":
            return None
        second = axmem.outcomes(again, "llvm", promises=promises)
        if second.verdict == "undefined":
            return f"promises {promises}: undefined behaviour"
        if _memory(first) != _memory(second):
            return f"promises {promises}: {sorted(_memory(first))} became {sorted(_memory(second))}"
    return ""


def _memory(result: axmem.Result) -> set[str]:
    """Return what memory may hold at the end; registers have other names and numbers after a transformation."""
    return {" ".join(part for part in state.split() if not part.startswith("K.")) for state in result.states()}
