"""One test on one target, as plain data that any process can verify.

What goes in: the words of a command line and the text of a test. What comes out: a `VerificationCase`, what is found,
and the answer to the test's own question: whether its condition holds never, sometimes or always, of the machine's
outcomes and of the model's. Who relies on a machine on purpose asks this. Invariant: `never` and `always` are said of
outcomes that are all known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import prod

from axmem.check.conditions import name_of
from axmem.check.results import judge, truths
from axmem.check.selection import loaded, parse_choice
from axmem.codegen.machine.explore import explore
from axmem.codegen.machine.families import SWITCHES
from axmem.codegen.machine.walk import Row
from axmem.codegen.targets import Target, target
from axmem.front.output import write_whole
from axmem.front.records import dataclass, replace
from axmem.front.source import InputError, OutputError, did_you_mean, mistake
from axmem.litmus.condition_printer import condition_text
from axmem.litmus.launch import lanes
from axmem.litmus.syntax import Expr, Kernel, KernelParameter, LitmusTest, Register, Truth
from axmem.litmus.values import value_text
from axmem.litmus.walk import observables
from axmem.mapping.built import code, is_program, program
from axmem.mapping.compiled import differences
from axmem.mapping.verification import CodeSource, Exploration, Verification, Violation, state_text, verify

CHOICES = 9
"""How many choices of parameters are verified one after the other."""


@dataclass(frozen=True, slots=True)
class VerificationCase:
    """A test and everything that its verification depends on; `kept` is the directory that keeps verdicts, if any.

    `form` is that of the text, if it was named.
    """

    name: str
    text: str
    target: str
    mode: str
    profile: str
    model: str
    placement: str
    switches: tuple[tuple[str, str], ...]
    divergent: bool
    format: str
    limit: int
    seconds: float | None = None
    llc: str = ""
    assembly: tuple[str, str] | None = None
    """The name and text of a file of assembly; with this, or with `llc`, that is verified instead of the lowering."""
    kept: str = ""
    form: str = ""
    needs: tuple[str, ...] | None = None
    """If it is asked what outcomes need: the elements of which it is shown what is lost without them."""
    asks: bool = False
    """Whether its own question is to be answered, too, on the machine and by the model."""
    chosen: tuple[tuple[str, str, int], ...] = ()
    """Of parameters that may have several values a kernel, the parameter, and which of them its code is given."""
    keep: str = ""
    """The file to which the code that clang makes of a source is written, if any."""

    @property
    def maker(self) -> str:
        """What made the instructions, if they are not the lowering: the name of llc, or of a file of assembly."""
        return self.llc or (self.assembly[0] if self.assembly else "")

    @property
    def built(self) -> bool:
        """Whether it is a source, whose code is clang's own."""
        return not self.maker and is_program(self.name, self.text, self.form)


def each_value(case: VerificationCase) -> Iterator[VerificationCase]:
    """Yield a case for each choice of values where parameters may have several, of which code is given one.

    Of more than `CHOICES` none is made, nor where an argument is a part of a structure: the case is refused as it is.
    """
    several = _several(case) if case.built or case.maker else []
    if not several or prod(len(p.values) for _, p in several) > CHOICES:
        yield case
        return
    for numbers in product(*(range(len(p.values)) for _, p in several)):
        yield replace(case, chosen=tuple((k, p.name, n) for (k, p), n in zip(several, numbers, strict=True)))


def _several(case: VerificationCase) -> list[tuple[str, KernelParameter]]:
    """Return the parameters that may have several values, with their kernels, if it is known where code finds them."""
    try:
        test = program(case.text, case.name, case.form, target(case.target, case.mode, case.profile))
    except InputError:  # said where it is judged
        return []
    found = [(kernel, p) for kernel in test.kernels for p in kernel.parameters if p.values[1:]]
    placed = all(Register(p.name) in kernel.arguments or not kernel.function for kernel, p in found)
    return [(kernel.name, p) for kernel, p in found] if placed else []


def _given(test: LitmusTest, chosen: tuple[tuple[str, str, int], ...]) -> LitmusTest:
    """Return a test whose parameters have the values that were chosen, which its name says."""
    if not chosen:
        return test
    values = {(kernel.name, p.name): p.values for kernel in test.kernels for p in kernel.parameters}
    given = {(kernel, name): values[kernel, name][number] for kernel, name, number in chosen}
    said = ", ".join(f"{name} = {value_text(value, None)}" for (_, name), value in given.items())
    kernels = tuple(_kernel_given(kernel, given) for kernel in test.kernels)
    return replace(test, kernels=kernels, name=f"{test.name} ({said})")


def _kernel_given(kernel: Kernel, given: Mapping[tuple[str, str], Expr]) -> Kernel:
    here = {p.name: given[kernel.name, p.name] for p in kernel.parameters if (kernel.name, p.name) in given}
    parameters = tuple(replace(p, values=(here.get(p.name, p.values[0]),)) for p in kernel.parameters)
    arguments = tuple(here[each.name] if isinstance(each, Register) else each for each in kernel.arguments)
    return replace(kernel, parameters=parameters, arguments=arguments)


def verification(case: VerificationCase) -> Verification:
    """Verify a case's test. Raises InputError."""
    on = target(case.target, case.mode, case.profile)
    test = _given(program(case.text, case.name, case.form, on), case.chosen)
    assembly = kept_code(case, on) if case.built else case.assembly
    return verify(
        test,
        on,
        case.model,
        code=CodeSource(assembly, case.llc, case.divergent),
        exploration=Exploration(case.placement, dict(case.switches), limit=case.limit, seconds=case.seconds),
    )


def kept_code(case: VerificationCase, on: Target) -> tuple[str, str]:
    """Return what clang makes of a source, with its name; written to the file that is to keep it. Raises InputError."""
    name, text = code(case.text, case.name, on)
    if not case.keep:
        return name, text
    try:
        write_whole(case.keep, text)
    except OutputError as error:
        reason = error.diagnostics[0].message.partition(": ")[2]
        raise mistake("--keep", f"cannot write {case.keep}: {reason}") from None
    return case.keep, text


def compared(case: VerificationCase, found: Verification) -> list[str] | None:
    """Return where a compiler's instructions are not those of the tables; None without a compiler, or a lowering."""
    if not case.maker or len(found.program.streams) != len(found.test.threads) + sum(map(_lanes, found.test.kernels)):
        return None
    try:
        return list(differences(found.program, found.test, found.target))
    except InputError:
        return None


def _lanes(kernel: Kernel) -> int:
    return len(lanes(kernel))


def check_options(settings: Iterable[str], model: str) -> tuple[tuple[str, str], ...]:
    """Return the switches of a command line. Raises InputError for one that does not exist, and for an unknown
    model."""
    loaded(parse_choice(model))
    known = {switch.name: switch.values for switch in SWITCHES}
    found = []
    for text in settings:
        name, _, value = text.partition("=")
        if name not in known:
            hint = did_you_mean(name, known) or f"known: {', '.join(known)}"
            raise mistake("--switch", f"there is no switch '{name}'", hint, text=text)
        if value not in known[name]:
            hint = f"it is {' or '.join(known[name])}"
            raise mistake("--switch", f"{name} has no value '{value}'", hint, text=text)
        found.append((name, value))
    return tuple(found)


ANSWERED = frozenset({"never", "always"})


@dataclass(frozen=True, slots=True)
class MachineAnswer:
    """What a condition is on the machine and under the model: never, sometimes, always or unknown; of the model
    undefined, too. `shown` is an outcome of which it holds, where the machine has it."""

    question: str
    machine: str
    model: str
    shown: Violation | None

    @property
    def relied(self) -> bool:
        """Whether the machine gives an answer for certain that the model leaves open."""
        return self.machine in ANSWERED and self.model in {"sometimes", "undefined"}


def machine_answer(found: Verification) -> MachineAnswer:
    """Return what a test's condition is on the machine.

    Raises InputError if it has none, or speaks of what code does not show.
    """
    test, permitted = found.test, found.permitted
    if test.condition == Truth(True):
        hint = "write a condition: 'exists (out=1)', in a source behind '// axmem:'"
        raise mistake("--asks", f"{test.name} asks nothing", hint)
    names = {column.name for column in permitted.columns}
    hidden = sorted({name_of(each) for each in observables(test.condition)} - names)
    if hidden:
        message = f"code does not show {', '.join(hidden)}, of which {test.name} asks"
        raise mistake("--asks", message, "let it store what is to be seen")
    told = truths(test.condition, found.found, permitted.columns, permitted.locations, "wild")
    machine = judge(told, complete=not found.cut and not found.hazards)
    row = next((row for row, truth in zip(found.found, told, strict=True) if truth.may), None)
    shown = None if row is None else _where(found, row)
    question = f"{test.quantifier.value} ({condition_text(test.condition)})"
    return MachineAnswer(question, machine, permitted.verdict, shown)


def _where(found: Verification, row: Row) -> Violation | None:
    """Return an outcome with the first placement in which the machine has it."""
    for laid in found.hardware.laid_out(found.program):
        if row in explore(laid, limit=found.hardware.limit).outcomes:
            return Violation(row, state_text(row, found.permitted), laid.placement)
    return None
