"""The loops of `make transforms`: bodies, and what is done to them.

What comes out: `BODIES`, each the statements of an iteration; `DEEDS`, each a transformation of a loop (`h`) or of a
nest (`o` around `h`) with the text that `axmem kernel transform --apply` takes; and the test that has the kernel of
both. What LLVM 22.1.8 does with such a body (`LLVM`) was measured with opt on loops of the same kind.
"""

from __future__ import annotations

from collections.abc import Mapping

from axmem.front.records import dataclass

AT = "@"
"""Stands for the subscript of an access: the iteration, or a constant where the address is to be the same in all."""
VALUE = "%v"
"""What an iteration writes: its number from 1, so that others can tell iterations apart. Where nothing depends on what
is read, what holds of these values holds of any others: to take some for equal takes their outcomes for equal."""


@dataclass(frozen=True, slots=True)
class LoopBody:
    """Statements of an iteration, one a line; what it is in the terms of LLVM's measurements; lanes of the launch.

    `measured` is the ordering of its accesses and what stands with them: a key of `LLVM`, or empty where none was.
    `against` is the body that side conditions tell from this one: the same accesses in the other order, or stronger
    ones. Where a transformation of this body is sound, it is unsound of that one, if it is done regardless.
    """

    name: str
    text: str
    measured: str
    lanes: int = 1
    against: str = "flag, then data"


BODIES = (
    LoopBody("data, then flag", "store %v, D[@]\nstore atomic %v, F[@] release", "acqrel none"),
    LoopBody("flag, then data", "store atomic %v, F[@] release\nstore %v, D[@]", "acqrel none"),
    LoopBody("data, then acquire", "%r = load i32, D[@]\n%a = load atomic i32, F[@] acquire", "acqrel none"),
    LoopBody(
        "acquire, then data",
        "%a = load atomic i32, F[@] acquire\n%r = load i32, D[@]",
        "acqrel none",
        against="data, then acquire",
    ),
    LoopBody("release fence first", "fence release\nstore atomic %v, F[@] monotonic", "monotonic fence"),
    LoopBody("release fence last", "store %v, D[@]\nfence release", "plain fence", against="release fence first"),
    LoopBody("acquire fence first", "fence acquire\n%r = load i32, D[@]", "plain fence", against="acquire fence last"),
    LoopBody("acquire fence last", "%a = load atomic i32, F[@] monotonic\nfence acquire", "monotonic fence"),
    LoopBody("plain data", "store %v, D[@]\n%r = load i32, F[@]", "plain none"),
    LoopBody("relaxed data", "store atomic %v, D[@] monotonic\n%r = load atomic i32, F[@] monotonic", "monotonic none"),
    LoopBody("read-modify-write", "store %v, D[@]\n%r = atomicrmw xchg F[@], i32 %v acq_rel", "rmw"),
    LoopBody("compare-exchange", "%r, %ok = cmpxchg F[@], i32 0, i32 %v acq_rel acquire\nstore %v, D[@]", ""),
    LoopBody("barrier", "store %v, D[@]\ns.barrier\n%r = load i32, F[@]", "plain barrier", lanes=2),
    LoopBody("ballot", "store %v, D[@]\n%b = ballot i1 true\n%r = load i32, F[@]", "plain readfirstlane", lanes=2),
    LoopBody("tagged", "store %v, D[@]  # f:a\nstore atomic %v, F[@] release  # f:b", "acqrel none"),
    LoopBody("spin", "SPIN\n%r = load i32, D[@]", ""),
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


def kernel_text(body: LoopBody, deed: Deed) -> str:
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
    number = "%k" if counter == "%j" else counter
    subscript = ["%k = add i32 %row, %j"] if counter == "%j" else []
    if any(VALUE in line for line in lines):
        subscript.append(f"{VALUE} = add i32 {number}, 1")
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
