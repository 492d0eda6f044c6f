"""A module and its comments as a test.

What goes in: a `Module` and `Comments`. What comes out: a `LitmusTest` whose names and types are not checked yet, and
what is wrong. Functions that comments name are threads and kernels; without such comments those that no other function
calls. The variables of the module that these use, or that comments name, are its locations.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from axmem.formats.ir.attributes import is_divergent, workgroup_size
from axmem.formats.ir.bodies import FunctionBody, FunctionComments
from axmem.formats.ir.carried import carried
from axmem.formats.ir.comments import Comments, ParameterComment, RunUnit
from axmem.formats.ir.fields import by_place
from axmem.formats.ir.inlining import executed, inlined, refuse_changing
from axmem.formats.ir.memory import Unspeakable, location
from axmem.formats.ir.names import FreshNames, location_name, spelled, thread_name
from axmem.formats.ir.provenance import note_unjudged, traced
from axmem.formats.ir.syntax import Function, Module, Parameter
from axmem.formats.ir.translation import Translation
from axmem.formats.ir.types import BARRIER, size
from axmem.formats.ir.units import entries, is_kernel, refuse_other_number
from axmem.formats.ir.uses import with_plain_phis
from axmem.formats.ir.values import type_of
from axmem.formats.ir.work_items import with_work_items
from axmem.front.records import replace
from axmem.front.source import Diagnostic, Span, did_you_mean
from axmem.litmus import walk
from axmem.litmus.kernels import KernelParameter, Launch
from axmem.litmus.loop_rules import without_idle
from axmem.litmus.nesting import nested
from axmem.litmus.syntax import (
    AddressOf,
    AddressSpace,
    Call,
    Condition,
    Expr,
    FinalValue,
    Kernel,
    LitmusTest,
    Location,
    Number,
    Observable,
    Operand,
    PassedStructure,
    Placement,
    Register,
    RegisterOf,
    Statement,
    Thread,
    ValueComparison,
)


class Assembly:
    """A test in the making; no register of it has one of the names `apart`. For `unasked` see `Translation`."""

    def __init__(
        self, module: Module, comments: Comments, apart: Collection[str] = (), *, unasked: bool = False
    ) -> None:
        self.unasked = unasked
        self.module = replace(module, declared=tuple(comments.functions))
        self.comments = comments
        self.apart = apart
        self.diagnostics: list[Diagnostic] = []
        self.places = FreshNames(spell=location_name)
        self.barriers: dict[str, str] = {}
        for name, variable in module.globals.items():
            given = self.places[name]
            if variable.type.name == BARRIER:
                self.barriers[name] = given
        self.asked = comments.tree()
        self.bodies: dict[str, FunctionBody] = {}
        self.functions: dict[str, list[str]] = {}

    def test(self) -> LitmusTest:
        """Return the whole test."""
        units = self.units()
        names = {unit.name for unit in units}
        for unit in units:
            self.functions.setdefault(unit.function, []).append(unit.name)
        threads: list[Thread] = []
        kernels: list[Kernel] = []
        for unit in units:
            try:
                made = self.unit(unit, names)
            except Unspeakable as reason:
                self.diagnostics.append(reason.about(self.module))
                continue
            threads += [made] if isinstance(made, Thread) else []
            kernels += [made] if isinstance(made, Kernel) else []
        asked = self.renamed(self.asked)
        locations, kernels = self.locations(threads, kernels, asked)
        name = self.comments.name or _stem(self.module.source.name)
        return replace(asked, name=name, threads=tuple(threads), kernels=tuple(kernels), locations=locations)

    # ------------------------------------------------ threads and kernels

    def units(self) -> list[RunUnit]:
        """Return what is run, each with a name of its own."""
        found = list(self.comments.units)
        if not found:
            functions = map(self.module.functions.__getitem__, entries(self.module))
            found = [
                RunUnit("", each.name, Placement(), None, Launch() if is_kernel(each) else None, each.span)
                for each in functions
            ]
        if not found and not self.diagnostics:
            hint = "a function that no other one calls is a thread, or one that a comment names: ; axmem: thread @f"
            raise Unspeakable(Span(1, 1), "this module defines no function that could be a thread", hint)
        names = FreshNames((unit.name for unit in found if unit.name), thread_name)
        return [unit if unit.name else replace(unit, name=names.fresh(unit.function)) for unit in found]

    def unit(self, unit: RunUnit, names: set[str]) -> Thread | Kernel:
        """Return a thread or a kernel."""
        function = self.module.functions.get(unit.function)
        if function is None or not function.blocks:
            hint = did_you_mean(unit.function, self.module.functions)
            raise Unspeakable(unit.span, f"this module defines no function '@{unit.function}'", hint)
        arguments, parameters = self.parameters(unit, function)
        note_unjudged(self.module, function)
        whole = carried(executed(with_work_items(inlined(self.module, function), unit.launch or Launch())))
        translation = Translation(
            self.module, traced(with_plain_phis(whole)), self.places, arguments=arguments,
            wanted=self.wanted(unit), barriers=self.barriers, launched=bool(parameters),
            said=self.said(unit, function), apart=self.apart, unasked=self.unasked,
        )  # fmt: skip
        given = tuple(map(self.given, unit.arguments or ()))
        renamed = tuple(replace(p, name=translation.values.registers[p.name]) for p in parameters)
        body = self.bodies[unit.name] = translation.body()
        self.diagnostics += translation.diagnostics
        if body.straight and unit.launch is None:
            return Thread(unit.name, unit.placement, body.statements, unit.span, given)
        private = tuple(each for each in body.memory if each.space is AddressSpace.PRIVATE)
        used = {s.barrier for s in body.statements if isinstance(s, Call)}
        kernel = Kernel(
            name=unit.name, parameters=renamed, launch=unit.launch or Launch(), placement=unit.placement,
            memory=private, barriers=tuple(name for name in self.barriers.values() if name in used),
            body=body.statements, lane_of_thread=unit.launch is None, optnone="optnone" in function.attributes,
            span=unit.span, arguments=given, workgroup=workgroup_size(function, self.module), function=unit.function,
        )  # fmt: skip
        if translation.diagnostics:
            return kernel
        found = nested(kernel) if kernel.lane_of_thread else ""
        return found if isinstance(found, Thread) else without_idle(kernel)

    def parameters(self, unit: RunUnit, function: Function) -> tuple[dict[str, Expr], tuple[KernelParameter, ...]]:
        """Return the values of a function's parameters; those of a kernel are its own parameters."""
        if unit.arguments is None:
            for parameter in function.parameters:
                refuse_changing(parameter)
            return {}, ()
        refuse_other_number(function, unit)
        values: dict[str, Expr] = {}
        parameters = []
        for parameter, argument in zip(function.parameters, unit.arguments, strict=True):
            refuse_changing(parameter)
            if not argument.values:
                continue
            given = tuple(self.constant(argument, value) for value in argument.values)
            if unit.launch is not None:
                type_ = type_of(parameter.type, parameter.span)
                own = is_divergent(parameter, function)
                kept = KernelParameter(
                    parameter.name, type_, given, argument.choice, argument.span, divergent=own,
                    noalias="noalias" in parameter.attributes,
                )  # fmt: skip
                parameters.append(kept)
            elif argument.choice:
                raise Unspeakable(argument.span, "a thread's parameter has one value", "a kernel may have several")
            else:
                values[parameter.name] = given[0]
        return values, tuple(parameters)

    def said(self, unit: RunUnit, function: Function) -> FunctionComments:
        """Return what the comments say of the values and statements of a function."""
        pairs = zip(function.parameters, unit.arguments or (), strict=False)
        parts = {(part.whole, part.at): part.name for part in self.comments.parts}
        buffers = tuple(parameter.name for parameter, argument in pairs if not argument.values)
        said = self.comments
        return FunctionComments(
            buffers=buffers, temporary=said.temporary.get(function.name, ""), parts=parts, labels=said.labels,
            barriers=said.named, finals=tuple(said.finals), assumed=tuple(said.assumed),
        )  # fmt: skip

    def given(self, argument: ParameterComment) -> Expr | None:
        """Return what a parameter is if it is one value."""
        return self.constant(argument, argument.values[0]) if len(argument.values) == 1 else None

    def with_calls(
        self, test: LitmusTest, found: Sequence[RunUnit], names: Mapping[str, Mapping[str, str]]
    ) -> LitmusTest:
        """Return a test with the functions and arguments of its kernels, which are the units that were `found`.

        `names` are those that parameters have been given, by function.
        """
        units = {each.name: unit for each, unit in zip(self.comments.units, found, strict=True)}

        def arguments(kernel: Kernel, unit: RunUnit) -> tuple[Expr | PassedStructure | None, ...]:
            parameters, known = self.module.functions[unit.function].parameters, names.get(unit.function, {})
            called = [known.get(p.name, p.name) for p in parameters]
            values = [*map(self.given, unit.arguments)] if unit.arguments is not None else [*map(self.guessed, called)]
            several = {p.name for p in kernel.parameters if p.values[1:]}
            whole = [Register(n) if v is None and n in several else v for n, v in zip(called, values, strict=True)]
            found = dict(zip((p.name for p in parameters), whole, strict=True))
            return tuple(_passed(each, found) for each in by_place(parameters))

        kernels = (
            replace(each, function=units[each.name].function, arguments=arguments(each, units[each.name]))
            for each in test.kernels
        )
        return replace(test, kernels=tuple(kernels))

    def guessed(self, name: str) -> Expr | None:
        """Return the memory that a parameter is taken to point to, if it is one that points to memory."""
        name = f"arg{name}" if name.isdecimal() else name
        found = next((each for each in (f"{name}.arg", name) if each in self.module.globals), None)
        return None if found is None else AddressOf(self.places[found])

    def constant(self, argument: ParameterComment, value: Expr) -> Expr:
        """Return an argument as the test has it: an address of a location, or a number."""
        for part in walk.parts(value):
            if isinstance(part, AddressOf) and part.location not in self.module.globals:
                hint = did_you_mean(part.location, self.module.globals)
                raise Unspeakable(argument.span, f"no variable of the module is named '@{part.location}'", hint)
        return walk.replaced(value, self.placed)

    def placed(self, expr: Expr) -> Expr:
        """Return an address under the name that the variable has in the test."""
        if isinstance(expr, AddressOf) and expr.location in self.module.globals:
            return replace(expr, location=self.places[expr.location])
        return expr

    # ------------------------------------------------ what is asked

    def wanted(self, unit: RunUnit) -> set[str]:
        """Return the values of a function that the comments ask about, by their names in the module."""
        asked = {o.register for o in walk.observed(self.asked) if isinstance(o, RegisterOf) and self.means(o, unit)}
        function = self.module.functions[unit.function]
        named = {p.name for p in function.parameters}
        named |= {i.result for b in inlined(self.module, function).blocks for i in b.instructions}
        return {name for name in named if name in asked or spelled(name) in asked}

    def means(self, observable: RegisterOf, unit: RunUnit) -> bool:
        """Say whether an observable is of this unit, named as such or by its function."""
        name = observable.thread
        return name in (unit.name, unit.function) or name.startswith(f"{unit.name}.")

    def renamed(self, test: LitmusTest) -> LitmusTest:
        """Return what is asked with the names that registers, threads and locations have in the test."""
        return replace(
            test,
            condition=walk.with_comparisons(test.condition, self.comparison),
            filter=None if test.filter is None else walk.with_comparisons(test.filter, self.comparison),
            observe=tuple(map(self.observable, test.observe)),
            outcome_sets=tuple(
                replace(
                    each, rows=tuple(tuple((self.observable(o), self.side(v)) for o, v in row) for row in each.rows)
                )
                for each in test.outcome_sets
            ),
        )

    def comparison(self, atom: ValueComparison) -> Condition:
        """Rename what a comparison names."""
        return replace(atom, left=self.side(atom.left), right=self.side(atom.right))

    def side(self, side: Operand) -> Operand:
        """Rename what one side of a comparison names."""
        if isinstance(side, RegisterOf | FinalValue):
            return self.observable(side)
        found: Operand = walk.replaced(side, self.placed)  # type: ignore[assignment]
        return found

    def observable(self, observable: Observable) -> Observable:
        """Rename what is observed."""
        if isinstance(observable, FinalValue):
            known = observable.location in self.module.globals
            return replace(observable, location=self.places[observable.location]) if known else observable
        owners = self.functions.get(observable.thread, [])
        thread = owners[0] if observable.thread not in self.bodies and len(owners) == 1 else observable.thread
        body = self.bodies.get(thread) or self.bodies.get(thread.split(".")[0])
        known_as = {} if body is None else {spelled(name): given for name, given in body.registers.items()}
        return replace(observable, thread=thread, register=known_as.get(observable.register, observable.register))

    # ------------------------------------------------ memory

    def locations(
        self, threads: list[Thread], kernels: list[Kernel], asked: LitmusTest
    ) -> tuple[tuple[Location, ...], list[Kernel]]:
        """Return the locations of a test, and its kernels with the LDS that is one's alone."""
        used = {name: set(_mentioned(body.statements)) for name, body in self.bodies.items()}
        for kernel in kernels:
            used[kernel.name] |= {p for each in kernel.parameters for v in each.values for p in _places(v)}
        parts = {part.name for part in self.comments.parts}
        given = {
            self.places[name]: value for name, value in self.comments.initial.items() if name in self.module.globals
        }
        for name, (_, span) in self.comments.initial.items():
            if name not in self.module.globals and name not in parts:
                hint = did_you_mean(name, self.module.globals)
                problem = Unspeakable(span, f"no variable of the module is named '@{name}'", hint)
                self.diagnostics.append(problem.about(self.module))
        everything = set().union(*used.values(), given, _asked(asked))
        found: dict[str, Location] = {}
        ahead = [name for name, known in self.places.given.items() if known in everything]
        while ahead:
            variable = self.module.globals[ahead.pop(0)]
            if variable.name in self.barriers or self.places[variable.name] in found:
                continue
            try:
                made = location(variable, self.module, self.places)
            except Unspeakable as reason:
                self.diagnostics.append(reason.about(self.module))
                continue
            if made.name in given:
                value = given[made.name][0]
                made = replace(made, initial=None if value is None else walk.replaced(value, self.placed))
            found[made.name] = made
            inside = set(_places(made.initial)) if made.initial is not None else set()
            ahead += [name for name, known in self.places.given.items() if known in inside]
        for part in self.comments.parts:
            if part.name in everything:
                value = self.comments.initial.get(part.name, (None, part.span))[0]
                found[part.name] = Location(part.name, AddressSpace.LDS, part.type, value, part.span)
                self.places.given.setdefault(part.name, part.name)
        order = {known: index for index, known in enumerate(self.places.given.values())}
        everywhere = sorted(found.values(), key=lambda each: order[each.name])
        launched = []
        for kernel in kernels:
            mine = [x for x in everywhere if x.space is AddressSpace.LDS and not kernel.lane_of_thread
                    and [name for name, names in used.items() if x.name in names] == [kernel.name]]  # fmt: skip
            everywhere = [x for x in everywhere if x not in mine]
            launched.append(replace(kernel, memory=(*mine, *kernel.memory)))
        straight = {thread.name for thread in threads}
        for name, body in self.bodies.items():
            everywhere += [x for x in body.memory if name in straight or x.space is not AddressSpace.PRIVATE]
        return tuple(everywhere), launched


def _passed(parameters: Sequence[Parameter], values: Mapping[str, Expr | None]) -> Expr | PassedStructure | None:
    """Return what a call passes for the parameters that are one argument; None if that is not one value."""
    if not parameters[0].part_of:
        return values[parameters[0].name]
    fields = [
        (each.at, size(each.type), value)
        for each in parameters
        if isinstance(value := values[each.name], AddressOf | Number)
    ]
    return PassedStructure(tuple(fields)) if len(fields) == len(parameters) else None


def _mentioned(body: tuple[Statement, ...]) -> Iterable[str]:
    for statement in walk.statements(body):
        for expr in walk.expressions(statement):
            yield from _places(expr)


def _places(expr: Expr) -> Iterable[str]:
    return (part.location for part in walk.parts(expr) if isinstance(part, AddressOf))


def _asked(test: LitmusTest) -> set[str]:
    """Return the locations that the comments name."""
    found = {o.location for o in walk.observed(test) if isinstance(o, FinalValue)}
    conditions = [each for each in (test.condition, test.filter) if each is not None]
    sides = [side for c in conditions for atom in walk.comparisons(c) for side in (atom.left, atom.right)]
    sides += [value for each in test.outcome_sets for row in each.rows for _, value in row]
    return found.union(*(_places(side) for side in sides if not isinstance(side, RegisterOf | FinalValue)))


def _stem(name: str) -> str:
    return re.sub(r'[\s";]', "_", os.path.splitext(os.path.basename(name))[0]) or "_"
