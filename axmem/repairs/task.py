"""What is asked of a repair.

What goes in: a test, and what is to hold of it in the words of a command line. What comes out: a `RepairTask`, and
the test with the condition of which it speaks.
"""

from __future__ import annotations

import re
from enum import Enum

from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean, mistake
from axmem.litmus.parser import with_condition
from axmem.litmus.syntax import LitmusTest, Quantifier, Truth
from axmem.repairs import LIMIT
from axmem.repairs.costs import Costs
from axmem.repairs.goals import Judge
from axmem.repairs.wording import DEFAULT_KINDS, EDIT_KINDS


class Aim(Enum):
    """What is to hold of the test: of its condition, that its expectations are met, or that nothing races."""

    FORBID = "forbid"
    REQUIRE = "require"
    EXPECT = "expect"
    RACELESS = "raceless"


@dataclass(frozen=True, slots=True)
class RepairTask:
    """What to search for: the cheapest edits that reach the aim or, if it `weakens`, the least that still has it.

    `limit` bounds the repairs that are listed, `most` the edits of each (None: any number). Without `monotone` no
    theorem about models is used: every set of at most `most` edits is tried.
    """

    aim: Aim
    judges: tuple[Judge, ...]
    costs: Costs
    weakens: bool = False
    allowed: frozenset[str] = DEFAULT_KINDS
    limit: int = LIMIT
    most: int | None = None
    monotone: bool = True
    seconds: float | None = None


def aimed(
    test: LitmusTest, forbid: str | None, require: str | None, *, weaken: bool, races: bool = False
) -> tuple[Aim, LitmusTest]:
    """Return what is wanted, and the test with the condition of which it is wanted.

    Of kernels that ask nothing it is that there are no data races. Raises InputError for a bad condition, and for a
    test of threads that has none if none is given.
    """
    if races:
        return Aim.RACELESS, replace(test, condition=Truth(value=True))
    for aim, text in ((Aim.FORBID, forbid), (Aim.REQUIRE, require)):
        if text is not None:
            return aim, with_condition(test, text, f"--{aim.value}")
    if weaken:
        return Aim.EXPECT, test
    if isinstance(test.condition, Truth) and test.kernels:
        return Aim.RACELESS, test
    if isinstance(test.condition, Truth):
        hint = "--forbid CONDITION, --require CONDITION, or --races says what is wanted"
        raise mistake(test.source.name, "this test has no condition to forbid", hint)
    return (Aim.REQUIRE if test.quantifier is Quantifier.FORALL else Aim.FORBID), test


def edit_kinds(text: str | None) -> frozenset[str]:
    """Return the kinds of edits that a list names; None is the default, `all` are all. Raises InputError."""
    if text is None or text.strip() == "all":
        return DEFAULT_KINDS if text is None else frozenset(EDIT_KINDS)
    found, errors = set(), []
    for match in re.finditer(r"[^,\s]+", text):
        found.add(match[0])
        if match[0] not in EDIT_KINDS:
            hint = did_you_mean(match[0], EDIT_KINDS) or f"known: {', '.join(EDIT_KINDS)}"
            span = Span(1, match.start() + 1, len(match[0]))
            errors.append(Diagnostic(Source("--edits", text), span, f"there are no edits called '{match[0]}'", hint))
    if not found:
        raise mistake("--edits", "no edits are named", f"known: {', '.join(EDIT_KINDS)}", text=text)
    if errors:
        raise InputError(errors)
    return frozenset(found)
