"""Dartagnan's kernels in OpenCL C as a test of ours, with what its lists say of them.

What goes in: a checkout of Dartagnan. What comes out: for each entry of its tests of kernels the source below
`benchmarks/opencl` that the kernel was compiled from, and the text by which `axmem` runs it: the source with the macros
that the entry's name spells, a launch, initial values and a question, which stand in comments of the compiled kernel.
Nothing is copied. Invariant: an entry whose source is not there, or whose name spells what no macro is, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from axmem.front.records import dataclass
from axmem.front.source import mistake

SOURCES = Path("benchmarks/opencl")
_TESTS = Path("dartagnan/src/test")
_JAVA = _TESTS / "java/com/dat3m/dartagnan/spirv/opencl"
_COMPILED = _TESTS / "resources/spirv/opencl"
_ENTRY = re.compile(r'\{"(?P<file>[^"]+)\.spvasm"(?P<more>[^}]*)\}')
_SAID = re.compile(r"^; @(?P<word>\w+):\s*(?P<text>.*)$", re.MULTILINE)
_MACRO = re.compile(r"#ifdef (\w+)")
_COUNTS = re.compile(r"\d+(\.\d+)*")
_KERNEL = re.compile(r"__kernel\s+void\s+(?P<name>\w+)\s*\((?P<parameters>[^)]*)\)")
_WEAKEST = "weakest"
"""What the name of a kernel with all its macros has."""
_MEANINGLESS = {"correct", "wrong", "forall", "exists"}
"""Words of names that say what is asked, which stands in the file."""


@dataclass(frozen=True, slots=True)
class KernelEntry:
    """An entry of a list: the compiled kernel, whether its filter is asked for, and PASS, FAIL or UNKNOWN.

    `file` is the path of the compiled kernel below the checkout.
    """

    file: str
    filtered: bool
    races: bool
    expected: str


def entries(root: Path) -> Iterator[KernelEntry]:
    """Yield the entries of the lists of a checkout, those of kernels of which no source is there too."""
    for path in sorted((root / _JAVA).rglob("Spirv*Test.java")):
        below = path.parent.relative_to(root / _JAVA)
        for match in _ENTRY.finditer(path.read_text(encoding="utf-8")):
            more = [word.strip() for word in match["more"].split(",")]
            file = str(_COMPILED / below / f"{match['file']}.spvasm")
            yield KernelEntry(file, "false" not in more, "Races" in path.name, more[-1])


def source_of(root: Path, file: str) -> Path:
    """Return the source that a compiled kernel was made from. Raises InputError if there is none."""
    compiled = Path(file)
    folder = root / SOURCES / compiled.parent.relative_to(_COMPILED)
    near = sorted(folder.rglob("*.cl"), key=lambda path: -len(path.stem))
    found = next((path for path in near if f"{compiled.stem}-".startswith(f"{path.stem}-")), None)
    if found is None:
        hint = "it is there in SPIR-V alone, which is not read"
        raise mistake(file, "the suite has no source of this kernel", hint, text=compiled.stem)
    return found


def kernel_text(root: Path, entry: KernelEntry) -> tuple[str, str]:
    """Return the name and the text of the source of an entry, as a test. Raises InputError if it is none."""
    source = source_of(root, entry.file)
    text = source.read_text(encoding="utf-8")
    macros = "".join(f"#define {word}\n" for word in _macros(source, text, entry))
    kernel = _KERNEL.search(text)
    if kernel is None:
        raise mistake(str(source), "no kernel is found in the source", text=source.stem)
    return str(source), "\n".join([macros + text, *_comments(root, entry, kernel), ""])


def _macros(source: Path, text: str, entry: KernelEntry) -> Iterator[str]:
    """Yield the macros that the name of an entry spells."""
    known = _MACRO.findall(text)
    for word in Path(entry.file).stem.removeprefix(source.stem).split("-"):
        if word.upper() in known:
            yield word.upper()
        elif word == _WEAKEST:
            yield from known
        elif word and word not in _MEANINGLESS and not _COUNTS.fullmatch(word):
            raise mistake(str(source), f"the source has no form '{word}'", text=word)


def _comments(root: Path, entry: KernelEntry, kernel: re.Match[str]) -> Iterator[str]:
    """Yield what comments say of the launch, of memory and of the question."""
    said = [(match["word"], match["text"]) for match in _SAID.finditer((root / entry.file).read_text(encoding="utf-8"))]
    lanes, waves, workgroups = next((text for word, text in said if word == "Config"), "1, 1, 1").split(",")
    names = re.findall(r"(\w+)\s*(?:,|$)", kernel["parameters"].strip())
    yield f"// axmem: launch {kernel['name']}<<<{int(workgroups)}, {int(waves)}x{int(lanes)}>>>({', '.join(names)})"
    for word, text in said:
        if word == "Input":
            name, _, values = text.partition("=")
            numbers = [int(number) for number in re.findall(r"-?\d+", values)]
            if (plain := name.strip().lstrip("%")) in names and any(numbers):
                # The lanes whose elements the list leaves out have the last number, too.
                numbers += numbers[-1:] * (int(lanes) * int(waves) * int(workgroups) - len(numbers))
                yield f"// axmem: init @{plain} = {{{', '.join(map(str, numbers))}}}"
        elif word == "Filter" and entry.filtered:
            yield f"// axmem: filter ({_condition(text)})"
    if entry.races:
        return
    asked = [
        re.match(r"\s*(?P<how>forall|not exists|exists)\s*(?P<what>.*)", text) for w, text in said if w == "Output"
    ]
    found = [(match["how"].replace("not ", "~"), _condition(match["what"])) for match in asked if match]
    if not found or (len(found) > 1 and {how for how, _ in found} != {"forall"}):
        raise mistake(entry.file, "the kernel asks several questions, or none", text=str(len(found)))
    asking = " /\\ ".join(what for _, what in found)
    yield f"// axmem: {found[0][0]} ({asking})"


def _condition(text: str) -> str:
    """Return a condition in the notation of the test language."""
    for theirs, ours in (("%", ""), ("==", "="), (r"\band\b", r"/\\"), (r"\bor\b", r"\\/"), (r"\bnot\b", "~")):
        text = re.sub(theirs, ours, text)
    return text
