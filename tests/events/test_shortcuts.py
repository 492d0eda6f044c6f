"""Edges that a flag decides: what is skipped changes no outcome, and what must not be skipped is not.

Random acyclic kernels have the same outcomes with their shortcuts and without; a lock whose loop a flag ends, as clang
writes it without optimization, is decided like one that is left where it is taken.
"""

from __future__ import annotations

from random import Random

import pytest

from axmem.check.races import race
from axmem.check.selection import loaded
from axmem.encoder.solve import solve
from axmem.events import kernels, shortcuts
from axmem.events.conventions import Conventions, conventions
from axmem.events.unroll import unrolled
from axmem.front.records import replace
from axmem.litmus.blocks import ControlFlow, control_flow
from axmem.litmus.parser import parse
from axmem.litmus.syntax import Kernel
from axmem.model.library import load
from tests.drawn import parts

FLAG = """litmus flag
global lock = 0
global n = 0
kernel K() lanes 2 {
entry:
  br label %head
head:
  %done = phi i8 [ 0, %entry ], [ %after, %join ]
  %left = trunc i8 %done to i1
  %on = xor i1 %left, true
  br i1 %on, label %body, label %exit
body:
  %taken = cmpxchg lock, 0, 1 syncscope("agent") acquire monotonic
  %ok = extractvalue { i32, i1 } %taken, 1
  br i1 %ok, label %own, label %join
own:
  %c = load n
  %next = add i32 %c, 1
  store %next, n
  store atomic 0, lock syncscope("agent") ORDER
  br label %join
join:
  %after = phi i8 [ %done, %body ], [ 1, %own ]
  br label %head
exit:
  ret void
}
exists (n=2)
"""


@pytest.mark.parametrize(("order", "races"), [("release", False), ("monotonic", True)])
def test_a_lock_whose_loop_a_flag_ends_is_decided(order: str, races: bool) -> None:
    found = race(parse(FLAG.replace("ORDER", order)), loaded("amdgpu"))
    assert (found.pair is not None) == races and not found.limits


HIDDEN = Conventions(hidden=True, stutters=True)


def shortened(text: str, decided: Conventions = HIDDEN) -> dict[str, tuple[str, ...]]:
    (kernel,) = parse(text).kernels
    return dict(shortcuts.shortened(kernel, decided).successors)


def test_the_edge_leads_out_of_the_loop() -> None:
    found = shortened(FLAG.replace("ORDER", "release"))
    assert found["own"] == ("exit",) and found["join"] == ("head",) and found["entry"] == ("head",)


def test_no_edge_leads_into_a_loop_beside_its_header() -> None:
    found = shortened("""litmus once
global x = 0
kernel K() {
entry:
  br label %head
head:
  %first = phi i1 [ true, %entry ], [ false, %body ]
  br i1 %first, label %body, label %exit
body:
  store 1, x
  br label %head
exit:
  ret void
}
exists (x=1)
""")
    assert found == {"entry": ("head",), "head": ("body", "exit"), "body": ("exit",), "exit": ()}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%c = load n", "%c = load n\n  call void @llvm.amdgcn.s.barrier()"),
        ("[ 1, %own ]", "[ %next8, %own ]"),
        ("exit:\n", "exit:\n  store %more, n\n"),
        ("  br label %head\nexit", "  store 1, n\n  br label %head\nexit"),
    ],
    ids=["something waits for others", "the flag is no constant", "what is skipped is read", "something is done there"],
)
def test_nothing_else_is_skipped(old: str, new: str) -> None:
    text = FLAG.replace("ORDER", "release").replace("%left = trunc", "%more = zext i8 %done to i32\n  %left = trunc")
    text = text.replace("%next = add", "%next8 = trunc i32 %c to i8\n  %next = add")
    assert shortened(text)["own"] == ("exit",)
    assert shortened(text.replace(old, new))["own"] == ("join",)


@pytest.mark.parametrize("decided", [Conventions(), replace(HIDDEN, promises=True), replace(HIDDEN, stutters=False)])
def test_registers_and_promises_that_are_asked_for_keep_the_graph(decided: Conventions) -> None:
    assert shortened(FLAG.replace("ORDER", "release"), decided)["own"] == ("join",)


def drawn(number: int) -> str:
    """Return a test of a kernel in whose blocks flags decide, most of them constants, and of a thread beside it."""
    random, layers = Random(f"shortcut {number}"), 4
    into: dict[int, list[tuple[str, str]]] = {0: [("entry", "1")]}
    lines = ['  %r = load atomic x syncscope("agent") monotonic', "  %c = icmp eq i32 %r, 1", "  br label %j0"]
    for layer in range(layers):
        phis = [f"[ {value}, %{block} ]" for block, value in into.get(layer, [])]
        if not phis:
            continue
        lines += [f"j{layer}:", f"  %f{layer} = phi i1 {', '.join(phis)}"]
        again = random.choice((f"%f{layer}", f"%g{layer}"))
        values = ("true", "false", "true", "false", "%c", f"%f{layer}", f"%g{layer}")
        short = random.random() < 0.4
        first = f"j{layer + 1}" if short else f"a{layer}"
        lines += [f"  %g{layer} = xor i1 %f{layer}, true", f"  br i1 {again}, label %{first}, label %b{layer}"]
        if short:
            into.setdefault(layer + 1, []).append((f"j{layer}", random.choice(values)))
        for arm in "b" if short else "ab":
            lines.append(f"{arm}{layer}:")
            if random.random() < 0.6:
                lines.append(f'  store atomic {random.randrange(1, 9)}, y syncscope("agent") monotonic')
            if random.random() < 0.2:
                lines.append(f"  %w{arm}{layer} = zext i1 %f{layer} to i32")
                lines.append(f'  store atomic %w{arm}{layer}, z syncscope("agent") monotonic')
            target = min(layers, layer + random.choice((1, 1, 2)))
            into.setdefault(target, []).append((f"{arm}{layer}", random.choice(values)))
            lines.append(f"  br label %j{target}")
    phis = [f"[ {value}, %{block} ]" for block, value in into[layers]]
    lines += [f"j{layers}:", f"  %f = phi i1 {', '.join(phis)}", "  %h = zext i1 %f to i32"]
    lines += ['  store atomic %h, z syncscope("agent") monotonic', "  ret void"]
    body = "\n".join(["entry:", *lines])
    other = "\n".join(f'store atomic {value}, {to} syncscope("agent") monotonic' for value, to in ((1, "x"), (20, "y")))
    memory = "global x = 0\nglobal y = 0\nglobal z = 0"
    return f"litmus drawn\n{memory}\nkernel K() {{\n{body}\n}}\nthread T {{\n{other}\n}}\nexists (z=1)\n"


def direct(kernel: Kernel, _: Conventions) -> ControlFlow:
    return control_flow(kernel)


@pytest.mark.parametrize("part", parts(60, of=60))
def test_outcomes_are_those_without_shortcuts(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    test, model = parse(drawn(part)), load("amdgpu")
    decided = replace(conventions(model), hidden=True, stutters=True)
    found = []
    for way in (shortcuts.shortened, direct):
        monkeypatch.setattr(kernels, "shortened", way)
        found.append(solve(unrolled(test, decided).graph(), model))
    assert found[0].outcomes == found[1].outcomes and found[0].undefined == found[1].undefined


def test_many_drawn_kernels_have_shortcuts() -> None:
    drawn_kernels = [parse(drawn(number)).kernels[0] for number in range(60)]
    assert sum(shortcuts.shortened(each, HIDDEN) != control_flow(each) for each in drawn_kernels) > 30
