"""The static rules of convergence control tokens ([ConvergentOperations]), as LLVM's verifier has them.

What goes in: a `FlowFunction`. What comes out: what breaks a rule, each with its place and with LLVM's message.
Invariant: a function without a message is one that LLVM 22 accepts, as far as convergence is concerned.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from axmem.convergence.cycles import Hierarchy, llvm_hierarchy
from axmem.convergence.function import ConvergenceRole, FlowFunction, FlowInstruction, InstructionPlace
from axmem.convergence.graph import Dominators, reverse_postorder
from axmem.front.records import dataclass
from axmem.litmus.kernels import OUTSIDE_CONVERGENT

ENTRY_BLOCK = "Entry intrinsic can occur only in the entry block."
ENTRY_FIRST = "Entry intrinsic cannot be preceded by a convergent operation in the same basic block."
LOOP_FIRST = "Loop intrinsic cannot be preceded by a convergent operation in the same basic block."
NO_TOKEN = "Entry or anchor intrinsic cannot have a convergencectrl token operand."
NEEDS_TOKEN = "Loop intrinsic must have a convergencectrl token operand."
MIXED = "Cannot mix controlled and uncontrolled convergence in the same function."
DOMINANCE = "Convergence control token must dominate all its uses."
NESTING = "Convergence region is not well-nested."
NO_HEART = (
    "Convergence token used by an instruction other than llvm.experimental.convergence.loop in a cycle that does not "
    "contain the token's definition."
)
HEART_PLACE = "Cycle heart must dominate all blocks in the cycle."
TWO_HEARTS = "Two static convergence token uses in a cycle that does not contain either token's definition."


@dataclass(frozen=True, slots=True)
class TokenFault:
    """A broken rule, and the instruction that breaks it."""

    place: InstructionPlace
    message: str


class _Token(NamedTuple):
    """A token that is live, and where it is defined."""

    register: str
    block: str


def faults(function: FlowFunction, *, convergent: bool = True) -> list[TokenFault]:
    """Return what breaks the rules of tokens; `convergent` says whether the function is.

    Those of single instructions come first, then those of regions and cycles, each in the order of the text.
    """
    found = list(_local(function, convergent))
    if found or not any(instruction.control.token for _, instruction in function.instructions()):
        return found
    return list(_Regions(function).faults())


def _local(function: FlowFunction, convergent: bool) -> Iterator[TokenFault]:
    """Return what is wrong with instructions, whatever the paths are."""
    kinds: set[bool] = set()
    for label in function.graph.successors:
        seen = False
        for number, instruction in enumerate(function.blocks[label].instructions):
            control = instruction.control
            place = InstructionPlace(label, number)
            yield from (
                TokenFault(place, message) for message in _of_one(function, instruction, label, seen, convergent)
            )
            if control.role.defines or control.convergent:
                seen = True
            controlled = bool(control.token) or control.role.defines
            if controlled or control.convergent:
                kinds.add(controlled)
                if len(kinds) == 2:
                    yield TokenFault(place, MIXED)
                    return


def _of_one(
    function: FlowFunction, instruction: FlowInstruction, label: str, seen: bool, convergent: bool
) -> Iterator[str]:
    """Return what is wrong with one instruction; `seen`: a convergent operation stands before it in its block."""
    role, token = instruction.control.role, instruction.control.token
    if role is ConvergenceRole.ENTRY:
        if not convergent:
            yield OUTSIDE_CONVERGENT
        if label != function.graph.entry:
            yield ENTRY_BLOCK
        if seen:
            yield ENTRY_FIRST
    if role in (ConvergenceRole.ENTRY, ConvergenceRole.ANCHOR) and token:
        yield NO_TOKEN
    if role is ConvergenceRole.LOOP:
        if not token:
            yield NEEDS_TOKEN
        if seen:
            yield LOOP_FIRST


class _Regions:
    """Follows the live tokens along the blocks."""

    def __init__(self, function: FlowFunction) -> None:
        self._function = function
        self._hierarchy: Hierarchy = llvm_hierarchy(function.graph)
        self._dominators = Dominators(function.graph)
        self._hearts: set[str] = set()
        self._defined = {
            i.register: place.block for place, i in function.instructions() if i.control.role.defines and i.register
        }

    def faults(self) -> Iterator[TokenFault]:
        """Visit blocks in reverse post-order, each with the tokens that are live in all its predecessors so far."""
        at_start: dict[str, list[_Token]] = {}
        for label in reverse_postorder(self._function.graph):
            live = at_start.pop(label, [])
            for number, instruction in enumerate(self._function.blocks[label].instructions):
                if instruction.control.token:
                    fault = self._use(instruction, label, live)
                    if fault:
                        yield TokenFault(InstructionPlace(label, number), fault)
                        return
                if instruction.control.role.defines:
                    live.append(_Token(instruction.register, label))
            for successor in self._function.graph.successors[label]:
                if successor in at_start:
                    at_start[successor] = [token for token in at_start[successor] if token in live]
                else:
                    at_start[successor] = self._inherited(live, successor)

    def _inherited(self, live: list[_Token], block: str) -> list[_Token]:
        """Return the tokens up to the first whose definition does not dominate the block."""
        found: list[_Token] = []
        for token in live:
            if not self._dominators.dominates(token.block, block):
                break
            found.append(token)
        return found

    def _use(self, user: FlowInstruction, block: str, live: list[_Token]) -> str:
        """Check one use of a token, and end the regions that it ends; return what is wrong."""
        name = user.control.token
        home = self._defined.get(name)
        if home is None or not self._dominators.dominates(home, block):
            return DOMINANCE
        if all(token.register != name for token in live):
            return NESTING
        while live[-1].register != name:
            live.pop()
        cycles = [c for c in self._hierarchy.around[block] if home not in c.blocks]
        if home == block or not cycles:
            return ""
        if user.control.role is not ConvergenceRole.LOOP:
            return NO_HEART
        outermost = cycles[0]
        if not outermost.reducible or outermost.header != block:
            return HEART_PLACE
        if outermost.header in self._hearts:
            return TWO_HEARTS
        self._hearts.add(outermost.header)
        return ""
