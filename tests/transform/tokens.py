"""Random kernels with convergence tokens, transformed: what is printed keeps the rules of tokens.

What goes in: a seed. What comes out: the transformed kernels, as tests, and what is wrong with how they are printed.
A kernel has a loop, or two in a nest, with a heart or without, and operations with the token of the heart, of an anchor
in their block, or of one before the loop. `python -m tests.transform` has LLVM's verifier look at all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random

from axmem.codegen.ir_module import module
from axmem.convergence.kernels import checked, function_of
from axmem.convergence.tokens import faults
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import LitmusTest
from axmem.transform.applying import Refused, apply_all
from axmem.transform.loops import loops
from tests.convergence.llvm import refused
from tests.transform.agreement import applications

TOKEN = "llvm.experimental.convergence"


@dataclass(slots=True)
class Found:
    """What became of one kernel: the texts that were applied, and what is wrong."""

    done: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Writer:
    random: Random
    lines: list[str] = field(default_factory=list)
    number: int = 0

    def token(self, kind: str, of: str = "") -> str:
        """Define a token and return its name."""
        self.number += 1
        bundle = f' [ "convergencectrl"(token %{of}) ]' if of else ""
        self.lines.append(f"%t{self.number} = call token @{TOKEN}.{kind}(){bundle}")
        return f"t{self.number}"

    def operations(self, tokens: list[str]) -> None:
        """Write up to two operations with tokens of the nearest region, or of an anchor of their own, and a store."""
        for _ in range(self.random.choice((0, 1, 1, 2))):
            own = self.random.random() < 0.3 or not tokens
            token = self.token("anchor") if own else tokens[-1]
            self.number += 1
            ballot = "call i64 @llvm.amdgcn.ballot.i64(i1 true)"
            self.lines.append(f'%b{self.number} = {ballot} [ "convergencectrl"(token %{token}) ]')
            self.lines.append(f"store i64 %b{self.number}, x[{self.number % 8}]")

    def heart(self, tokens: list[str]) -> list[str]:
        """Define the heart of a loop inside a region, or none; return the tokens that operations in it may have."""
        return [self.token("loop", tokens[-1])] if tokens and self.random.random() < 0.7 else []


def program(seed: int) -> str:
    """Return a test with a kernel of two lanes."""
    random = Random(seed)
    w = _Writer(random)
    nest = random.random() < 0.4
    outside = [w.token(random.choice(("anchor", "anchor", "entry")))] if random.random() < 0.8 else []
    w.operations(outside)
    bounds = [random.choice(["%n", "2", "3", "4", "%id"]) for _ in range(2)]
    w.lines.append("%id = workitem.id")
    if nest:
        w.lines += ["br label %o", "o:", "%i = phi i32 [ 0, %entry ], [ %i1, %ol ]"]
        around = w.heart(outside)
        w.operations(around)
        w.lines += ["br label %h", "h:", "%j = phi i32 [ 0, %o ], [ %j1, %h ]"]
    else:
        around = outside
        w.lines += ["br label %h", "h:", "%j = phi i32 [ 0, %entry ], [ %j1, %h ]"]
    w.operations(w.heart(around))
    w.lines += ["store i32 1, y[%j]", "%j1 = add i32 %j, 1", f"%c = icmp ult i32 %j1, {bounds[0]}"]
    if nest:
        w.lines += ["br i1 %c, label %h, label %ol", "ol:"]
        w.operations(around)
        w.lines += ["%i1 = add i32 %i, 1", f"%d = icmp ult i32 %i1, {bounds[1]}", "br i1 %d, label %o, label %x", "x:"]
    else:
        w.lines += ["br i1 %c, label %h, label %x", "x:"]
    w.operations(outside)
    head = ["litmus tokens", "global [8 x i64] x = 0", "global [8 x i32] y = 0"]
    head += ["kernel K(i32 %n = 3) lanes 2 {", "entry:"]
    return "\n".join([*head, *w.lines, "ret void", "}", "exists (true)", ""])


def transformed(seed: int) -> Iterator[tuple[str, LitmusTest]]:
    """Yield a few transformations of a random kernel, forced where they are refused, and the test after each."""
    test = parse(program(seed), "k")
    (kernel,) = test.kernels
    if faults(function_of(kernel)):
        return
    random = Random(seed)
    texts = [text for text in applications(kernel, random) if not text.startswith("drop")]
    headers = [loop.header for loop in loops(single_assignment(kernel))]
    texts += [f"unroll({header}{how})" for header in headers for how in ("", ", 2", ", 3, tests", ", 2, prologue")]
    for text in random.sample(texts, min(6, len(texts))):
        for force in (False, True):
            try:
                made = apply_all(kernel, text, force=force)
            except Refused:
                continue
            if force and not made.refusals:
                continue
            yield text, replace(test, kernels=(made.kernel,))


def compared(seed: int, *, llvm: bool = False) -> Found:
    """Print each transformed kernel and read it again; with `llvm` its verifier is asked, too."""
    found = Found()
    for text, after in transformed(seed):
        found.done.append(text.partition("(")[0])
        printed = print_test(after)
        try:
            again = parse(printed, "after")
            checked(again.kernels[0], again)
        except InputError as error:
            found.wrong.append(f"seed {seed}: {text}: {error}")
            continue
        if print_test(again) != printed:
            found.wrong.append(f"seed {seed}: {text}: it is printed otherwise once it is read")
        if llvm and (message := refused(module(again, "llvm-22").text)):
            found.wrong.append(f"seed {seed}: {text}: LLVM: {message}")
    return found
