"""What authors write and what ships: a program's test with all its memory, and the code that clang makes of it.

What goes in: the text of a source in HIP or OpenCL, or of a module of LLVM IR, perhaps a launch, and a target. What
comes out: the test that the launch is, and for a source the assembly of the same clang for that target. Invariant:
where nothing says what is asked, the outcomes are what is in memory at the end, of every location.
"""

from __future__ import annotations

from axmem.codegen.targets import NEWEST_LLVM, Target
from axmem.formats import ir, sources
from axmem.formats.forms import LAUNCH, MODULE, language
from axmem.formats.reading import form_of, parse
from axmem.front.records import replace
from axmem.front.source import Source
from axmem.litmus import walk
from axmem.litmus.syntax import AddressSpace, FinalValue, LitmusTest
from axmem.mapping.compiled import profile_of_version

_MODES = {
    "tgsplit": {"tgsplit": "-mtgsplit", "cu": "-mno-tgsplit"},
    "wgp": {"wgp": "-mno-cumode", "cu": "-mcumode"},
}
"""Options of clang for the modes of families, by a mode that only they have."""


def is_program(name: str, text: str, form: str) -> bool:
    """Say whether a text is a source for GPUs, which clang compiles for a target."""
    named = form if form and not form.startswith(LAUNCH) else ""
    return not named and language(name) in sources.ON_GPUS and form_of(text, name) is not None


def processor(target: Target) -> str:
    """Return the processor that code for a target is compiled for: of a family its first."""
    return target.name if target.name in target.family.targets else target.family.targets[0]


def options(target: Target) -> tuple[str, ...]:
    """Return the options of clang that a target's mode is."""
    return tuple(said[target.mode] for mode, said in _MODES.items() if mode in target.family.modes)


def profile_of_clang() -> str:
    """Return the profile of the clang that is found, by its version."""
    found = sources.version()
    return NEWEST_LLVM if found is None else profile_of_version(found)


def program(text: str, name: str, form: str, target: Target) -> LitmusTest:
    """Return the test of a program, or of another text, as its code is held against. Raises InputError."""
    launch = form.removeprefix(LAUNCH) if form.startswith(LAUNCH) else ""
    source = Source(name, text)
    if is_program(name, text, form):
        return observing(sources.read(source, launch, processor(target), whole=True))
    found = form_of(text, name, "" if launch else form)
    if found is not None and found.key == MODULE:
        return observing(ir.read(source, launch, whole=True))
    return parse(text, name, form)


def code(text: str, name: str, target: Target) -> tuple[str, str]:
    """Return what clang makes of a source: its command line, and the assembly. Raises InputError."""
    made = sources.code(Source(name, text), processor(target), options(target))
    return made.name, made.text


def observing(test: LitmusTest) -> LitmusTest:
    """Return a test that asks what is in memory at the end, if it is a launch of which nothing else is asked."""
    if not any(kernel.function for kernel in test.kernels) or any(walk.observed(test)):
        return test
    places = (each for each in test.locations if each.space is AddressSpace.GLOBAL)
    return replace(test, observe=tuple(FinalValue(each.name) for each in places))
