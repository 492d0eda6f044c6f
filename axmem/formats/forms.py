"""The forms of texts that are no litmus tests of axmem but something known, and who reads them.

What goes in: a text that does not begin with `litmus`. What comes out: its form, or nothing. A form is told by the
lines that only it has, so that one message stands for the many that its lines would give. A form with a `reader`, a
module of this package, is read by its function `read(source: Source) -> LitmusTest`, which raises `InputError` with
everything that is wrong with the text; of the others it is said what reads them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache

from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, Source, Span

OPERATIONS = "LLVM's memory operations are read inside a test: litmus NAME, then thread P0 { … }; see docs/language.md"


OWN = "axmem"
"""The key of the test language."""
SNIPPET = "llvm-snippet"
"""The key of a form that no line tells: instructions of LLVM IR that stand in no function."""
MODULE = "llvm-ir"
SOURCE = "source"
"""The key of a form that the name of its file tells: a program that a clang compiles."""
LANGUAGES = {
    ".hip": "HIP", ".cu": "CUDA", ".cl": "OpenCL", ".c": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++",
}  # fmt: skip
"""The languages of sources, by how the names of files end."""
LAUNCH = "launch "
"""What stands before a launch, in the place of a form: a module or a source of which this is run."""
SMALLEST = "\0"
"""What stands for a launch where one of single lanes is to be guessed, which no command line can have; of what is not
guessed it says nothing."""
LINES = 200
"""So many lines of a text are looked at."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form of text: what it is called, the line that tells it, and who else reads it or what to do.

    `key` names it on command lines (`--from`), if it is read here, by the module `reader`. No line tells one without
    `line`.
    """

    name: str
    line: str
    hint: str = ""
    key: str = ""
    reader: str = ""


PAGE = "docs/other-forms.md"
"""What is read of other tools' forms."""
_TITLE = r"[^\s\"{]+(\s*\([^()\"{]*\))?\s*(\".*)?"
"""What stands behind the language in the first line of herd's form: a name, perhaps another one, and a description."""

FORMS = (
    Form(
        "a test in the form of Dartagnan for Vulkan",
        r"(VULKAN|Vulkan|vulkan)[ \t]+[^\s\"{]+.*",
        PAGE,
        "dartagnan-vulkan",
        "dartagnan.vulkan",
    ),
    Form("a test for PTX", r"(PTX|ptx)[ \t]+[^\s\"{]+.*", PAGE, "dartagnan-ptx", "dartagnan.ptx"),
    Form("a SPIR-V program", r"; SPIR-V|; @\w+:.*|\s*OpCapability .*", "dartagnan and spirv-as read it"),
    Form(
        "a test of the Khronos Vulkan memory model",
        r"NEW(DEV|QF|WG|SG|THREAD)( +\d+)?|(SATISFIABLE|NOSOLUTION)\b.*",
        PAGE,
        "khronos",
        "vulkan.khronos",
    ),
    Form(
        "a test for OpenCL in the form of Dartagnan",
        r"OPENCL[ \t]+[^\s\"{]+.*",
        PAGE,
        "dartagnan-opencl",
        "herd.c",
    ),
    Form("a C litmus test of herd", rf"(C(11)?|OpenCL)\s+{_TITLE}", PAGE, "herd-c", "herd.c"),
    Form("an X86 litmus test of herd", rf"X86\s+{_TITLE}", PAGE, "herd-x86", "herd.x86"),
    Form(
        "an AArch64 litmus test of herd",
        rf"(AArch64|AARCH64)\s+{_TITLE}",
        PAGE,
        "herd-aarch64",
        "herd.aarch64",
    ),
    Form(
        "an assembly litmus test of herd",
        r"(ARM|X86_64|PPC|RISCV|MIPS|LISA|BPF|CPP|JAVA|ASL)\s+\S+.*",
        "herd7 reads it",
    ),
    Form(
        "LLVM IR",
        r"\s*; axmem:.*|; ModuleID.*|(source_filename|target (triple|datalayout))\s*=.*|define .*[@{].*"
        r"|attributes #\d+ = .*",
        OPERATIONS,
        key=MODULE,
        reader="ir",
    ),
    Form("a program in C, C++, HIP or OpenCL", "", OPERATIONS, key=SOURCE, reader="sources"),
    Form("a few instructions of LLVM IR", "", OPERATIONS, key=SNIPPET, reader="ir.snippet"),
    Form(
        "AMDGPU assembly",
        r"\s*(\.amdgcn_target|\.amdhsa_\w+|s_endpgm|s_waitcnt|global_(load|store|wb|inv)\w*)\b.*",
        "axmem verify TEST --asm FILE reads it, beside the test that it was compiled from",
    ),
    Form("a program in C", r"\s*#\s*include\b.*|#pragma .*", OPERATIONS),
    Form(
        "a cat model",
        r"\s*(let (rec )?\w.*=.*|(acyclic|irreflexive|empty)\b.*\bas\b.*|include \"[^\"]*\.cat\".*)",
        "--model FILE runs tests under it, and axmem check FILE.cat checks it",
    ),
)
KEYS = (OWN, *(form.key for form in FORMS if form.key))
"""The forms that are read."""


@cache
def _telling() -> tuple[tuple[Form, Callable[[str], object]], ...]:
    """Return each form that a line tells with what such a line matches; most texts are tests, and ask for none."""
    return tuple([(form, re.compile(form.line).fullmatch) for form in FORMS if form.line])


def language(name: str) -> str:
    """Return the language that a file's name says, or the empty string."""
    return LANGUAGES.get(os.path.splitext(name)[1].lower(), "")


def recognised(source: Source) -> tuple[Form, Span] | None:
    """Return the form of a text that is no test of axmem, and the line that tells it, if it is known."""
    for number, line in enumerate(source.text.split("\n", LINES)[:LINES], 1):
        shown = line.rstrip()
        for form, tells in _telling() if shown else ():
            if tells(shown):
                return form, Span(number, 1, len(line))
    return None


def refused(source: Source, form: Form, span: Span) -> Diagnostic:
    """Return the one error about a text in a form that is not read."""
    return Diagnostic(source, span, f"this is {form.name}, not a litmus test of axmem", form.hint)
