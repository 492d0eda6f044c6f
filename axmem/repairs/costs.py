"""What annotations cost: the waits and cache operations that they become, each by its scope.

What goes in: `--cost wait=2,system=20`, `--cost edits`, and a target. What comes out: the cost of a statement as a
number, with its instructions. Invariant: a statement's cost is its own, whatever stands around it, so that costs add
up; no address counts as uniform for that.
"""

from __future__ import annotations

import re
from collections import Counter

from axmem.codegen.instructions import EmittedInstruction, InstructionKind
from axmem.codegen.lowering import lower_operation
from axmem.codegen.operations import Operation, operation_of
from axmem.codegen.program import lacks
from axmem.codegen.targets import Target
from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean
from axmem.litmus.syntax import Statement
from axmem.litmus.words import SCOPE_OF, AddressSpace, Level, Scope

KINDS = ("wait", "access", "invalidate", "writeback")
SCOPES = tuple(SCOPE_OF)
DEFAULTS = {
    "wait": 1, "access": 1, "invalidate": 4, "writeback": 8,
    "singlethread": 1, "wavefront": 1, "workgroup": 1, "cluster": 2, "agent": 4, "system": 8,
    "edit": 0,
}  # fmt: skip
"""The weight of each counter waited for, access that passes a cache, invalidate and writeback; the factor by which each
is multiplied at a scope; and the weight of a step of an edit. A model of latency, not a measurement."""

EDITS = {key: int(key == "edit") for key in DEFAULTS}
LARGEST = 10**6


@dataclass(frozen=True, slots=True)
class Costs:
    """Weights, and the target whose instructions are weighed (None: none are, only edits)."""

    weights: tuple[tuple[str, int], ...]
    target: Target | None

    @property
    def edit(self) -> int:
        """The weight of one step of an edit."""
        return dict(self.weights)["edit"]

    def offered(self, statement: Statement) -> bool:
        """Say whether the target has the operation of a statement."""
        operation = operation_of(statement)
        return self.target is None or operation is None or not lacks(operation, self.target)

    def instructions(self, statement: Statement | None) -> tuple[EmittedInstruction, ...]:
        """Return the instructions of a statement; None is a statement that is not there."""
        operation = None if statement is None else operation_of(statement)
        return () if operation is None or self.target is None else lower_operation(operation, self.target)

    def machine(self, statement: Statement | None) -> int:
        """Return what the instructions of a statement cost."""
        operation = None if statement is None else operation_of(statement)
        if operation is None:
            return 0
        weights = dict(self.weights)
        factor = weights[_scope(operation).word]
        counts = kinds(self.instructions(statement))
        return sum(weights[kind] * count * factor for kind, count in counts.items())


def kinds(instructions: tuple[EmittedInstruction, ...]) -> Counter[str]:
    """Count what is weighed: counters waited for, accesses with cache policy bits, invalidates, writebacks."""
    found: Counter[str] = Counter()
    for instruction in instructions:
        if instruction.kind is InstructionKind.WAIT:
            found["wait"] += len(instruction.parts)
        elif instruction.kind.value in KINDS and (instruction.kind is not InstructionKind.ACCESS or instruction.parts):
            found[instruction.kind.value] += 1
    return found


def _scope(operation: Operation) -> Level:
    """Return the scope at which an operation acts: on LDS at most the workgroup."""
    lds = operation.space is AddressSpace.LDS
    return min(operation.scope.level, Scope.WORKGROUP) if lds else operation.scope.level


def parse_weights(text: str) -> tuple[tuple[str, int], ...]:
    """Read `wait=2,system=20`, or `edits`, which weighs nothing but the edits. Raises InputError."""
    if text.strip() == "edits":
        return tuple(EDITS.items())
    found = dict(DEFAULTS)
    errors = []
    column = 1
    for part in text.split(",") if text.strip() else []:
        name, value, message, hint = *_setting(part), ""
        if name is None:
            message, hint = f"'{part.strip()}' is no weight", "a weight is NAME=NUMBER, such as wait=2; or edits"
        elif name not in DEFAULTS:
            message = f"nothing is called '{name}'"
            hint = did_you_mean(name, DEFAULTS) or f"known: {', '.join(DEFAULTS)}"
        elif value > LARGEST:
            message = f"a weight is at most {LARGEST}"
        else:
            found[name] = value
        if message:
            errors.append(Diagnostic(Source("--cost", text), Span(1, column, max(1, len(part))), message, hint))
        column += len(part) + 1
    if errors:
        raise InputError(errors)
    return tuple(found.items())


def _setting(part: str) -> tuple[str | None, int, str]:
    """Return name and number of a setting (no name: it is none), and an empty message."""
    match = re.fullmatch(r"\s*([^=\s]+)\s*=\s*([0-9]{1,9})\s*", part)
    return (match[1], int(match[2]), "") if match else (None, 0, "")
