"""Printing and parsing are inverse on well-typed tests, and parsing any text gives a test or an `InputError`.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from axmem.front.source import InputError
from axmem.litmus.floats import FLOAT_COMPARISONS, FLOATING
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.resolution import resolve
from axmem.litmus.spelling import ARRIVE, MARK, WAIT
from axmem.litmus.syntax import (
    I1,
    I32,
    I64,
    POINTER,
    AccessMode,
    Address,
    AddressOf,
    AddressSpace,
    Assign,
    Assume,
    AtomicRmw,
    Barrier,
    Both,
    CmpXchg,
    Condition,
    Either,
    Element,
    Expectation,
    Expr,
    Fence,
    FinalValue,
    If,
    IntegerOperation,
    LitmusTest,
    Load,
    Location,
    Make,
    ModelChoice,
    Not,
    Number,
    Ordering,
    Placement,
    Quantifier,
    Register,
    RegisterOf,
    Scope,
    Statement,
    Store,
    SyncScope,
    Thread,
    Track,
    Transfer,
    Type,
    UndefValue,
    ValueComparison,
    VectorOf,
)
from axmem.litmus.words import DMA_SCOPES
from tests.drawn import examples, some
from tests.paths import CORPUS_TESTS

I8 = Type(8)
V4 = Type(32, 4)
LOCATIONS = {
    "x": (AddressSpace.GLOBAL, I32), "y": (AddressSpace.GLOBAL, I32), "w": (AddressSpace.GLOBAL, I64),
    "c": (AddressSpace.LDS, I8), "b": (AddressSpace.GLOBAL, V4), "a": (AddressSpace.LDS, Type(16, 8)),
    "p": (AddressSpace.GLOBAL, POINTER),
}  # fmt: skip
REGISTERS = {"r0": I32, "r1": I32, "q0": I64, "t0": I1, "h0": I8, "v0": V4, "%0": I32, "add": I32}
"""Every thread has these registers, of these types, all assigned at its beginning."""

MONOTONIC_UP = [Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.RELEASE, Ordering.ACQ_REL, Ordering.SEQ_CST]
READS = [Ordering.UNORDERED, Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.SEQ_CST]
WRITES = [Ordering.UNORDERED, Ordering.MONOTONIC, Ordering.RELEASE, Ordering.SEQ_CST]
FENCES = [Ordering.ACQUIRE, Ordering.RELEASE, Ordering.ACQ_REL, Ordering.SEQ_CST]

scopes = st.builds(SyncScope, st.sampled_from(Scope), st.booleans())
words = st.sampled_from(["vulkan", "private", "amdgcn-av", "none", "a b", 'q"', "x;y", "ü"])
tag_sets = st.frozensets(st.tuples(words, words), max_size=2)
text = st.text(st.characters(blacklist_categories=["Cs"], max_codepoint=0x2FFF), max_size=12)


def numbers(type_: Type) -> st.SearchStrategy[Number]:
    low = 0 if type_.bits == 1 else -(1 << (type_.bits - 1))
    return st.integers(low, (1 << type_.bits) - 1).map(lambda n: Number(n, type_))


def registers(type_: Type) -> st.SearchStrategy[Expr]:
    return st.sampled_from([Register(name.lstrip("%")) for name, own in REGISTERS.items() if own == type_])


def leaves(type_: Type) -> st.SearchStrategy[Expr]:
    if type_ == POINTER:
        return st.sampled_from([AddressOf(name) for name, (space, _) in LOCATIONS.items() if space.value == 1])
    if type_.lanes:
        lanes = st.tuples(*[expressions(type_.element, 0)] * type_.lanes).map(VectorOf)
        return lanes | registers(type_) if type_ == V4 else lanes
    known = registers(type_) if type_ in REGISTERS.values() else st.nothing()
    return st.one_of(numbers(type_), st.just(UndefValue(type_)), known)


@st.composite
def expressions(draw: st.DrawFn, type_: Type, depth: int) -> Expr:
    """Draw an expression of this type."""
    if depth == 0 or type_.lanes or type_ == POINTER:
        return draw(leaves(type_))
    inner = expressions(type_, depth - 1)
    kinds = ["leaf", "binary", "not", "select"]
    kinds += {
        1: ["compare", "fcmp"], 32: ["lane", "zext", "float", "fptrunc"],
        64: ["zext", "sext", "float", "fptoui.sat", "uitofp"], 8: ["trunc", "fptosi"],
    }.get(type_.bits, [])  # fmt: skip
    kind = draw(st.sampled_from(kinds))
    if kind == "binary":
        name = draw(st.sampled_from(["add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "srem"]))
        return IntegerOperation(name, (draw(inner), draw(inner)), type_)
    if kind == "float":
        name, count = draw(st.sampled_from(sorted(FLOATING.items())))
        return IntegerOperation(name, tuple(draw(inner) for _ in range(count)), type_)
    if kind == "fcmp":
        other = draw(st.sampled_from([I32, I64]))
        name = draw(st.sampled_from(sorted(FLOAT_COMPARISONS)))
        return IntegerOperation(name, (draw(registers(other)), draw(expressions(other, depth - 1))), type_)
    if kind in ("fptosi", "fptoui.sat", "fptrunc", "uitofp"):
        other = {"fptosi": I32, "uitofp": I8}.get(kind, I64)
        return IntegerOperation(
            kind, (draw(registers(other) if kind == "uitofp" else expressions(other, depth - 1)),), type_
        )
    if kind == "not":
        return IntegerOperation("not", (draw(inner),), type_)
    if kind == "select":
        return IntegerOperation("select", (draw(expressions(I1, depth - 1)), draw(inner), draw(inner)), type_)
    if kind == "compare":
        other = draw(st.sampled_from([I32, I64, I8]))
        name = draw(st.sampled_from(["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"]))
        sides = expressions(other, depth - 1)
        return IntegerOperation(name, (draw(registers(other)), draw(sides)), type_)
    if kind == "lane":
        return Element(Register("v0"), draw(st.integers(0, 3)))
    if kind in ("zext", "sext"):
        return IntegerOperation(kind, (draw(registers(I8)),), type_)
    return IntegerOperation("trunc", (draw(registers(I64)),), type_) if kind == "trunc" else draw(leaves(type_))


@st.composite
def places(draw: st.DrawFn) -> tuple[str, Address, Type]:
    """Draw a location, an address in it and the type of an access to that address."""
    name = draw(st.sampled_from(sorted(LOCATIONS)))
    type_ = LOCATIONS[name][1]
    form = draw(st.sampled_from(["whole", "index", "computed", "bytes"] if type_.lanes else ["whole", "computed"]))
    if form == "index":
        return name, Address(AddressOf(name), draw(st.integers(0, type_.lanes - 1).map(Number))), type_.element
    if form == "bytes":
        offset = draw(st.integers(0, type_.lanes - 1)) * type_.element.size
        return name, Address(IntegerOperation("add", (AddressOf(name), Number(offset)))), type_.element
    if form == "computed":
        register = draw(st.sampled_from([Register("r0"), Register("q0")]))
        return name, Address(AddressOf(name), IntegerOperation("xor", (register, register))), type_.element
    return name, Address(AddressOf(name)), type_


@st.composite
def modes(draw: st.DrawFn, orderings: list[Ordering], plain: bool = True) -> AccessMode:
    """Draw a mode with one of these orderings, or a plain or av one if `plain`."""
    kind = draw(st.sampled_from(["atomic", "plain", "av"] if plain else ["atomic"]))
    tags = draw(tag_sets)
    if kind == "atomic":
        ordering, volatile = draw(st.sampled_from(orderings)), draw(st.booleans())
        return AccessMode(ordering, draw(scopes), volatile, tags=tags, nontemporal=draw(st.booleans()))
    if kind == "av":
        return AccessMode(scope=draw(scopes), av=True, tags=tags, nontemporal=draw(st.booleans()))
    return AccessMode(volatile=draw(st.booleans()), nontemporal=draw(st.booleans()), tags=tags,
                      align=draw(st.sampled_from([None, 1, 16])))  # fmt: skip


@st.composite
def accesses(draw: st.DrawFn, number: int) -> Statement:
    """Draw a load, store, atomicrmw or cmpxchg; its results go to registers of its own."""
    _, address, type_ = draw(places())
    kind = draw(st.sampled_from(["load", "store", "rmw", "cmpxchg"]))
    if kind == "load":
        return Load(f"d{number}", type_, address, draw(modes(READS)))
    if kind == "store":
        return Store(draw(expressions(type_, 2)), type_, address, draw(modes(WRITES)))
    if kind == "rmw" and type_ != POINTER and not type_.lanes:
        operation = draw(st.sampled_from(["xchg", "add", "umax", "uinc_wrap", "usub_sat"]))
        register = draw(st.sampled_from(["", f"d{number}"]))
        mode = draw(modes(MONOTONIC_UP, plain=False))
        return AtomicRmw(register, operation, type_, address, draw(expressions(type_, 1)), mode)
    assume(not type_.lanes)
    results = draw(st.sampled_from([("", ""), (f"d{number}", ""), (f"d{number}", f"k{number}")]))
    expected, desired = draw(expressions(type_, 1)), draw(expressions(type_, 0))
    failure = draw(st.sampled_from([Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.SEQ_CST]))
    mode = draw(modes(MONOTONIC_UP, plain=False))
    return CmpXchg(*results, draw(st.booleans()), type_, address, expected, desired, mode, failure)


@st.composite
def statements(draw: st.DrawFn, number: int, depth: int) -> Statement:
    """Draw a statement; only those outside every `if` may be barriers, and those come elsewhere."""
    kind = draw(st.sampled_from(["access", "access", "access", "fence", "make", "dma", "assign", "assume", "if"]))
    if kind == "dma":
        return draw(transfers())
    if kind == "fence":
        return Fence(AccessMode(draw(st.sampled_from(FENCES)), draw(scopes), tags=draw(tag_sets)))
    if kind == "make":
        target = draw(st.none() | places())
        address = None if target is None else target[1]
        return Make(draw(st.booleans()), draw(scopes), address, None if target is None else target[2], draw(tag_sets))
    if kind == "assign":
        register, type_ = draw(st.sampled_from([(r, t) for r, t in REGISTERS.items() if not t.lanes]))
        return Assign(register.lstrip("%"), draw(expressions(type_, 3)))
    if kind == "assume":
        return Assume(draw(expressions(I1, 2)))
    if kind == "if" and depth:
        then = tuple(draw(statements(number * 10 + i, depth - 1)) for i in range(draw(st.integers(0, 2))))
        other = tuple(draw(statements(number * 10 + 5 + i, depth - 1)) for i in range(draw(st.integers(0, 2))))
        return If(draw(expressions(I1, 2)), then, other)
    return draw(accesses(number))


@st.composite
def transfers(draw: st.DrawFn) -> Transfer:
    """Draw what initiates a DMA operation between global memory and LDS."""
    name, memory, type_ = draw(places())
    assume(LOCATIONS[name][0] is AddressSpace.GLOBAL)
    index = draw(st.none() | st.integers(0, 16 // type_.size - 1).map(Number))
    scope = draw(st.builds(SyncScope, st.sampled_from(Scope)))
    return Transfer(draw(st.booleans()), type_, memory, Address(AddressOf("a"), index), scope)


TRACKS = st.just(Track(MARK)) | st.integers(0, 3).map(lambda count: Track(WAIT, count))


def beginning() -> tuple[Statement, ...]:
    return tuple(Assign(name.lstrip("%"), Number(0, t) if not t.lanes else VectorOf((Number(0, I32),) * 4))
                 for name, t in REGISTERS.items())  # fmt: skip


@st.composite
def threads(draw: st.DrawFn, name: str, waits: int) -> Thread:
    body = [draw(statements(i, 2)) for i in range(draw(st.integers(0, 4)))]
    for _ in range(waits):
        body.insert(draw(st.integers(0, len(body))), Barrier())
        body.insert(draw(st.integers(0, len(body))), draw(TRACKS | st.just(Track(ARRIVE))))
    body = [_labelled(s, f"L{i}") if draw(st.booleans()) else s for i, s in enumerate(body)]
    place = draw(st.sampled_from([Placement(), Placement((0, 0, 1, None, None)), Placement((1, 2, 0, 3, None))]))
    return Thread(name, place, (*beginning(), *body))


def _labelled(statement: Statement, label: str) -> Statement:
    return replace(statement, label=label)


@st.composite
def conditions(draw: st.DrawFn, depth: int) -> Condition:
    kind = draw(st.sampled_from(["atom", "not", "both", "either"] if depth else ["atom"]))
    if kind == "not":
        return Not(draw(conditions(depth - 1)))
    if kind != "atom":
        node = Both if kind == "both" else Either
        return node(draw(conditions(depth - 1)), draw(conditions(depth - 1)))
    op = draw(st.sampled_from(["=", "!=", "<", "<=", ">", ">="]))
    if draw(st.booleans()):
        name, type_ = draw(st.sampled_from([(r, t) for r, t in REGISTERS.items() if t != I1]))
        left: RegisterOf | FinalValue = RegisterOf("P0", name.lstrip("%"))
    else:
        name = draw(st.sampled_from(sorted(LOCATIONS)))
        type_, left = LOCATIONS[name][1], FinalValue(name)
    if type_.lanes:
        return ValueComparison(op, left, VectorOf((*[Number(1)] * (type_.lanes - 1), UndefValue())))
    if type_ == POINTER:
        moved = IntegerOperation("add", (AddressOf("b"), Number(8)))
        pointers: list[AddressOf | IntegerOperation | UndefValue] = [AddressOf("x"), moved, UndefValue()]
        return ValueComparison(op, left, draw(st.sampled_from(pointers)))
    return ValueComparison(op, left, draw(numbers(type_) | st.just(UndefValue())))


@st.composite
def litmus_tests(draw: st.DrawFn) -> LitmusTest:
    """Draw a test that has been through the passes after reading."""
    waits = draw(st.integers(0, 1))
    names = ["P0", "P1"][: draw(st.integers(1, 2))]
    variants = draw(st.sampled_from([(), (("vis.instance", "literal"),)]))
    models = (ModelChoice("llvm"), ModelChoice("amdgpu-doc", variants))
    test = LitmusTest(
        "T+x-y", draw(text),
        tuple(Location(n, s, t, draw(st.none() | expressions_constant(t))) for n, (s, t) in LOCATIONS.items()),
        tuple(draw(threads(name, waits)) for name in names),
        observe=(RegisterOf("P0", "v0", 2), FinalValue("b", 1)),
        filter=draw(st.none() | conditions(1)),
        quantifier=draw(st.sampled_from(Quantifier)),
        condition=draw(conditions(2)),
        expectations=(Expectation(models, draw(st.sampled_from(["never", "undefined"])), draw(text)),),
        dma=draw(st.sampled_from(DMA_SCOPES)),
    )  # fmt: skip
    resolved, diagnostics = resolve(test)
    assume(not diagnostics)
    return resolved


def expressions_constant(type_: Type) -> st.SearchStrategy[Expr]:
    if type_ == POINTER:
        return leaves(POINTER)
    if type_.lanes:
        return st.tuples(*[numbers(type_.element)] * type_.lanes).map(VectorOf)
    return numbers(type_) | st.just(UndefValue())


@settings(max_examples=examples(150), suppress_health_check=list(HealthCheck))
@given(litmus_tests())
def test_parse_undoes_print(test: LitmusTest) -> None:
    printed = print_test(test)
    again = parse(printed)
    assert again == test, printed
    assert print_test(again) == printed
    assert resolve(test) == (test, []), "the passes leave a checked test alone"


@pytest.mark.parametrize("path", some(CORPUS_TESTS, of=16), ids=lambda p: p.stem)
def test_corpus_survives_printing(path: Path) -> None:
    test = parse(path.read_text("utf-8"), path.name)
    printed = print_test(test)
    again = parse(printed)
    assert again == test
    assert print_test(again) == printed


FRAGMENTS = (
    "litmus t\n", "global x = 0\n", "thread P0 {\n", "}\n", "}", "{", "(", ")", "[", "]", "<", ">", "4 x i32", "i32",
    "ptr ", "addrspace(3) ", "store 1, x", "r = load x\n", "atomic ", "release ", 'syncscope("agent") ', "if r {\n",
    "else ", "cmpxchg x, 0, 1 acq_rel\n", "atomicrmw add x, 1 monotonic\n", "fence acq_rel\n", "!mmra !0", "!0 = !{",
    '!"a"', ", ", "= ", "&", "~", "?", ":", "exists (", "P0:r=1", "/\\ ", "\\/ ", "=>", "expect llvm never\n",
    "outcomes llvm {\n", "# a:b\n", "; c\n", '"', "\n", "-", "+ ", "1", "0x", "barrier\n", "Thread T:\n", "@x", "%r",
    "kernel K(i32 n = 1) lanes 2 {\n", "kernel K(", ") lanes 2 {\n", "i32 m in {0, 1}", "A:\n", "B:\n", "br A\n",
    "br r, A, B\n", "br label %A\n", "p = phi [ 1, A ]", "phi i32 [ 1, %B ]", "switch r, A [ 1, B ]\n", "ret void\n",
    "unreachable\n", "while r {\n", "for i in 0..2 {\n", "r = readfirstlane p\n", "b = ballot r\n", "lds t\n",
    "s.barrier.signal\n", "bound 2\n", "all K:r=1", "K.0.0.1:r=1", "K.0.0:p={1,2}", "r = lane.id\n", "..",
    "%t = call token @llvm.experimental.convergence.anchor()\n", '[ "convergencectrl"(token %t) ]', "call void @f(1)\n",
    "declare void @f(i32) convergent\n", "lds barrier b\n", ", !llvm.loop !0", "} !llvm.loop !0\n",
    ", !llvm.access.group !1", "!0 = distinct !{!0, !1}\n", "!1 = distinct !{}\n", "distinct ",
    "!1 = !{!\"llvm.loop.unroll.count\", i32 -1}\n",
    "call void @llvm.amdgcn.s.barrier()\n", "av.load.b128 ", "make.ptr.visible x", "undef", "getelementptr ", "\x00",
)  # fmt: skip


@pytest.mark.parametrize("body", ["r = load x\nr = readfirstlane p", "q = &x\nq = load x", "r = load x\np = r"])
def test_null_is_of_the_space_that_is_wanted(body: str) -> None:
    text = f"litmus t\nglobal x = 0, y = 0\nkernel K(ptr addrspace(1) p = &y) lanes 2 {{\n{body}\n}}\n"
    survives(text)


@pytest.mark.parametrize("null", ["null", "0"])
@pytest.mark.parametrize("space", ["global", "lds", "private"])
def test_an_address_that_becomes_null_stays_one_of_its_space(space: str, null: str) -> None:
    test = parse(f"litmus t\n{space} x\nthread P0 {{\nq = &x\nq = {null}\nif q == null {{\nr = 1\n}}\n}}\n")
    first, second, *_ = test.threads[0].body
    assert isinstance(first, Assign)
    assert isinstance(second, Assign)
    assert second.value.type == first.value.type
    assert parse(print_test(test)) == test


def survives(text: str) -> None:
    try:
        test = parse(text)
    except InputError as error:
        assert error.diagnostics
        assert all(str(d).startswith("<string>:") for d in error.diagnostics)
    else:
        assert parse(print_test(test)) == test


@settings(max_examples=examples(400))
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join))
@example("litmus t\nthread P {\n" + "if 1 {\n" * 200)
@example("litmus t\nthread P {\nr = " + "(" * 5000)
@example("litmus t\nthread P {\nr = " + "-" * 5000 + "1\n}")
@example("litmus t\nexists " + "(" * 5000)
@example("litmus t\nexists " + "~" * 5000 + "true")
@example("litmus t\nthread P {\n" + "x {\n" * 5000)
@example("litmus t\nthread P { r = 1" + " + 1" * 3000 + " }")
@example("litmus t\nthread P { r = 1 }\nexists (P:r=1" + " /\\ P:r=1" * 3000 + ")")
@example("litmus t\n!0 = " + "!{" * 5000)
@example("litmus t\nthread P { r = v" + "[0]" * 3000 + " }")
def test_fragments_give_a_test_or_an_input_error(text: str) -> None:
    survives(text)


KERNEL_LINES = (
    "A:", "B:", "C:", "br A", "br B", "br c, A, B", "br c, B, C", "br label %C", "switch n, A [ 0, B, 1, C ]",
    "ret void", "unreachable", "r = phi [ n, entry ], [ r, A ]", "r = phi i32 [ 1, %A ], [ s, %B ]",
    "c = phi [ true, A ], [ false, B ]", "q = phi [ p, entry ], [ &x, B ]", "c = n == 0", "c = r < s", "r = n + 1",
    "s = r", "r = load p", "s = load x", "q = p", "store r, y", "o, c = cmpxchg x, r, s monotonic",
    "w = cmpxchg x, 0, 1 monotonic", "r = w[0]", "b = ballot c", "r = readfirstlane s", "q = readfirstlane p",
    "r = readlane s, 1", "s = wave.reduce.add r", "s.barrier", "wave.barrier", "r = ds.bpermute s, r", "while c {",
    "for i in 0..r {", "if c {", "} else {", "}", "r = i", "lds t = 0", "private u", "store r, t", "s = load u",
    "call void @f(r)", "%k = call token @llvm.experimental.convergence.entry()",
    '%l = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %k) ]',
    's.barrier [ "convergencectrl"(token %k) ]', "r = lane.id", "s = workgroup.id", "fence acquire", "r = undef",
    "br A, !llvm.loop !0", "br c, A, B, !llvm.loop !2", "} !llvm.loop !0", "store r, y, !llvm.access.group !4",
    "r = load p, !llvm.mem.parallel_loop_access !{!0, !2}",
    "atomicrmw add x, r monotonic, !llvm.access.group !{!4, !5}",
)  # fmt: skip
KERNEL_ENDS = ("exists (K.0.0:r={1,2})", "exists (all K:s=1)", "exists (K.0.t=1)", "observe K.0.0.1.u", "bound 2", "")


def kernel_of(lines: Sequence[str], end: str) -> str:
    """Return the text of a test with a kernel of these lines."""
    head = "kernel K(i32 n in {0, 1}, ptr addrspace(1) p = &x) lanes 2 {\nentry:\nr = n\ns = n\nc = n == 0"
    nodes = (
        '!0 = distinct !{!0, !1, !{!"llvm.loop.unroll.followup_all", !1, !2}}', '!1 = !{!"mine", i32 4}',
        '!2 = !{!2, !{!"llvm.loop.parallel_accesses", !5, !4}}', "!4 = distinct !{}", "!5 = distinct !{}",
    )  # fmt: skip
    top = ["litmus t", "global x = 0, y", "declare void @f(i32) convergent", *nodes]
    return "\n".join([*top, head, *lines, "}", end, ""])


@settings(max_examples=examples(400))
@given(st.lists(st.sampled_from(KERNEL_LINES), max_size=12), st.sampled_from(KERNEL_ENDS))
def test_lines_of_kernels_give_a_test_or_an_input_error(lines: list[str], end: str) -> None:
    survives(kernel_of(lines, end))


@settings(max_examples=examples(300))
@given(st.text(max_size=60))
def test_any_text_gives_a_test_or_an_input_error(text: str) -> None:
    survives(text)


@settings(max_examples=examples(200))
@given(st.sampled_from(CORPUS_TESTS), st.data())
def test_damaged_tests_give_a_test_or_an_input_error(path: Path, data: st.DataObject) -> None:
    text = path.read_text("utf-8")
    start = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 30))
    survives(text[:start] + data.draw(st.sampled_from(FRAGMENTS)) + text[start + length :])


@pytest.mark.parametrize("statement", ["atomicrmw add x, 1 monotonic", "r = cmpxchg x, 0, 1 acq_rel acquire, align 4"])
def test_a_nontemporal_read_modify_write_keeps_its_metadata(statement: str) -> None:
    text = (
        f"litmus t\n\nglobal x = 0\n\nthread P0 {{\n  {statement}, !nontemporal !{{i32 1}} # p:s\n}}\n\nexists (true)\n"
    )
    test = parse(text)
    changed = test.threads[0].body[0]
    assert isinstance(changed, AtomicRmw | CmpXchg) and changed.mode.nontemporal
    assert print_test(test) == text
