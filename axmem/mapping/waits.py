"""The scoreboard without a test: whether functions of any assembly wait for their registers.

What goes in: a file, as bytes: assembly, a disassembly, or a code object. What comes out: for each function the
hazards, and what of it was not judged, and why. Text that only an assembler understands (macros, symbols for
registers, code as data) goes through llvm-mc, and code objects through llvm-objdump, where these are found.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping

from axmem.codegen.assembly.code import CodeFunction, code_of
from axmem.codegen.assembly.flow import Ways, functions_of
from axmem.codegen.assembly.registers import OperandError, Touched
from axmem.codegen.assembly.scoreboard import Scoreboard
from axmem.codegen.assembly.text import AssemblyLine, AssemblyListing, read_listing
from axmem.codegen.assembly.waits import limits_of
from axmem.codegen.machine.families import machine_of
from axmem.codegen.machine.program import RegisterHazard
from axmem.codegen.tables import TargetFamily
from axmem.codegen.targets import Target, target, target_of
from axmem.front.notes import note
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError, Span, mistake
from axmem.mapping.objects import code_object as code_object
from axmem.mapping.objects import disassembled, flagged, is_object, run, tool_of

_SAYS = re.compile(rb"amdgcn-amd-\w+--(gfx[0-9a-z-]+?)((?::\w+[+-])*)(?![0-9a-z-])")
_ASSEMBLED = re.compile(r"^\s*(\.(macro|rept|irp|if|include)\b|\.set\s+\w+\s*,)|\b[vsa]\[[^\]\n]*[A-Za-z+*-]",
                        re.MULTILINE)  # fmt: skip
_COMMENT = re.compile(r"/\*(?!v[\d\[])")
_INCLUDES = re.compile(r"^\s*\.include\b", re.MULTILINE)
_MAKE = "llvm-mc -triple=amdgcn-amd-amdhsa -filetype=obj -g -mcpu="
_ORIGIN = re.compile(r"; .*:(\d+)$")
_EXPERT = re.compile(r"s_setreg\w* hwreg\(HW_REG_(WAVE_)?SCHED_MODE, 0, 2\), (?!0)")


@dataclass(frozen=True, slots=True)
class JudgedFunction:
    """What was found of a function. `unknown` has lines and reasons; `passed` are lines that read LDS while something
    is copied there, of which it is not known whether they read that. With `assumed`, calls are taken for LLVM's."""

    name: str
    instructions: int
    hazards: tuple[RegisterHazard, ...]
    unknown: tuple[tuple[Span, str], ...]
    passed: tuple[Span, ...]
    assumed: bool


@dataclass(frozen=True, slots=True)
class JudgedCode:
    """What was found of a file; `read` is the command whose output has the lines, if that is not the file."""

    name: str
    target: str
    functions: tuple[JudgedFunction, ...]
    read: str = ""


def waits(name: str, content: bytes, processor: str = "", switches: Mapping[str, str] | None = None) -> JudgedCode:
    """Judge the functions of a file, for a processor if it does not say for which it is. Raises InputError."""
    on, listing, read = listing_of(name, content, processor)
    values = {**machine_of(on.family.name).defaults, **(switches or {})}
    return JudgedCode(name, on.name, tuple(_judged(listing, on.family, values)), read)


def listing_of(name: str, content: bytes, processor: str = "") -> tuple[Target, AssemblyListing, str]:
    """Return for which target a file is, its lines, and the command that printed them, if that is not the file.

    Raises InputError.
    """
    if not content.strip():
        raise mistake(name, "the file is empty", "assembly, a disassembly or a code object is read")
    said = _SAYS.search(content)
    own = said[1].decode() if said else "" if processor else flagged(name, content)
    if not processor and not own:
        raise mistake(name, "the file does not say which processor it is for", "--target gfx942 says it")
    on = target(processor) if processor else target_of(name, own)
    if said and own != on.name and not is_object(content):
        note(f"{name}: it is for {own}, and is read as code for {on.name}")
        content = content.replace(f"--{own}".encode(), f"--{on.name}".encode())
    return on, *_listing(name, content, on.name, said[2].decode() if said else "")


def _judged(listing: AssemblyListing, family: TargetFamily, switches: Mapping[str, str]) -> Iterator[JudgedFunction]:
    code = code_of(listing)
    flat = family.instructions["global"] == "flat"
    touched = dict(enumerate(map(_global, code.touched, code.lines) if flat else code.touched))
    for function, ways in functions_of(code):
        lines = {index for start, _ in ways.after for index in range(start, ways.ends[start])}
        _check(listing, code.lines, lines, family)
        called = function.span if _called(function, ways) else None
        found = Scoreboard(function.name, code.lines, touched, family, ways, called=called).found()
        unknown = ways.unknown | {k: _expert(code.lines[k]) for k in lines if _EXPERT.match(code.lines[k].text)}
        raw = any(code.lines[k].mnemonic.startswith(".") for k in unknown)  # nobody knows what they count
        yield JudgedFunction(
            name=function.name, instructions=len(lines),
            hazards=() if raw else tuple(hazard for hazard in found.hazards if hazard.stands(switches)),
            unknown=tuple((code.lines[k].span, reason) for k, reason in sorted(unknown.items())),
            passed=tuple(code.lines[k].span for k in sorted(found.passed)),
            assumed=bool(ways.calls) or called is not None,
        )  # fmt: skip


def _global(touched: Touched, line: AssemblyLine) -> Touched:
    """Return what an access by a flat instruction touches where there are no others for global memory: that it is."""
    return Touched(touched.read, touched.written, {"global"}) if line.mnemonic.startswith("flat_") else touched


def _called(function: CodeFunction, ways: Ways) -> bool:
    return function.kernel is not True and bool(ways.returns)


def _expert(line: AssemblyLine) -> str:
    return f"'{line.text}' switches off checks of vector registers by the hardware, which code then makes itself"


def _check(listing: AssemblyListing, lines: tuple[AssemblyLine, ...], reached: set[int], family: TargetFamily) -> None:
    """Raise InputError for a wait that is not one of the target."""
    known = {*machine_of(family.name).counters, "expcnt"}
    errors = []
    for index in sorted(reached):
        try:
            wrong = [c for c in limits_of(lines[index], family) if c not in known]
        except OperandError as error:
            errors.append(Diagnostic(listing.source, lines[index].span, str(error)))
            continue
        messages = [f"there is no counter '{counter}' on {family.title}" for counter in wrong]
        errors += [Diagnostic(listing.source, lines[index].span, message) for message in messages]
    if errors:
        raise InputError(errors)


# ---------------------------------------------------------------- reading


def _listing(name: str, content: bytes, processor: str, features: str) -> tuple[AssemblyListing, str]:
    """Return the lines of a file, and the command that printed them, if that is not the file."""
    if is_object(content):
        made, command = disassembled(name, content)
        return read_listing(made, name), command
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise mistake(name, "this is neither assembly nor a code object") from None
    if not _ASSEMBLED.search(text) and not _COMMENT.search(text):
        listing = read_listing(text, name)
        if not any(line.mnemonic.startswith(".") for kernel in listing.kernels.values() for line in kernel.lines):
            return listing, ""
        if any(label.startswith("0x") for kernel in listing.kernels.values() for label in kernel.labels):
            return listing, ""  # a disassembly, with what the disassembler does not know
    made, _ = disassembled(name, _assembled(name, content, processor, features))
    listing = read_listing(made, name)
    written = None if _INCLUDES.search(text) else _as_written(listing)
    return (listing, _commands(name, processor)) if written is None else (written, "")


def _commands(name: str, processor: str) -> str:
    """Return the commands that assemble a text, and print what was made."""
    return f"{_MAKE}{processor} {name} -o k.o && llvm-objdump -d -t -l k.o"


def _assembled(name: str, content: bytes, processor: str, features: str) -> bytes:
    """Return the code object that an assembler makes of a text."""
    make, rest = f"{_MAKE}{processor}", _commands(name, processor)
    tool = tool_of("llvm-mc", "only an assembler understands this assembly", name, rest)
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "k.o")
        attributes = ",".join(f"{feature[-1]}{feature[:-1]}" for feature in features.split(":") if feature)
        command = [tool, *make.split()[1:], "-I", os.path.dirname(name) or ".", "-o", made, "-"]
        run([*command, *([f"-mattr={attributes}"] if attributes else [])], content, name)
        with open(made, "rb") as file:
            return file.read()


def _as_written(listing: AssemblyListing) -> AssemblyListing | None:
    """Return the lines of a disassembly at the places where the assembler read them, None if it does not say them.

    Of a file that is included it says the line, and not which file that is.
    """
    origin, origins = 0, [0]
    for line in listing.source.text.split("\n"):
        found = _ORIGIN.match(line)
        origin = int(found[1]) if found else origin
        origins.append(origin)
    if not origin:
        return None
    kernels = {}
    for name, kernel in listing.kernels.items():
        lines = tuple(replace(line, span=Span(origins[line.span.line], 0, 0)) for line in kernel.lines)
        kernels[name] = replace(kernel, lines=lines)
    return replace(listing, kernels=kernels)
