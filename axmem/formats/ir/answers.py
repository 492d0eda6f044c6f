"""What callees answer of which nothing is known, as parameters that nobody chooses.

What goes in: a function, or one before and after a change, with calls of what is not here. What comes out: functions
without calls of what only computes (`memory(none)`, `willreturn`), whose results are parameters: one of each callee and
what it is given, the same on both sides; so are the answers to what a lane asks of its launch. Addresses that other
callees return are parameters, too, one of each call. Invariant: what is given is the same where it has the same text; a
callee of which that has none keeps its call. Where behaviour is undefined if a callee is called, nobody knows: a
parameter says so, unless the function before always calls it first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from axmem.formats.ir.asked import are_free, is_question, limits
from axmem.formats.ir.flow import FunctionFlow, may_end
from axmem.formats.ir.folding import COMPUTING
from axmem.formats.ir.mnemonics import ASSUME
from axmem.formats.ir.opaque import PURE, called_as, effects, is_node, is_opaque, value_text
from axmem.formats.ir.ranges import assumed_within
from axmem.formats.ir.renaming import with_values
from axmem.formats.ir.syntax import Block, ConstantExpression, Function, Instruction, Module, Operand, Parameter
from axmem.formats.ir.types import VOID, integer, value_type
from axmem.formats.ir.uses import DEFINED
from axmem.front.records import dataclass, replace
from axmem.litmus.syntax import AddressOf, Number, Register, UndefValue, VectorOf

_PURE_OPERATIONS = COMPUTING - {"freeze"}
_TRUTH = integer(1)
_DEPTH = 9
OTHERS = "calls of {} are others, or another number"
"""Why a change is not decided of which only one side calls something."""


@dataclass(frozen=True, slots=True)
class Answered:
    """Functions whose last parameters are answers, the same of all; `assumed` says what these are.

    `undecided` are reasons why the functions do not show everything that differs, `doubtful` reasons why they may show
    more.
    """

    functions: tuple[Function, ...]
    assumed: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()


def answered(sides: Sequence[tuple[Module, Function]]) -> Answered:
    """Return functions without the calls that are parameters."""
    names = [each.name for each in sides[0][1].parameters]
    asked = [_Asked(module, function, names) for module, function in sides]
    calls = {key: each for work in reversed(asked) for key, each in work.first.items()}
    if not calls:
        return Answered(tuple(function for _, function in sides))
    taken = {name for work in asked for name in work.names}
    parameters: dict[str, Parameter] = {}
    guards: dict[str, Parameter] = {}
    for key, call in calls.items():
        stem = re.sub(r"[^\w.]", "_", call.callee.removeprefix("llvm.amdgcn."))[:40]
        if call.type != VOID:
            sure = all(key not in work.first or work.is_sure(key) for work in asked)
            words = ("noundef",) if sure else ()
            parameters[key] = Parameter(_fresh(f"{stem}.answer", taken), call.type, words, call.span)
        harmless = is_question(call.callee) or asked[0].always(key)
        if len(sides) > 1 and key in asked[0].pure | asked[-1].pure and not harmless:
            guards[key] = Parameter(_fresh(f"{stem}.defined", taken), _TRUTH, ("noundef",), call.span)
    added = (*parameters.values(), *guards.values())
    questions = {key: each for key, each in calls.items() if is_question(each.callee)}
    functions = [
        replace(work.function, parameters=(*work.function.parameters, *added), blocks=work.blocks(parameters, guards))
        for work in asked
    ]
    functions[0] = replace(functions[0], blocks=_possible(functions[0].blocks, asked, questions, parameters))
    said = tuple(f"%{each.name} is what {key} returns" for key, each in parameters.items())
    undecided = tuple(dict.fromkeys(text for work in asked[1:] for text in work.unsure()))
    undecided += tuple(dict.fromkeys(text for work in asked for text in work.hidden()))
    doubtful = tuple(dict.fromkeys(text for work in asked for text in work.mixed()))
    more, less = asked[-1].pure - asked[0].pure, asked[0].pure - asked[-1].pure
    if others := sorted(more - questions.keys()):
        undecided = (OTHERS.format(", ".join(others)), *undecided)
    known = questions.keys() if are_free(questions.values()) else ()
    doubtful += tuple(OTHERS.format(each) for each in sorted((more | less) - {*known}))
    return Answered(tuple(functions), said, undecided, doubtful)


def _possible(
    blocks: tuple[Block, ...],
    asked: Sequence[_Asked],
    questions: Mapping[str, Instruction],
    parameters: Mapping[str, Parameter],
) -> tuple[Block, ...]:
    """Return blocks at whose beginning it is assumed that the answers to questions are possible ones."""
    begin: list[Instruction] = []
    for key, call in questions.items():
        work = next(each for each in reversed(asked) if key in each.first)
        if parts := limits(call, work.module, work.function, work.flow.results):
            begin += assumed_within(parameters[key], parts)
    return (replace(blocks[0], instructions=(*begin, *blocks[0].instructions)), *blocks[1:])


def _fresh(stem: str, taken: set[str]) -> str:
    """Return a name that is not taken, and take it."""
    name = next(name for n in count(1) if (name := stem if n == 1 else f"{stem}{n}") not in taken)
    taken.add(name)
    return name


class _Asked:
    """The calls of a function that are parameters. `first` has one for each of what they are.

    Parameters are called by the `names` that those at their places have in the function before.
    """

    def __init__(self, module: Module, function: Function, names: Sequence[str]) -> None:
        self.module, self.function = module, function
        self.called = {each.name: f"%{name}" for each, name in zip(function.parameters, names, strict=True)}
        self.flow = FunctionFlow(function)
        self.keys: dict[int, str] = {}
        self.first: dict[str, Instruction] = {}
        self.pure: set[str] = set()
        self.given = {each.name: each for each in function.parameters}
        self.numbers: Counter[str] = Counter()
        for each in self.flow.instructions:
            if not is_opaque(each, module) and not is_question(each.callee):
                continue
            key = self._pure(each)
            new = self._words(each, "noalias") or each.callee.startswith("llvm.")
            if key is None and each.result and each.type.kind == "ptr" and not new:
                self.numbers[each.callee] += 1
                key = f"{called_as(each)} (call {self.numbers[each.callee]})"
            if key is not None:
                self.keys[id(each)] = key
                self.first.setdefault(key, each)

    @property
    def names(self) -> Iterator[str]:
        """The names of parameters and of results."""
        yield from self.given
        yield from (each.result for each in self.flow.instructions if each.result)

    def always(self, key: str) -> bool:
        """Say whether a call surely comes before anything may end, or does no harm wherever it stands."""
        if (call := self.first.get(key)) is not None and "speculatable" in effects(call, self.module):
            return True
        for each in self.function.blocks[0].instructions:
            if self.keys.get(id(each)) == key:
                return True
            if may_end(each) and self.keys.get(id(each)) not in self.pure:
                return False
        return False

    def is_sure(self, key: str) -> bool:
        """Say whether the result of every such call is neither undef nor poison."""
        calls = [each for each in self.flow.instructions if self.keys.get(id(each)) == key]
        return all(is_question(each.callee) or self._words(each, "noundef") for each in calls)

    def unsure(self) -> Iterator[str]:
        """Yield what is called several times with what may be undef, which may be another number each time."""
        counts = Counter(self.keys.values())
        for key, call in self.first.items():
            if key in self.pure and counts[key] > 1 and not all(map(self._is_sure, call.operands)):
                yield f"{key} is called {counts[key]} times with what may be undef"

    def hidden(self) -> Iterator[str]:
        """Yield which addresses that callees return may be others than those that parameters have."""
        own = {each.result for each in self.flow.instructions if each.operation == "alloca"}
        exposed = any(root.name in own for root in self.flow.exposed)
        for each in self.flow.instructions:
            key = self.keys.get(id(each))
            if key is None or each.type.kind != "ptr":
                continue
            if exposed:
                yield f"what {key} returns may be the address of memory of the function's own"
            if key not in self.pure and self.flow.loops(self._block(each)):
                yield f"what {key} returns may be another address each time"

    def mixed(self) -> Iterator[str]:
        """Yield of which callees it is not known which of several calls corresponds to which."""
        if len(self.function.blocks) > 1:
            yield from (f"which call of @{name} returns what is not known" for name, n in self.numbers.items() if n > 1)

    def blocks(self, parameters: Mapping[str, Parameter], guards: Mapping[str, Parameter]) -> tuple[Block, ...]:
        """Return the blocks of the function, with parameters in the place of results."""

        known = {
            each.result: Register(parameters[key].name)
            for each in self.flow.instructions
            if each.result and (key := self.keys.get(id(each))) is not None
        }

        def meant(block: Block) -> Iterator[Instruction]:
            for each in block.instructions:
                yield from (with_values(made, known) for made in self._meant(each, guards))

        return tuple(replace(block, instructions=tuple(meant(block))) for block in self.function.blocks)

    def _meant(self, each: Instruction, guards: Mapping[str, Parameter]) -> Iterator[Instruction]:
        key = self.keys.get(id(each))
        if key is None:
            yield each
            return
        if key not in self.pure:
            yield replace(each, result="")
        if (guard := guards.get(key)) is not None:
            operands = (Operand(_TRUTH, Register(guard.name), each.span),)
            yield Instruction("call", operands=operands, callee=ASSUME, span=each.span)

    def _block(self, instruction: Instruction) -> str:
        return next(b.name for b in self.function.blocks if any(each is instruction for each in b.instructions))

    # ------------------------------------------------ what is called

    def _pure(self, call: Instruction) -> str | None:
        """Return what a call is that only computes: the callee and what it is given; None of others."""
        said = effects(call, self.module)
        address = call.type.kind == "ptr" and (not call.callee.startswith("llvm.") or is_question(call.callee))
        known = call.type == VOID or address or (call.type.kind != "ptr" and value_type(call.type) is not None)
        if not known or not (is_question(call.callee) or all(word in said for word in PURE)):
            return None
        given = [self._text(each) for each in call.operands]
        if None in given:
            return None
        key = f"{called_as(call)}({', '.join(map(str, given))})"
        self.pure.add(key)
        return key

    def _text(self, operand: Operand, depth: int = _DEPTH) -> str | None:
        """Return the text of a value that is the same wherever it has the same text; None of others."""
        if is_node(operand):
            return None  # Each module has its own numbers.
        match operand.value:
            case Register(name=name) if name in self.given:
                return self.called[name]
            case Register(name=name):
                made = self.flow.results.get(name)
                return None if made is None or not depth else self._computed(made, depth - 1)
            case Number() | AddressOf() | VectorOf() | ConstantExpression():
                text = value_text(operand.value)
                return None if re.search(r"\b(undef|poison|_)\b", text) else text
        return None

    def _computed(self, made: Instruction, depth: int) -> str | None:
        if (key := self.keys.get(id(made))) is not None:
            return key if key in self.pure else None
        if made.operation not in _PURE_OPERATIONS:
            return None
        given = [self._text(each, depth) for each in made.operands]
        if None in given:
            return None
        types = sorted({str(made.type), *(str(each.type) for each in made.operands)})
        return f"{' '.join((made.operation, *made.words))}({', '.join((*map(str, given), *types))})"

    def _is_sure(self, operand: Operand) -> bool:
        """Say whether a value that has a text is neither undef nor poison."""
        match operand.value:
            case Register(name=name) if name in self.given:
                return "noundef" in self.given[name].attributes
            case Register(name=name):
                made = self.flow.results[name]
                if (key := self.keys.get(id(made))) is not None:
                    return self.is_sure(key)
                flags = made.words[1:] if made.operation == "icmp" else made.words
                return made.operation in DEFINED and not flags and all(map(self._is_sure, made.operands))
            case UndefValue():
                return False
        return True

    def _words(self, call: Instruction, word: str) -> bool:
        """Say whether the result of a call has an attribute."""
        callee = self.module.functions.get(call.callee)
        return word in (*call.leading, *(callee.words if callee is not None else ()))
