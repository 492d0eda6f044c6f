"""A test as herd's C.

What goes in: a test. What comes out: its text in C in herd's form, and a diagnostic for all that C cannot say: an error
for what has no words there at all, a warning for a part that is left out. Invariant: of a test without diagnostics the
text is read as a test with the same outcomes. Scopes and address spaces make it a test of OpenCL.
"""

from __future__ import annotations

import re

from axmem.formats.herd.c_printer import CPrinter, c_type, held
from axmem.formats.unsaid import Unsaid
from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, Span
from axmem.litmus import walk
from axmem.litmus.condition_printer import condition_text, observable_text
from axmem.litmus.placement import placed
from axmem.litmus.printer import expectation_lines
from axmem.litmus.syntax import (
    I1,
    AddressOf,
    AddressSpace,
    CmpXchg,
    Condition,
    LitmusTest,
    Location,
    Number,
    Observable,
    Operand,
    Placement,
    RegisterOf,
    Thread,
    Type,
    UndefValue,
    ValueComparison,
    VectorOf,
)
from axmem.litmus.words import AS_PREFIX, Scope, placed_levels

_PLACES = {"agent": "dv", "cluster": "cluster", "workgroup": "wg", "wavefront": "sg", "thread": "wi"}
_SPACES = {AddressSpace.LDS: "local ", AddressSpace.PRIVATE: "private "}


def written(test: LitmusTest) -> tuple[str, list[Diagnostic]]:
    """Return a test as herd's C, and what that cannot say."""
    writer = _Writer(test)
    return writer.text(), writer.diagnostics


@dataclass(slots=True)
class _Writer(Unsaid):
    """Writes one test."""

    @property
    def opencl(self) -> bool:
        """Whether the test speaks of scopes or kinds of memory, which are OpenCL's."""
        spaces = any(location.space in _SPACES for location in self.test.locations)
        modes = [mode for _, s in walk.located(self.test) if (mode := getattr(s, "mode", None)) is not None]
        of_memory = any(prefix == AS_PREFIX for mode in modes for prefix, _ in mode.tags)
        return spaces or of_memory or any(mode.scope.level is not Scope.SYSTEM for mode in modes)

    def text(self) -> str:
        """Return the whole text."""
        test = self.test
        self.lost_by_all()
        lines = [f"{'OpenCL' if self.opencl else 'C'} {test.name}"]
        if test.description:
            lines.append('"' + re.sub(r"[\"\n]", "'", test.description) + '"')
        lines += ["{", *(f"  {self.location(location)};" for location in test.locations), "}", ""]
        names = {thread.name: f"P{number}" for number, thread in enumerate(test.threads)}
        for thread in test.threads:
            if thread.name != names[thread.name]:
                self.lost(thread.span, f"thread {thread.name} is called {names[thread.name]} there")
            lines += [*self.thread(thread, names[thread.name]), ""]
        return "\n".join([*lines, *self.question(names)]) + "\n"

    def location(self, location: Location) -> str:
        """Return an initial value."""
        assert location.type is not None
        value = location.initial
        if value is None:
            self.lost(location.span, f"{location.name} begins without a value; in C tests it begins with 0")
        parts = value.elements if isinstance(value, VectorOf) else (value or Number(0),)
        if any(not isinstance(part, Number | AddressOf) for part in parts):
            self.lost(location.span, f"what {location.name} begins with has no words in C", whole=True)
        shown = [
            str(p.value) if isinstance(p, Number) else p.location if isinstance(p, AddressOf) else "0" for p in parts
        ]
        name = f"{c_type(location.type.element)} {location.name}"
        if location.type.lanes:
            return f"{name}[{location.type.lanes}] = {{{', '.join(shown)}}}"
        return f"{name} = {shown[0]}"

    def thread(self, thread: Thread, name: str) -> list[str]:
        """Return a function."""
        spaces = {location.name: location.space for location in self.test.locations}
        types = {location.name: location.type for location in self.test.locations}
        printer = CPrinter(self.test, self.lost, opencl=self.opencl)
        body = printer.function(thread.body)
        used = [name for name in types if name in printer.locations]
        parameters = []
        for each in used:
            type_ = types[each]
            assert type_ is not None
            atomic = each not in printer.plain and type_.pointer is None
            parameters.append(f"{_SPACES.get(spaces[each], '')}{c_type(type_.element, atomic=atomic)}* {each}")
        return [f"{name}{self.place(thread)} ({', '.join(parameters)}) {{", *body, "}"]

    def place(self, thread: Thread) -> str:
        """Return the place of a thread, if it is not that of one that states none."""
        default = placed([Placement()] * len(self.test.threads), self.test.levels)
        if tuple(each.placement for each in self.test.threads) == default:
            return ""
        levels = [level for level in placed_levels(self.test.levels) if not level.rare or thread.placement[level]]
        return "@" + ",".join(f"{_PLACES.get(level.place, level.place)} {thread.placement[level]}" for level in levels)

    # ------------------------------------------------ the question

    def question(self, names: dict[str, str]) -> list[str]:
        """Return what is asked, and what is expected as comments."""
        test = self.test
        lines = []
        if test.observe:
            shown = [observable_text(self.observable(each, names)) for each in test.observe]
            lines.append(f"locations [{' '.join(f'{each};' for each in shown)}]")
        if test.filter is not None:
            lines.append(f"filter ({self.condition(test.filter, names)})")
        lines.append(f"{test.quantifier.value} ({self.condition(test.condition, names)})")
        if names != {name: name for name in names} and test.outcome_sets:
            self.lost(test.outcome_sets[0].span, "outcomes that name threads are left out")
        return [*lines, *(f"(* axmem: {line} *)" for line in expectation_lines(test))]

    def condition(self, condition: Condition, names: dict[str, str]) -> str:
        """Return a condition; addresses have no sign there."""
        comparisons = walk.with_comparisons(condition, lambda atom: self.comparison(atom, names))
        return condition_text(comparisons).replace("&", "")

    def comparison(self, atom: ValueComparison, names: dict[str, str]) -> Condition:
        sides = [self.side(side, names, atom.span) for side in (atom.left, atom.right)]
        return ValueComparison(atom.op, sides[0], sides[1], span=atom.span)

    def side(self, operand: Operand, names: dict[str, str], span: Span) -> Operand:
        """Return a side of a comparison."""
        if isinstance(operand, UndefValue) or (
            isinstance(operand, VectorOf) and any(isinstance(part, UndefValue) for part in operand.elements)
        ):
            self.lost(span, "undef has no word there", whole=True)
        if isinstance(operand, Number) and operand.type == I1:
            return Number(operand.value, Type(8))
        return self.observable(operand, names) if isinstance(operand, RegisterOf) else operand

    def observable(self, observable: Observable, names: dict[str, str]) -> Observable:
        """Return an observable by the names of the functions and their variables."""
        if not isinstance(observable, RegisterOf):
            return observable
        register = observable.register
        pairs = {
            (t.name, s.register) for t in self.test.threads for s in walk.statements(t.body)
            if isinstance(s, CmpXchg) and s.register and not s.ok_register
        }  # fmt: skip
        if (observable.thread, register) in pairs and observable.index is not None:
            return RegisterOf(names.get(observable.thread, observable.thread), held(register, observable.index))
        return RegisterOf(names.get(observable.thread, observable.thread), register, observable.index)
