"""What LLVM's verifier says of orderings, scopes and modifiers: of trees that a program built as of texts."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import pytest

from axmem.front.source import Diagnostic, InputError
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.resolution import resolve
from axmem.litmus.syntax import (
    I32,
    AccessMode,
    Address,
    AddressOf,
    AddressSpace,
    AtomicRmw,
    CmpXchg,
    Fence,
    If,
    LitmusTest,
    Load,
    Location,
    Number,
    Ordering,
    Placement,
    Register,
    Scope,
    Statement,
    Store,
    SyncScope,
    Thread,
    Type,
)
from axmem.litmus.walk import kind_of
from axmem.litmus.words import FAILURES, OperationKind, legal_for

X, V, ONE = Address(AddressOf("x")), Address(AddressOf("v")), Number(1)
AGENT = SyncScope(Scope.AGENT)
ORDERED = AccessMode(ordering=Ordering.MONOTONIC)


def program(*body: Statement) -> LitmusTest:
    """Return a test that a program built; no text stands behind it."""
    locations = (
        Location("x", AddressSpace.GLOBAL, I32, Number(0)),
        Location("v", AddressSpace.GLOBAL, Type(32, 2), Number(0)),
    )
    return LitmusTest("t", "", locations, (Thread("P0", Placement(), body),))


def said(*body: Statement) -> list[Diagnostic]:
    return resolve(program(*body))[1]


def operations(mode: AccessMode) -> tuple[Statement, ...]:
    return (
        Load("r0", None, X, mode),
        Store(ONE, None, X, mode),
        AtomicRmw("r0", "add", None, X, ONE, mode),
        CmpXchg("r0", "ok", False, None, X, ONE, ONE, mode, Ordering.MONOTONIC),
        Fence(mode),
    )


@pytest.mark.parametrize("ordering", Ordering, ids=lambda o: o.value)
def test_a_built_operation_is_refused_just_where_its_ordering_is_illegal(ordering: Ordering) -> None:
    for statement in operations(AccessMode(ordering=ordering)):
        kind = kind_of(statement)
        assert kind is not None
        found = said(statement)
        assert len(found) == (ordering not in legal_for(kind)), (statement, found)
        for diagnostic in found:
            assert str(diagnostic).startswith("error: thread P0, statement 1: ")
            assert ordering.value in diagnostic.message or "needs an ordering" in diagnostic.message


@pytest.mark.parametrize(("success", "failure"), list(product(legal_for(OperationKind.CMPXCHG), Ordering)))
def test_a_built_cmpxchg_is_refused_just_where_it_cannot_fail_so(success: Ordering, failure: Ordering) -> None:
    mode = AccessMode(ordering=success)
    found = [d.message for d in said(CmpXchg("r0", "ok", False, None, X, ONE, ONE, mode, failure))]
    assert len(found) == (failure not in FAILURES)
    assert all(f"a cmpxchg cannot fail with {failure.value}" in message for message in found)


def changed(**changes: object) -> AccessMode:
    return replace(ORDERED, **changes)  # type: ignore[arg-type]


PLAIN = AccessMode()
AV = AccessMode(av=True, scope=AGENT)
ILLEGAL = [
    (Load("r0", None, X, changed(ordering=Ordering.RELEASE)), "a load cannot have release ordering 'release'"),
    (Store(ONE, None, X, changed(ordering=Ordering.ACQUIRE)), "a store cannot have acquire ordering 'acquire'"),
    (Fence(ORDERED), "a fence cannot be monotonic: it would order nothing"),
    (Fence(PLAIN), "a fence needs an ordering"),
    (AtomicRmw("r0", "add", None, X, ONE, PLAIN), "an atomicrmw needs an ordering"),
    (AtomicRmw("r0", "frob", None, X, ONE, ORDERED), "unknown atomicrmw operation 'frob'"),
    (AtomicRmw("r0", "add", None, X, ONE, changed(av=True)), "an atomicrmw is no av intrinsic"),
    (Load("r0", None, X, replace(PLAIN, scope=AGENT)), "a load that is not atomic cannot have a syncscope"),
    (Store(ONE, None, V, replace(PLAIN, elementwise=True)), "an elementwise store must be atomic"),
    (Load("r", None, V, changed(elementwise=True, ordering=Ordering.SEQ_CST)), "an elementwise load cannot be seq_cst"),
    (Load("r0", None, X, replace(AV, volatile=True)), "an av load cannot be volatile"),
    (Store(ONE, None, X, replace(AV, ordering=Ordering.RELEASE)), "an av store is not atomic and has no ordering"),
    (Fence(changed(ordering=Ordering.RELEASE, volatile=True)), "a fence cannot be volatile"),
    (Fence(changed(ordering=Ordering.RELEASE, align=4)), "a fence accesses no memory that could be aligned"),
    (Load("r0", None, X, replace(PLAIN, align=3)), "alignment 3 is not a power of two"),
    (CmpXchg("a", "b", False, None, X, ONE, ONE, changed(nontemporal=True, elementwise=True), Ordering.MONOTONIC),
     "a cmpxchg cannot be elementwise"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "message"), ILLEGAL, ids=[message for _, message in ILLEGAL])
def test_what_is_illegal_is_said_of_a_built_tree(statement: Statement, message: str) -> None:
    assert any(f"error: thread P0, statement 1: {message}" in str(diagnostic) for diagnostic in said(statement))


def test_each_illegal_statement_is_named_by_its_place_in_the_tree() -> None:
    bad = Load("r1", None, X, changed(ordering=Ordering.RELEASE))
    fine = Fence(changed(ordering=Ordering.ACQUIRE))
    branch = If(Register("r0"), (fine,), (fine, bad))
    found = said(Load("r0", None, X, PLAIN), bad, branch)
    assert [str(d).split(": ")[1] for d in found] == ["thread P0, statement 2", "thread P0, statement 3, else 2"]


MODES = [
    AccessMode(ordering, scope, volatile, elementwise, av=av)
    for ordering in Ordering
    for scope in (SyncScope(), AGENT)
    for volatile, elementwise, av in product((False, True), repeat=3)
]


def test_a_built_tree_is_refused_for_what_its_text_is_refused_for() -> None:
    refused = 0
    for mode in MODES:
        for statement in operations(mode):
            if (mode.av or mode.volatile or mode.elementwise) and not isinstance(statement, Load | Store):
                continue  # the printer leaves out what such a statement cannot have
            test = program(statement)
            mine = {re.sub(r"^thread P0, statement 1: ", "", d.message) for d in resolve(test)[1]}
            try:
                parse(print_test(test))
                its = set()
            except InputError as error:
                its = {d.message for d in error.diagnostics}  # the printer writes `atomic` where there is an ordering
            assert mine == {message for message in its if not message.endswith("cannot be atomic")}, print_test(test)
            refused += bool(mine)
    assert refused > 100
