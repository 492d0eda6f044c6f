"""Random loops with random metadata, as the text of tests.

What goes in: a source of randomness. What comes out: tests of many kernels, each with one loop, or a nest of two.
Invariant: loops are rotated (their test is in the latch), as passes over loops want them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

HEAD = """litmus Loops
"random loops"
global [64 x i32] a = 0
global [64 x i32] b = 0
global [64 x i32] c = 0
global [64 x i32] d = 0
global [64 x i32] e = 0
declare void @f(i32)
"""

BODIES = {
    "map": "%v = load i32, a[%i]\n%w = add i32 %v, 1\nstore i32 %w, a[%i]",
    "two": "%v = load i32, a[%i]\n%w = add i32 %v, 1\nstore i32 %w, b[%i]\nstore i32 %v, c[%i]",
    "recurrence": "%j = add i64 %i, 1\n%v = load i32, a[%i]\n%w = mul i32 %v, 3\nstore i32 %w, a[%j]",
    "pointers": (
        "%from = getelementptr i32, ptr addrspace(1) %p, i64 %i\n%to = getelementptr i32, ptr addrspace(1) %q, i64 %i\n"
        "%v = load i32, ptr addrspace(1) %from\n%w = add i32 %v, 1\nstore i32 %w, ptr addrspace(1) %to"
    ),
    "apart": (
        "%j = add i64 %i, 1\n%v = load i32, a[%i]\n%u = load i32, b[%i]\n%w = mul i32 %v, %u\nstore i32 %w, a[%j]\n"
        "%s = load i32, d[%i]\n%t = load i32, e[%i]\n%g = mul i32 %s, %t\nstore i32 %g, c[%i]"
    ),
    "monotonic": "%v = load atomic i32, a[%i] monotonic\nstore i32 %v, b[%i]",
    "unordered": "%v = load i32, b[%i]\nstore atomic i32 %v, a[%i] unordered",
    "volatile": "%v = load volatile i32, a[%i]\nstore i32 %v, b[%i]",
    "rmw": "%v = atomicrmw add a[%i], 1 monotonic\nstore i32 %v, b[%i]",
    "fence": '%v = load i32, a[%i]\nfence syncscope("agent") release\nstore i32 %v, b[%i]',
    "barrier": "%v = load i32, a[%i]\ncall void @llvm.amdgcn.s.barrier()\nstore i32 %v, b[%i]",
    "crosslane": "%v = load i32, a[%i]\n%w = readfirstlane %v\nstore i32 %w, b[%i]",
    "call": "%v = load i32, a[%i]\ncall void @f(i32 %v)",
    "invariant": (
        "%v = load i32, ptr addrspace(1) %p\n%to = getelementptr i32, ptr addrspace(1) %q, i64 %i\n"
        "%w = add i32 %v, 1\nstore i32 %w, ptr addrspace(1) %to"
    ),
}
"""What loops do, one block each; `%p` and `%q` are pointers of which nothing is known."""

NESTS = {
    "sums": ("%v = load i32, b[%j]\n%s = add i32 %z, %v", "store i32 %s, a[%i]"),
    "rows": (
        "%k = add i64 %j, %i\n%v = load i32, b[%j]\n%s = add i32 %z, %v\nstore i32 %s, c[%j]",
        "store i32 1, a[%i]",
    ),
    "atomics": ("%v = load atomic i32, b[%j] monotonic\n%s = add i32 %z, %v", "store i32 %s, a[%i]"),
    "columns": (
        "%r = mul i64 %j, 8\n%k = add i64 %r, %i\n%v = load i32, a[%k]\n%w = add i32 %v, 1\nstore i32 %w, a[%k]",
        "",
    ),
}
"""What the inner and the outer loop of a nest do, after the inner one; `%s` is a sum over the inner one."""

ATTRIBUTES = [
    "unroll.enable",
    "unroll.disable",
    "unroll.full",
    "unroll.count=0",
    "unroll.count=1",
    "unroll.count=2",
    "unroll.count=3",
    "unroll.count=4",
    "unroll.count=8",
    "unroll.runtime.disable",
    "vectorize.enable=1",
    "vectorize.enable=1",
    "vectorize.enable=0",
    "vectorize.width=1",
    "vectorize.width=2",
    "vectorize.width=4",
    "vectorize.predicate.enable=1",
    "interleave.count=1",
    "interleave.count=2",
    "isvectorized=1",
    "distribute.enable=1",
    "distribute.enable=1",
    "distribute.enable=0",
    "isdistributed",
    "disable_nonforced",
    "user",
    "mustprogress",
    "licm_versioning.disable",
]
JAMS = ["unroll_and_jam.enable", "unroll_and_jam.count=2", "unroll_and_jam.count=3", "unroll_and_jam.count=4"]
FOLLOWUPS = [
    "unroll.followup_all",
    "unroll.followup_unrolled",
    "unroll.followup_remainder",
    "vectorize.followup_all",
    "vectorize.followup_vectorized",
    "vectorize.followup_epilogue",
    "distribute.followup_all",
    "distribute.followup_coincident",
    "distribute.followup_sequential",
    "distribute.followup_fallback",
]
JAM_FOLLOWUPS = [
    f"unroll_and_jam.followup_{which}" for which in ("all", "outer", "inner", "remainder_outer", "remainder_inner")
]


@dataclass(frozen=True, slots=True)
class Generated:
    """A kernel: what its loops do, and its text without its name; `{0}` and so on stand for numbers of metadata.

    Its counters and bounds have so many `bits`.
    """

    shape: str
    attributes: tuple[tuple[str, ...], ...]
    lines: tuple[str, ...]
    bits: int = 64


def kernel(random: Random) -> Generated:
    """Return a kernel with a random loop, or nest; some count with 32 bits, which are extended for addresses."""
    found = _nest(random) if random.random() < 0.3 else _single(random)
    if random.random() > 0.3 or any("getelementptr" in line for line in found.lines):
        return found
    test = random.choice(("ult", "slt"))
    lines = (line.replace("i64", "i32").replace("icmp ult", f"icmp {test}") for line in found.lines)
    return replace(found, shape=f"{found.shape} i32 {test}", lines=tuple(lines), bits=32)


def _single(random: Random) -> Generated:
    shape = random.choices([*BODIES], [6, 2, 3, 4, 6, *[1] * (len(BODIES) - 5)])[0]
    bound = random.choice(["%n", "%n", "3", "5", "8", "12", "16", "60"])
    return Generated(f"{shape} {bound}", (_metadata(random),), single_lines(shape, bound))


def single_lines(shape: str, bound: str) -> tuple[str, ...]:
    """Return the lines of a loop of a shape that is executed so often."""
    return (
        *("br label %h", "h:", "%i = phi i64 [ 0, %entry ], [ %i1, %h ]"),
        *BODIES[shape].split("\n"),
        *(
            "%i1 = add i64 %i, 1",
            f"%t1 = icmp ult i64 %i1, {bound}",
            "br i1 %t1, label %h, label %x{0}",
            "x:",
            "ret void",
        ),
    )


def _nest(random: Random) -> Generated:
    shape = random.choices([*NESTS], [4, 1, 1, 2])[0]
    bounds = [random.choice(["%n", "5", "6", "8"]), random.choice(["%m", "3", "7", "8"])]
    around = _metadata(random, JAMS if random.random() < 0.7 else [])
    return Generated(f"nest {shape} {' '.join(bounds)}", (_metadata(random), around), nest_lines(shape, bounds))


def nest_lines(shape: str, bounds: list[str]) -> tuple[str, ...]:
    """Return the lines of a nest of a shape whose outer and inner loop are executed so often."""
    inner, outer = NESTS[shape]
    return (
        *("br label %o", "o:", "%i = phi i64 [ 0, %entry ], [ %i1, %l ]", "br label %h", "h:"),
        "%j = phi i64 [ 0, %o ], [ %j1, %h ]",
        *(["%z = phi i32 [ 0, %o ], [ %s, %h ]"] if "%z" in inner else []),
        *inner.split("\n"),
        *("%j1 = add i64 %j, 1", f"%t1 = icmp ult i64 %j1, {bounds[1]}", "br i1 %t1, label %h, label %l{0}", "l:"),
        *(*outer.split("\n"), "%i1 = add i64 %i, 1", f"%t2 = icmp ult i64 %i1, {bounds[0]}"),
        *("br i1 %t2, label %o, label %x{1}", "x:", "ret void"),
    )


def _metadata(random: Random, jams: list[str] | None = None) -> tuple[str, ...]:
    """Return the attributes of a LoopID, none at all for a loop without one."""
    if random.random() < 0.1:
        return ()
    found = _different(random, ATTRIBUTES, random.choice([1, 1, 2, 3]))
    if jams:
        found = [*random.sample(jams, 1), *found[: random.choice([0, 0, 1])]]
    lists = [*FOLLOWUPS, *JAM_FOLLOWUPS] if not jams else JAM_FOLLOWUPS
    for name in random.sample(lists, random.choice([0, 0, 1, 2])):
        inside = _different(random, ["user1", "user2", *ATTRIBUTES], random.choice([0, 1, 1, 2]))
        found.append(f"{name}={{{';'.join(inside)}}}")
    random.shuffle(found)
    return tuple(found)


def _different(random: Random, texts: list[str], count: int) -> list[str]:
    """Return so many attributes, of several of one name the first: LLVM's passes disagree about which counts."""
    found: dict[str, str] = {}
    for text in random.sample(texts, count):
        found.setdefault(text.partition("=")[0], text)
    return [*found.values()]


def text_of(kernels: list[Generated]) -> str:
    """Return a test of these kernels, K0 and so on."""
    parts, metadata = [HEAD], list[str]()
    for number, each in enumerate(kernels):
        names = []
        for given in each.attributes:
            names.append(f", !llvm.loop !{len(metadata)}" if given else "")
            if given:
                nodes = ", ".join([f"!{len(metadata)}", *(_node(text) for text in given)])
                metadata.append(f"!{len(metadata)} = distinct !{{{nodes}}}")
        bounds = ", ".join(f"i{each.bits} %{name} = 3" for name in "nm")
        parts.append(f"kernel K{number}({bounds}, ptr addrspace(1) %p = &a, ptr addrspace(1) %q = &b) {{")
        parts.append("entry:")
        parts += [line.replace("{0}", names[0]).replace("{1}", names[-1]) for line in each.lines]
        parts.append("}")
    return "\n".join([*parts, *metadata, "exists (true)"]) + "\n"


def _node(text: str) -> str:
    """Return an attribute in the short form of `tests.transform.metadata` as a node."""
    name, equals, rest = text.partition("=")
    if rest.startswith("{"):
        return f'!{{!"llvm.loop.{name}"{"".join(f", {_node(each)}" for each in rest[1:-1].split(";") if each)}}}'
    kind = "i1" if name.endswith((".enable", "disable", "isvectorized")) else "i32"
    return f'!{{!"llvm.loop.{name}"{f", {kind} {rest}" if equals else ""}}}'
