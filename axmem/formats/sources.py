"""Programs in C, C++, HIP and OpenCL as LLVM IR, by a clang that is found, as tests, and as code of a processor.

What goes in: a source whose name says its language. What comes out: the text of its module, with the lines
`// axmem: …` of the source as comments of the module, or the assembly that the same clang makes of it; `InputError` has
what clang says, at its places. Invariant: the headers of HIP and OpenCL are our own (`headers/`), so that the answer
does not depend on what is installed; only a source in HIP that needs more is compiled with the headers of HIP that are,
which is said.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

from axmem.formats import ir
from axmem.formats.forms import language
from axmem.front.notes import note
from axmem.front.records import replace
from axmem.front.settings import CLANG
from axmem.front.source import NOWHERE, Diagnostic, InputError, Source, Span, first_errors, mistake
from axmem.litmus import walk
from axmem.litmus.syntax import LitmusTest, Statement

_CLANGS = ("clang-22", "clang-23", "clang-24", "clang-21", "clang-20", "clang-19", "clang")
_HEADERS = Path(__file__).parent / "headers"
_IR = ("-emit-llvm", "-gline-tables-only", "-fno-discard-value-names")
_COMMON = ("-O2", "-S", "-w", "-fno-color-diagnostics", "-fno-caret-diagnostics")
_CODE = ("-include", "device_library.h")
"""What code is compiled with, beside the options of its language: bodies of the functions of AMD's device library."""
PROCESSOR = "gfx942"
"""What is compiled for where nothing says a target."""
_ARCH = "--offload-arch="
_GPU = ("-nogpulib", "-nogpuinc", "-ffp-contract=off")
_HIP = ("-x", "hip", "--cuda-device-only", f"{_ARCH}{PROCESSOR}", *_GPU, "-include", "hip/hip_runtime.h")
_INSTALLED = ("-x", "hip", "--cuda-device-only", f"{_ARCH}{PROCESSOR}", *_GPU, "-D__HIP_PLATFORM_AMD__")
"""What clang is told where the headers of HIP are those that are installed, whose version need not be clang's."""
HIP_PATH = "HIP_PATH"
"""The variable of the environment that names where HIP is, as hipcc has it: its headers are below `include`."""
_PLACES = ("/usr", "/opt/rocm")
_RUNTIME = "hip/hip_runtime.h"
_OPENCL = (
    *("-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", f"-mcpu={PROCESSOR}", "-cl-no-stdinc", "-nogpulib"),
    *("-include", "opencl.h"),
)
_HOST = ("-target", "x86_64-unknown-linux-gnu")
_OPTIONS = {
    "HIP": _HIP,
    "CUDA": _HIP,
    "OpenCL": _OPENCL,
    "C": ("-x", "c", "-std=gnu17", *_HOST),
    "C++": ("-x", "c++", "-std=gnu++20", *_HOST),
}
"""What clang is told of a language; CUDA is compiled as HIP, whose words are the same."""
ON_GPUS = ("HIP", "CUDA", "OpenCL")
"""The languages of programs for GPUs."""
_SAID = re.compile(r"[ \t]*//[ \t]*axmem:(.*)")
_ERROR = re.compile(r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?:fatal )?error: (?P<message>.*)")
_COERCED = re.compile(r"%([\w.]+)\.coerce(?![\w.])")
_STDIN = "<stdin>"
_OWN = (_STDIN, "-")
"""What the files of locations are called that stand in the source itself."""
_PLACE = re.compile(r", !dbg !(\d+)")
_LOCATION = re.compile(
    r"!(\d+) = (?:distinct )?!DILocation\(line: (\d+), column: (\d+), scope: !(\d+)(?:, inlinedAt: !(\d+))?"
)
_SCOPE = re.compile(r"^!(\d+) = .*\bfile: !(\d+)", re.MULTILINE)
_FILE = re.compile(r'^!(\d+) = !DIFile\(filename: "([^"]*)"', re.MULTILINE)


def read(source: Source, launch: str = "", processor: str = PROCESSOR, *, whole: bool = False) -> LitmusTest:
    """Return the test that a launch of a program is; `launch` is that of the command line, `whole` as of `ir.read`."""
    module = compiled(source, processor)
    lines = _lines(module, source)
    try:
        known = {number: span.line for number, span in lines.items()}
        return _at_lines(ir.read(module, launch, known, whole=whole), lines, source)
    except InputError as error:
        raise InputError([_at_source(each, module, source, lines) for each in error.diagnostics]) from None


@lru_cache(maxsize=4)
def compiled(source: Source, processor: str = PROCESSOR) -> Source:
    """Return the module that clang makes of a source. Raises InputError."""
    said = "".join(f"; axmem:{line}\n" for line in _said(source.text))
    return Source(source.name, said + _as_named(_made(source, processor, _IR)[1]))


def code(source: Source, processor: str, options: Sequence[str] = ()) -> Source:
    """Return the assembly that clang makes of a source with more options; its name is clang's command line.

    Raises InputError.
    """
    command, text = _made(source, processor, (*_CODE, *options))
    return Source(" ".join((*command, os.path.basename(source.name))), text)


def _made(source: Source, processor: str, more: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Return what clang is told of a source, but for its headers, and what it writes."""
    named = language(source.name)
    command = _command(source, named)
    folder = os.path.dirname(source.name) or os.curdir
    after = [word for word in more if word not in _CODE]
    library = [word for word in more if word in _CODE]

    def told(words: Sequence[str]) -> list[str]:
        return [word.replace(PROCESSOR, processor) for word in words]

    # Where HIP is installed its header has the same name as ours.
    ours = ("-isystem" if _OPTIONS[named] is _HIP else "-idirafter", str(_HEADERS))
    done = _run(command, source, [*after, *told(_OPTIONS[named]), *library, "-I", folder, *ours])
    if done.returncode and _OPTIONS[named] is _HIP and (installed := _installed()):
        theirs = [*after, *told(_INSTALLED), "-I", folder, *_wrapped([*command, *told(_HIP)]), *installed]
        again = _run(command, source, [*theirs, *library, "-idirafter", str(_HEADERS)])
        if not again.returncode:
            note(f"{source.name}: needs more than axmem's header of HIP has: compiled with those in {installed[1]}")
            done = again
    if done.returncode:
        raise InputError(first_errors(_errors(done.stderr, source)))
    level = [word for word in _COMMON[:1] if not any(each.startswith("-O") for each in command)]
    shown = (word for word in told(_OPTIONS[named]) if word.startswith((_ARCH, "-mcpu")))
    return (os.path.basename(command[0]), *level, *shown, *after, *command[1:]), done.stdout


def _run(command: list[str], source: Source, options: list[str]) -> subprocess.CompletedProcess[str]:
    """Compile a source from its text; raise `InputError` if clang cannot be run."""
    if any(word.startswith(_ARCH) for word in command):
        options = [each for each in options if not each.startswith(_ARCH)]
    whole = [command[0], *_COMMON, *options, *command[1:], "-o", "-", "-"]
    try:
        return subprocess.run(whole, input=source.text, capture_output=True, text=True, check=False)
    except OSError as reason:
        hint = "name a clang that is installed, such as clang-22"
        raise mistake(CLANG, f"cannot run this: {reason.strerror or reason}", hint, text=command[0]) from None


def _installed() -> list[str]:
    """Return what tells clang of the headers of HIP that are installed; nothing if none are."""
    places = (os.environ[HIP_PATH],) if os.environ.get(HIP_PATH) else _PLACES
    found = (Path(place) / "include" for place in places)
    return next((["-isystem", str(p), "-include", _RUNTIME] for p in found if (p / _RUNTIME).is_file()), [])


def _wrapped(command: list[str]) -> list[str]:
    """Return what tells clang of its own part of HIP, which those headers include, and of the size of a wave."""
    done = subprocess.run([command[0], "-print-resource-dir"], capture_output=True, text=True, check=False)
    own = done.stdout.strip()
    arch = next((word for word in command if word.startswith(_ARCH)), "")
    short = arch.startswith(f"{_ARCH}gfx1") and "-mwavefrontsize64" not in command
    sizes = (f"-D{name}={32 if short else 64}" for name in ("__AMDGCN_WAVEFRONT_SIZE", "__AMDGCN_WAVEFRONT_SIZE__"))
    wrappers = f"{own}/include/cuda_wrappers"
    return [*sizes, "-I", own, "-isystem", wrappers, "-include", "__clang_hip_runtime_wrapper.h"]


def _as_named(module: str) -> str:
    """Return a module whose kernels' pointers have the names of the source, to which clang adds a word."""
    for name in dict.fromkeys(_COERCED.findall(module)):
        if not re.search(rf"%{re.escape(name)}(?![\w.])", module):
            module = re.sub(rf"%{re.escape(name)}\.coerce(?![\w.])", f"%{name}", module)
    return module


def found_clang() -> str:
    """Return the clang that is found, or the empty string."""
    return next((found for name in _CLANGS if (found := shutil.which(name))), "")


@cache
def version() -> int | None:
    """Return which clang is found, by the first number of its version, None if it does not say."""
    command = shlex.split(os.environ.get(CLANG, ""))[:1] or [found_clang()]
    try:
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    match = re.search(r"clang version (\d+)", done.stdout)
    return int(match[1]) if match else None


def _command(source: Source, named: str) -> list[str]:
    """Return the clang that is named or found, and the options that it is given there."""
    given = shlex.split(os.environ.get(CLANG, ""))
    if given:
        return given
    if found := found_clang():
        return [found]
    own = {word for word in _OPTIONS[named] if word == "-include" or word.endswith(".h")}
    options = " ".join(word for word in (*_COMMON[:2], *_IR, *_OPTIONS[named]) if word not in own)
    raise mistake(
        source.name,
        f"this is a program in {named}, and no clang is found to compile it",
        f"install clang, or run elsewhere: clang {options} {os.path.basename(source.name)} -o - > kernel.ll",
    )


def _said(text: str) -> Iterator[str]:
    """Yield what the comments `// axmem: …` of a source say."""
    return (match[1] for line in text.split("\n") if (match := _SAID.match(line)))


def _errors(text: str, source: Source) -> Iterator[Diagnostic]:
    """Yield what clang says, at the places of the source."""
    found = False
    for line in text.splitlines():
        match = _ERROR.fullmatch(line)
        if match and match["file"] == _STDIN:
            found = True
            yield Diagnostic(source, Span(int(match["line"]), int(match["column"])), f"clang says: {match['message']}")
        elif match or (" error: " in line and not found):
            found = True
            yield Diagnostic(source, NOWHERE, f"clang says: {line}")
    if not found:
        yield Diagnostic(source, NOWHERE, f"clang says: {text.strip()[:500] or 'nothing, and fails'}")


def _lines(module: Source, source: Source) -> dict[int, Span]:
    """Return the places of the source from which lines of the module were compiled, as their debug locations say."""
    last = source.text.count("\n") + 1
    known = {number: rest for number, *rest in _LOCATION.findall(module.text)}
    files = dict(_FILE.findall(module.text))
    scopes = {number: files.get(file, "") for number, file in _SCOPE.findall(module.text)}
    where: dict[str, Span] = {}
    for number in known:
        at = number
        # What a header's function does, it does where that is called.
        while at in known and scopes.get(known[at][2]) not in _OWN:
            at = known[at][3]
        if at in known:
            where[number] = Span(int(known[at][0]), max(1, int(known[at][1])))
    found = {}
    for number, line in enumerate(module.text.split("\n"), 1):
        place = _PLACE.search(line)
        span = where.get(place[1]) if place else None
        if span is not None and 0 < span.line <= last:
            found[number] = span
    return found


def _at_lines(test: LitmusTest, lines: dict[int, Span], source: Source) -> LitmusTest:
    """Return a test whose statements stand at their places of the source."""

    def placed(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        inside = (walk.with_arms(each, [placed(arm) for _, arm in walk.arms(each)]) for each in body)
        return tuple(replace(each, span=lines.get(each.span.line, NOWHERE)) for each in inside)

    threads = tuple(replace(each, body=placed(each.body)) for each in test.threads)
    kernels = tuple(replace(each, body=placed(each.body)) for each in test.kernels)
    return replace(test, threads=threads, kernels=kernels, source=source)


def _at_source(diagnostic: Diagnostic, module: Source, source: Source, lines: dict[int, Span]) -> Diagnostic:
    """Return a message about a line of the module at the place of the source that the line was compiled from."""
    if diagnostic.source.text != module.text or not diagnostic.span.line:
        return diagnostic
    shown = _PLACE.split(module.line(diagnostic.span.line).strip())[0]
    message = f"{diagnostic.message} (in {shown})" if shown else diagnostic.message
    span = lines.get(diagnostic.span.line, NOWHERE)
    return Diagnostic(source, span, message, diagnostic.hint, diagnostic.severity)
