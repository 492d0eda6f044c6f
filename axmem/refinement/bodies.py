"""The loops of `make transforms`: bodies, and what is done to them.

What comes out: `BODIES`, each the statements of an iteration; `DEEDS`, each a transformation of a loop (`h`) or of a
nest (`o` around `h`) with the text that `axmem transform --apply` takes; and the test that has the kernel of both.
What LLVM 22.1.8 does with such a body (`LLVM`) was measured with opt on loops of the same kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

AT = "@"
"""Stands for the subscript of an access: the iteration, or a constant where the address is to be the same in all."""


@dataclass(frozen=True, slots=True)
class Body:
    """Statements of an iteration, one a line; what it is in the terms of LLVM's measurements; lanes of the launch.

    `measured` is the ordering of its accesses and what stands with them: a key of `LLVM`, or empty where none was.
    """

    name: str
    text: str
    measured: str
    lanes: int = 1


BODIES = (
    Body("data, then flag", "store 1, %d[@]\nstore atomic 1, %f[@] release", "acqrel none"),
    Body("flag, then data", "store atomic 1, %f[@] release\nstore 1, %d[@]", "acqrel none"),
    Body("data, then acquire", "%r = load i32, %d[@]\n%a = load atomic i32, %f[@] acquire", "acqrel none"),
    Body("acquire, then data", "%a = load atomic i32, %f[@] acquire\n%r = load i32, %d[@]", "acqrel none"),
    Body("release fence first", "fence release\nstore atomic 1, %f[@] monotonic", "monotonic fence"),
    Body("release fence last", "store 1, %d[@]\nfence release", "plain fence"),
    Body("acquire fence first", "fence acquire\n%r = load i32, %d[@]", "plain fence"),
    Body("acquire fence last", "%a = load atomic i32, %f[@] monotonic\nfence acquire", "monotonic fence"),
    Body("plain data", "store 1, %d[@]\n%r = load i32, %f[@]", "plain none"),
    Body("relaxed data", "store atomic 1, %d[@] monotonic\n%r = load atomic i32, %f[@] monotonic", "monotonic none"),
    Body("read-modify-write", "store 1, %d[@]\n%r = atomicrmw xchg %f[@], i32 1 acq_rel", "rmw"),
    Body("compare-exchange", "%r, %ok = cmpxchg %f[@], i32 0, i32 1 acq_rel acquire\nstore 1, %d[@]", ""),
    Body("barrier", "store 1, %d[@]\ns.barrier\n%r = load i32, %f[@]", "plain barrier", lanes=2),
    Body("ballot", "store 1, %d[@]\n%b = ballot i1 true\n%r = load i32, %f[@]", "plain readfirstlane", lanes=2),
    Body("tagged", "store 1, %d[@]  # f:a\nstore atomic 1, %f[@] release  # f:b", "acqrel none"),
    Body("spin", "SPIN\n%r = load i32, %d[@]", ""),
)


@dataclass(frozen=True, slots=True)
class Deed:
    """A transformation: what `--apply` is told; of a nest, or a loop whose accesses have one address (`fixed`).

    `reorders`: it changes the order of operations, so that there is something to refuse. `passes` is LLVM's name.
    """

    name: str
    text: str
    passes: str
    nest: bool = False
    fixed: bool = False
    reorders: bool = True


DEEDS = (
    Deed("unroll", "unroll(h)", "unroll_full_const4", reorders=False),
    Deed("distribute", "distribute(h, 1)", "distribute"),
    Deed("interleave", "interleave(h, 2)", "vectorize"),
    Deed("unroll and jam", "jam(o, 2)", "unroll_and_jam", nest=True),
    Deed("interchange", "interchange(o, h)", "interchange", nest=True),
    Deed("LICM", "licm(h)", "licm", fixed=True),
    Deed("versioning LICM", "version(h)", "versioning_licm", fixed=True),
)

NO, YES = "refuses", "does it"
_ATOMIC = dict.fromkeys(("acqrel none", "acqrel fence", "monotonic none", "monotonic fence"), NO)
LLVM: Mapping[str, Mapping[str, str]] = {
    "unroll_full_const4": dict.fromkeys(
        (*_ATOMIC, "plain none", "plain fence", "plain barrier", "plain readfirstlane"), YES
    ),
    "distribute": {**_ATOMIC, "plain none": YES, "plain fence": NO, "plain barrier": NO, "plain readfirstlane": YES},
    "vectorize": {**_ATOMIC, "plain none": NO, "plain fence": NO, "plain barrier": NO, "plain readfirstlane": NO},
    "unroll_and_jam": {**_ATOMIC, "plain none": YES, "plain fence": NO, "plain barrier": NO, "plain readfirstlane": NO},
    "interchange": {
        **_ATOMIC,
        "plain none": YES,
        "plain fence": YES,
        "plain barrier": NO,
        "plain readfirstlane": YES,
        "rmw": f"{YES} (llvm-project #200913)",
    },
    "licm": {**_ATOMIC, "plain none": "hoists", "plain fence": NO, "plain barrier": "hoists",
             "plain readfirstlane": "hoists"},
    "versioning_licm": {**_ATOMIC, "plain none": "versions and hoists", "plain fence": NO, "plain barrier": NO,
                        "plain readfirstlane": NO},
}  # fmt: skip
"""What LLVM 22.1.8 does, by the pass and by the ordering of the accesses and what stands with them in the body."""


def kernel_text(body: Body, deed: Deed) -> str:
    """Return the test with the kernel of a body in a loop of two iterations, or in a nest of two by two."""
    at = "0" if deed.fixed else "%k" if deed.nest else "%i"
    lines = [line.replace(AT, at) for line in body.text.splitlines()]
    loop = _loop(lines, "h", "%j" if deed.nest else "%i", "oh" if deed.nest else "entry", "ol" if deed.nest else "exit")
    if deed.nest:
        loop = [
            "o:", "%i = phi i32 [ 0, %entry ], [ %in, %ol ]", "%row = mul i32 %i, 2", "br label %oh", "oh:",
            "br label %h", *loop, "ol:", "%in = add i32 %i, 1", "%ic = icmp ult i32 %in, 2",
            "br i1 %ic, label %o, label %exit",
        ]  # fmt: skip
    return "\n".join(
        [
            f"litmus {deed.name.replace(' ', '-')}",
            "global [4 x i32] D = 0",
            "global [4 x i32] F = 0",
            f"kernel K(ptr addrspace(1) %d = &D, ptr addrspace(1) %f = &F) lanes {body.lanes} {{",
            "entry:",
            f"br label %{'o' if deed.nest else 'h'}",
            *loop,
            "exit:",
            "ret void",
            "}",
        ]
    )


def _loop(lines: list[str], header: str, counter: str, before: str, after: str) -> list[str]:
    """Return the blocks of a loop of two iterations; `SPIN` becomes a loop that waits inside it."""
    subscript = ["%k = add i32 %row, %j"] if counter == "%j" else []
    head = [f"{header}:", f"{counter} = phi i32 [ 0, %{before} ], [ {counter}n, %LATCH ]", *subscript]
    tail = [
        f"{counter}n = add i32 {counter}, 1",
        f"{counter}c = icmp ult i32 {counter}n, 2",
        f"br i1 {counter}c, label %{header}, label %{after}",
    ]
    if lines[0] != "SPIN":
        return [line.replace("LATCH", header) for line in (*head, *lines, *tail)]
    spin = ["br label %w", "w:", f"%a = load atomic i32, %f[{_subscript(lines)}] acquire", "%g = icmp eq i32 %a, 0",
            "br i1 %g, label %w, label %l", "l:"]  # fmt: skip
    return [line.replace("LATCH", "l") for line in (*head, *spin, *lines[1:], *tail)]


def _subscript(lines: list[str]) -> str:
    return lines[1].rsplit("[", 1)[1].removesuffix("]")
