"""A thread with a body, between declarations: what the body is read as, also after it is printed."""

from __future__ import annotations

from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import AccessMode, Fence, LitmusTest, Load, Statement, Store

DECLARED = "litmus t\nglobal i32 ptr1 = 0, ptr2 = 0, ptr3 = 0, ptr = 0\nglobal <4 x i32> b = 0\n"


def parsed(body: str, declarations: str = DECLARED) -> LitmusTest:
    test = parse(f"{declarations}\nthread P0 {{\n{body}\n}}\n")
    assert parse(print_test(test)) == test
    return test


def only(body: str, declarations: str = DECLARED) -> Statement:
    """Return the last statement of a thread with this body."""
    return parsed(body, declarations).threads[0].body[-1]


def mode_of(body: str) -> AccessMode:
    statement = only(body)
    assert isinstance(statement, Load | Store | Fence)
    return statement.mode
