"""Control flow of Dartagnan's forms: labels, jumps, and branches on two values.

What goes in: the cells of a column, and what reads the others. What comes out: the statements of the thread, labels and
branches among them; `litmus/nesting.py` makes `if`s of them where it can, and the others are kernels of one lane.
Invariant: a jump goes to a label of its own column; what nothing reaches is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from axmem.formats.dartagnan.front import OperandReader, Part, instruction
from axmem.formats.herd.front import ColumnCell, ThreadColumn
from axmem.front.records import dataclass, field
from axmem.front.source import Span, did_you_mean
from axmem.litmus.kernels import Branch, Label
from axmem.litmus.syntax import IntegerOperation, Statement

LABEL = re.compile(r"([A-Za-z_]\w*)[ \t]*:")
COMPARISONS = {"beq": "eq", "bne": "ne", "bge": "sge", "ble": "sle", "bgt": "sgt", "blt": "slt"}
EXAMPLES = {"goto": "goto L", **{word: f"{word} r0, 1, L" for word in COMPARISONS}}


@dataclass(slots=True)
class ColumnFlow:
    """Makes the statements of a column; `operands` reads what instructions have."""

    operands: OperandReader
    column: ThreadColumn
    out: list[Statement] = field(default_factory=list)
    labels: dict[str, Span] = field(default_factory=dict)
    targets: list[Part] = field(default_factory=list)

    def statements(self, of: Callable[[ColumnCell], Iterable[Statement]]) -> tuple[Statement, ...]:
        """Return the statements; `of` gives those of an instruction that is no jump."""
        front = self.operands.front
        dead = False
        for cell in self.column.cells:
            span = front.text.span(cell.start, cell.end)
            label = LABEL.match(cell.text)
            if label:
                self.begin(label[1], span)
                rest = cell.text[label.end() :]
                cell = ColumnCell(rest.strip(), cell.start + label.end() + len(rest) - len(rest.lstrip()))
                dead = False
            if not cell.text:
                continue
            words, operands, span = instruction(front, cell)
            if words[0].text in EXAMPLES:
                jump = self.jump(words, operands, span)
                self.out += [] if dead else jump
                dead |= words[0].text == "goto"
            else:
                found = list(of(cell))
                self.out += [] if dead else found
        for target in self.targets:
            if target.text not in self.labels:
                message = f"no label is named '{target.text}' in {self.column.name}"
                front.error_at(target.span, message, did_you_mean(target.text, self.labels))
        return tuple(self.out)

    def begin(self, label: str, span: Span) -> None:
        """Begin a block."""
        if label in self.labels:
            self.operands.error(span, f"label '{label}' stands twice in {self.column.name}")
        self.labels[label] = span
        if not (self.out and isinstance(self.out[-1], Branch)):
            self.out.append(Branch((label,), span=span))
        self.out.append(Label(label, span=span))

    def jump(self, words: Sequence[Part], operands: Sequence[Part], span: Span) -> list[Statement]:
        """Return a jump, or a branch with what begins after it."""
        word = words[0].text
        if len(words) > 1 or len(operands) != (1 if word == "goto" else 3):
            self.operands.error(span, f"'{word}' has a label" + " after two values" * (word != "goto"), EXAMPLES[word])
            return []
        self.targets.append(operands[-1])
        if word == "goto":
            return [Branch((operands[0].text,), span=span)]
        compared = tuple(self.operands.value(operand) for operand in operands[:2])
        following = f"next{len(self.targets)}"
        condition = IntegerOperation(COMPARISONS[word], compared, None, span)
        return [Branch((operands[2].text, following), condition, span=span), Label(following, span=span)]
