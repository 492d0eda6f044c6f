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
    Body("data, then flag", "store 1, D[@]\nstore atomic 1, F[@] release", "acqrel none"),
    Body("flag, then data", "store atomic 1, F[@] release\nstore 1, D[@]", "acqrel none"),
    Body("data, then acquire", "%r = load i32, D[@]\n%a = load atomic i32, F[@] acquire", "acqrel none"),
    Body("acquire, then data", "%a = load atomic i32, F[@] acquire\n%r = load i32, D[@]", "acqrel none"),
    Body("release fence first", "fence release\nstore atomic 1, F[@] monotonic", "monotonic fence"),
    Body("release fence last", "store 1, D[@]\nfence release", "plain fence"),
    Body("acquire fence first", "fence acquire\n%r = load i32, D[@]", "plain fence"),
    Body("acquire fence last", "%a = load atomic i32, F[@] monotonic\nfence acquire", "monotonic fence"),
    Body("plain data", "store 1, D[@]\n%r = load i32, F[@]", "plain none"),
    Body("relaxed data", "store atomic 1, D[@] monotonic\n%r = load atomic i32, F[@] monotonic", "monotonic none"),
    Body("read-modify-write", "store 1, D[@]\n%r = atomicrmw xchg F[@], i32 1 acq_rel", "rmw"),
    Body("compare-exchange", "%r, %ok = cmpxchg F[@], i32 0, i32 1 acq_rel acquire\nstore 1, D[@]", ""),
    Body("barrier", "store 1, D[@]\ns.barrier\n%r = load i32, F[@]", "plain barrier", lanes=2),
    Body("ballot", "store 1, D[@]\n%b = ballot i1 true\n%r = load i32, F[@]", "plain readfirstlane", lanes=2),
    Body("tagged", "store 1, D[@]  # f:a\nstore atomic 1, F[@] release  # f:b", "acqrel none"),
    Body("spin", "SPIN\n%r = load i32, D[@]", ""),
)


@dataclass(frozen=True, slots=True)
class Deed:
    """A transformation: what `--apply` is told; of a nest, or a loop whose accesses have one address (`fixed`).

    `aliased`: its accesses go through pointers that may be equal, for all that is known. `reorders`: it changes the
    order of operations, so that there is something to refuse. `passes` is LLVM's name.
    """

    name: str
    text: str
    passes: str
    nest: bool = False
    fixed: bool = False
    aliased: bool = False
    reorders: bool = True


DEEDS = (
    Deed("unroll", "unroll(h)", "unroll_full_const4", reorders=False),
    Deed("distribute", "distribute(h, 1)", "distribute"),
    Deed("interleave", "interleave(h, 2)", "vectorize"),
    Deed("unroll and jam", "jam(o, 2)", "unroll_and_jam", nest=True),
    Deed("interchange", "interchange(o, h)", "interchange", nest=True),
    Deed("LICM", "licm(h)", "licm", fixed=True),
    Deed("versioning LICM", "version(h)", "versioning_licm", fixed=True, aliased=True),
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
    names = {"D[": "%d[", "F[": "%f["} if deed.aliased else {}
    text = body.text
    for old, new in names.items():
        text = text.replace(old, new)
    lines = [line.replace(AT, at) for line in text.splitlines()]
    loop = _loop(lines, "h", "%j" if deed.nest else "%i", "oh" if deed.nest else "entry", "ol" if deed.nest else "exit")
    if deed.nest:
        loop = [
            "o:", "%i = phi i32 [ 0, %entry ], [ %in, %ol ]", "%row = mul i32 %i, 2", "br label %oh", "oh:",
            "br label %h", *loop, "ol:", "%in = add i32 %i, 1", "%ic = icmp ult i32 %in, 2",
            "br i1 %ic, label %o, label %exit",
        ]  # fmt: skip
    parameters = "ptr addrspace(1) %d = &D, ptr addrspace(1) %f = &F" if deed.aliased else ""
    return "\n".join(
        [
            f"litmus {deed.name.replace(' ', '-')}",
            "global [4 x i32] D = 0",
            "global [4 x i32] F = 0",
            f"kernel K({parameters}) lanes {body.lanes} {{",
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
    flag = lines[1].rsplit(" ", 1)[1].replace("%d", "%f").replace("D", "F")
    spin = ["br label %w", "w:", f"%a = load atomic i32, {flag} acquire", "%g = icmp eq i32 %a, 0",
            "br i1 %g, label %w, label %l", "l:"]  # fmt: skip
    return [line.replace("LATCH", "l") for line in (*head, *spin, *lines[1:], *tail)]
