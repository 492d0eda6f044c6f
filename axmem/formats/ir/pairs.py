"""Which functions of LLVM IR are a change: before and after.

What goes in: one text with `@src` and `@tgt`, or a text and what a pass made of it. What comes out: pairs of functions,
each with what is wrong with its lines, so that one that cannot be read does not keep the others from being judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.formats.ir.linkage import linked
from axmem.formats.ir.llvm import complaints
from axmem.formats.ir.parser import ModuleParser
from axmem.formats.ir.promises import promises
from axmem.formats.ir.syntax import Function, Instruction, Module, Promise
from axmem.front.records import dataclass, replace
from axmem.front.source import NOWHERE, Diagnostic, InputError, Source, Span, did_you_mean

SOURCE, TARGET = "src", "tgt"
"""What the names of functions before and after a change begin with, in one text."""
_PAIRED = re.compile(rf"({SOURCE}|{TARGET})(?![a-z])(.*)", re.DOTALL)
_COMMENT = re.compile(r"^[ \t]*;[ \t]*axmem:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Side:
    """A function, its module, and what is wrong with its lines, or with those of what it calls."""

    module: Module
    function: Function
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionPair:
    """A function before and after a change."""

    before: Side
    after: Side

    @property
    def same(self) -> bool:
        """Whether both have the same instructions, and so have the functions that they call."""
        return not self.diagnostics and _same(self.before, self.after, set())

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What keeps the pair from being judged."""
        return self.before.diagnostics + self.after.diagnostics

    @property
    def triple(self) -> str:
        """The triple of the target, empty if none is said before the change and after it."""
        return self.before.module.triple or self.after.module.triple


def is_said(source: Source) -> bool:
    """Whether comments of a module say what its functions are run as."""
    return _COMMENT.search(source.text) is not None


def function_pairs(before: Source, after: Source | None = None) -> tuple[FunctionPair, ...]:
    """Return the pairs of one text, `@src.f` with `@tgt.f`, or of two, functions with the same name.

    Functions that only one of two texts has are in none. Raises InputError for a text that is no module of LLVM IR, for
    functions of one text without their counterpart, and for two texts that have no function in common.
    """
    for text in (before, after or before):
        if refused := complaints(text):
            raise InputError(refused)
    first = sides(before)
    if after is not None:
        second = sides(after)
        names = [name for name in first if name in second]
        if not names:
            message = f"no function of '{before.name}' is in '{after.name}'"
            raise InputError([Diagnostic(after, NOWHERE, message, "functions are compared with those of their name")])
        return tuple(FunctionPair(first[name], second[name]) for name in names)
    found = [(name, match[1], match[2]) for name in first if (match := _PAIRED.fullmatch(name))]
    known = {(side, rest): name for name, side, rest in found}
    errors = []
    for name, side, rest in found:
        other = TARGET if side == SOURCE else SOURCE
        if (other, rest) not in known:
            hint = did_you_mean(other + rest, first) or "pairs are @src and @tgt, @src.f and @tgt.f, @src1 and @tgt1"
            message = f"there is no function '@{other}{rest}' beside '@{name}'"
            errors.append(Diagnostic(before, first[name].function.span, message, hint))
    if not found:
        message = "this module has no functions @src and @tgt"
        errors.append(Diagnostic(before, NOWHERE, message, "or name two files: axmem refine before.ll after.ll"))
    if errors:
        raise InputError(errors)
    return tuple(
        FunctionPair(first[name], first[known[TARGET, rest]]) for name, side, rest in found if side == SOURCE
    )  # fmt: skip


def sides(source: Source) -> dict[str, Side]:
    """Return the functions that a text defines, by their names; raise InputError for what is wrong outside them.

    What a function calls that the linker may replace is declared alone in its module.
    """
    parser = ModuleParser(source)
    parser.opened = True
    parser.executed = False
    module = parser.module()
    alone = linked(module)
    lines = source.text.split("\n")
    defined = {name: function for name, function in module.functions.items() if function.blocks}
    refused: dict[str, list[Diagnostic]] = {}
    outside = parser.diagnostics
    for name, function in defined.items() if outside else ():
        begin, end = extent(lines, function.span)
        refused[name] = [each for each in outside if begin <= each.span.line <= end]
        outside = [each for each in outside if not begin <= each.span.line <= end]
    if outside:
        raise InputError(outside)
    found = {name: Side(alone, function) for name, function in defined.items()}
    if refused:
        for name, side in found.items():
            executed = (each.name for each in called(side) if each.blocks)
            found[name] = replace(side, diagnostics=tuple(wrong for each in executed for wrong in refused[each]))
    return found


def extent(lines: list[str], span: Span) -> tuple[int, int]:
    """Return the first and the last line of a function, counted from 1, whose name is at a place."""
    end = next((k for k in range(span.line, len(lines) + 1) if lines[k - 1].startswith("}")), len(lines))
    return span.line, end


def _same(before: Side, after: Side, seen: set[str]) -> bool:
    one, other = before.function, after.function
    if one.blocks != other.blocks or one.parameters != other.parameters:
        return False
    if _promises(before.module, one) != _promises(after.module, other):
        return False
    seen.add(one.name)
    for callee in (each.callee for each in instructions(one) if each.callee and each.callee not in seen):
        both = [module.functions.get(callee) for module in (before.module, after.module)]
        if both[0] is None or (both[1] is None and not both[0].blocks):
            continue
        if both[1] is None or not _same(Side(before.module, both[0]), Side(after.module, both[1]), seen):
            return False
    return True


def _promises(module: Module, function: Function) -> list[Promise]:
    return sorted(promises(module, function))


def called(side: Side) -> Iterator[Function]:
    """Yield a function and those of its module that it calls, which may be declared alone."""
    ahead, seen = [side.function], {side.function.name}
    while ahead:
        function = ahead.pop()
        yield function
        callees = {each.callee for each in instructions(function) if each.callee in side.module.functions} - seen
        seen |= callees
        ahead += [side.module.functions[name] for name in sorted(callees)]


def instructions(function: Function) -> Iterator[Instruction]:
    """Yield the instructions of a function."""
    return (each for block in function.blocks for each in block.instructions)
