"""What an element of a lowered test is an instance of: a rule of the lowering.

What goes in: a lowered test and its machine program. What comes out: for each element its `LoweringRule`: the
operation that is lowered, which of its instructions, and which part. Two elements with one rule come from one line of
the lowering.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from axmem.codegen.machine.mutants import elements
from axmem.codegen.machine.program import MachineProgram, ProgramElement
from axmem.codegen.operations import Operation
from axmem.codegen.program import LoweredTest
from axmem.front.records import dataclass
from axmem.litmus.words import NONE_TAG, SPACE_NAMES, OperationKind, Ordering, tag_text

RANK = tuple(OperationKind)


@dataclass(frozen=True, slots=True, order=True)
class LoweringRule:
    """A rule: the rank and words of the operation, the instruction's place and text in its lowering, and the part.

    Places of a lowering are odd; a wait that only the machine program has is at the even one before what it is for.
    """

    rank: int
    operation: str
    place: int
    instruction: str
    part: str

    @property
    def what(self) -> str:
        """The instruction, or the part of it in brackets behind."""
        return f"{self.instruction} [{self.part}]" if self.part else self.instruction


def rules(lowered: LoweredTest, program: MachineProgram) -> Iterator[tuple[ProgramElement, LoweringRule]]:
    """Yield each element with its rule."""
    operations = {s.path: s.operation for thread in lowered.threads for s in thread.statements}
    texts = {s.path: [i.text for i in s.instructions] for thread in lowered.threads for s in thread.statements}
    places: dict[tuple[int, int], int] = {}
    for thread, stream in enumerate(program.streams):
        passed: Counter[object] = Counter()
        for instruction in stream.instructions:
            path = instruction.statement
            lowering = texts[path][passed[path]] == instruction.text
            places[thread, instruction.number] = 2 * passed[path] + lowering
            passed[path] += lowering
    for element in elements(program):
        instruction = program.instruction(element)
        operation = operations[instruction.statement]
        assert operation is not None
        place = places[element.thread, element.instruction]
        rule = LoweringRule(RANK.index(operation.kind), words(operation), place, instruction.text, element.part)
        yield element, rule


def words(operation: Operation) -> str:
    """Return an operation in words: `store release agent global`."""
    said = [operation.kind]
    if operation.ordering is not Ordering.NOT_ATOMIC:
        said.append(operation.ordering.value)
    if operation.ordering is not Ordering.NOT_ATOMIC or operation.kind.startswith(("av-", "make.")):
        said.append(operation.scope.level.word + ("-one-as" if operation.scope.one_as else ""))
    if operation.space is not None:
        said.append(SPACE_NAMES[operation.space])
    if operation.kind == "rmw" and operation.result:
        said.append("(result)")
    if NONE_TAG in operation.tags:
        said.append(tag_text(NONE_TAG))
    return " ".join(said)
