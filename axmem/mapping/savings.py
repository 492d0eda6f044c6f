"""What opting out of availability and visibility saves.

What goes in: cases (tests on one target). What comes out: for each test with av operations or the tag amdgcn-av:none
how many waits, bits, invalidates and writebacks its lowering has, and how many without both: av accesses plain, tags
gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from axmem.codegen.instructions import InstructionKind
from axmem.codegen.program import LoweredTest, lower
from axmem.codegen.targets import target
from axmem.formats.reading import parse
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError
from axmem.litmus.edit import mapped
from axmem.litmus.syntax import AccessStatement, Fence, LitmusTest, Statement
from axmem.litmus.words import NONE_TAG
from axmem.mapping.cases import VerificationCase
from axmem.mapping.necessity import Subject, subject_of


@dataclass(frozen=True, slots=True)
class Saving:
    """A test, what is emitted for it, and what would be without opting out."""

    test: str
    emitted: Counter[str]
    plain: Counter[str]


@dataclass(frozen=True, slots=True)
class Savings:
    """The savings of each test; the model of the subject makes no difference."""

    subject: Subject | None
    rows: tuple[Saving, ...]
    errors: tuple[Diagnostic, ...]
    incomplete: bool = False


def savings(cases: Sequence[VerificationCase]) -> Savings:
    """Count for each test that opts out of something."""
    rows: list[Saving] = []
    errors: list[Diagnostic] = []
    for case in cases:
        try:
            test = parse(case.text, case.name, case.form)
            if opts_out(test):
                on = target(case.target, case.mode, case.profile)
                given, plain = (lower(t, on, divergent=case.divergent) for t in (test, mapped(test, _plain)))
                rows.append(Saving(test.name, counted(given), counted(plain)))
        except InputError as error:
            errors += error.diagnostics
    return Savings(subject_of(cases), tuple(rows), tuple(errors))


def opts_out(test: LitmusTest) -> bool:
    """Tell whether a test has av operations or the tag."""
    return mapped(test, _plain) != test


def counted(lowered: LoweredTest) -> Counter[str]:
    """Count the counters that are waited for, the bits of accesses, the invalidates and the writebacks."""
    found: Counter[str] = Counter()
    for thread in lowered.threads:
        for instruction in (i for s in thread.statements for i in s.instructions):
            if instruction.kind in (InstructionKind.WAIT, InstructionKind.ACCESS):
                found["wait" if instruction.kind is InstructionKind.WAIT else "bit"] += len(instruction.parts)
            else:
                found[instruction.kind.value] += 1
    return found


def _plain(statement: Statement) -> Statement:
    if isinstance(statement, AccessStatement | Fence):
        mode = replace(statement.mode, av=False, tags=statement.mode.tags - {NONE_TAG})
        return replace(statement, mode=mode)
    return statement
