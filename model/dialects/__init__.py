"""The traditions in which cat files are written: which one a file is read in, and what its names stand for there.

What goes in: the text of a file, where it lies, what its user asks. What comes out: a `Dialect` and its `Vocabulary`,
files of this folder in our own cat: `herd.cat` and `dartagnan.cat` define what every model of the tradition may name,
and the others what those of one machine or language may. Invariant: no name of such a file means what it does in ours
unless these files say so; what they do not define is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path, PurePath

from axmem.front.records import dataclass
from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean
from axmem.model.files import Vocabulary
from axmem.model.lexer import FLAT
from axmem.model.parser import parse
from axmem.model.syntax import File

OURS = "axmem"
TRADITIONS = (OURS, "herd", "dartagnan")
UNSAID = "as nothing says another"
"""Why a file is in our dialect that may have been meant in another."""

_FOLDERS = {
    **dict.fromkeys(("herd", "herdtools7", "libdir", "cat_includes"), "herd"),
    **dict.fromkeys(("dartagnan", "dat3m"), "dartagnan"),
}
"""What folders that hold the models of a tradition are called."""

INSTEAD = frozenset({"enumerations.cat", "aarch64bbm.cat"})
"""Libraries of which ours is read though another lies beside the model: they are about events that no test has."""

_COMMENT = re.compile(r"\baxmem:\s*dialect\s+([\w/.-]+)")

_FAMILIES = (
    ("aarch32", r"aarch32"),
    ("mips", r"mips"),
    ("asl", r"asl"),
    ("aarch64", r"aarch64|armv8"),
    ("arm", r"arm"),
    ("ppc", r"ppc|power"),
    ("riscv", r"risc-?v"),
    ("bpf", r"bpf"),
    ("ptx", r"ptx"),
    ("vulkan", r"vulkan|spirv"),
    ("opencl", r"opencl"),
    ("x86", r"x86|tso"),
    ("linux", r"linux|lkmm"),
    ("imm", r"imm"),
    ("c", r"c|r?c11|c\+\+11|vmm"),
)
"""The machines and languages that models are about, and the words for them in titles and names of files.

Those of which no dialect is here are refused by name, rather than read as models of none in particular.
"""

_EDITIONS = {("herd", "bpf"): (re.compile(r"\b(AQ|RL)\b"), "bpf-rcpc")}
"""Of which families a tradition has models that name more, as later machines have more: how they are known."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A tradition, and the machine or language that a file is about (empty: none in particular).

    `why` says how that is known.
    """

    tradition: str
    family: str = ""
    why: str = ""

    @property
    def label(self) -> str:
        """How it is written: `herd`, `herd/x86`."""
        return f"{self.tradition}/{self.family}" if self.family else self.tradition

    @property
    def trees(self) -> Callable[[Source], File]:
        """What reads its files: in Dartagnan's a comment ends at the first `*)`, in others comments nest."""
        return _flat if self.tradition == "dartagnan" else parse


def _flat(source: Source) -> File:
    return parse(source, FLAT)


def dialect_of(source: Source, asked: str = "") -> Dialect:
    """Return the dialect that a file is read in: the one `asked` for, or that a comment says, or its folder, or ours.

    A family that is not named with the tradition is that of the file's title, or else of its name. Raises InputError
    for a tradition that nobody knows.
    """
    said = _COMMENT.search(source.text)
    if asked:
        tradition, why = asked, "as asked"
    elif said is not None:
        tradition, why = said[1], "by its comment"
    else:
        tradition, why = _by_folder(Path(source.name).resolve().parent)
    tradition, _, family = tradition.partition("/")
    if tradition not in TRADITIONS:
        place = Source("--cat-dialect", tradition) if asked else source
        hint = did_you_mean(tradition, TRADITIONS) or f"known: {', '.join(TRADITIONS)}"
        raise InputError([Diagnostic(place, Span(1, 1, len(tradition)), f"unknown dialect '{tradition}'", hint)])
    if tradition == OURS:
        return Dialect(OURS, why=why)
    trees = Dialect(tradition).trees
    return Dialect(tradition, family or _edition(tradition, family_of(source, trees), source), why)


def _edition(tradition: str, family: str, source: Source) -> str:
    """Return a family, or the edition of it whose names a model has."""
    names, edition = _EDITIONS.get((tradition, family), (None, family))
    return edition if names is None or names.search(source.text) else family


def _by_folder(folder: Path) -> tuple[str, str]:
    """Return the tradition of a folder's models, ours if it is of none, and why."""
    if folder == Path(__file__).resolve().parents[1]:
        return OURS, "with which it comes"
    found = [_FOLDERS[part.lower()] for part in reversed(folder.parts) if part.lower() in _FOLDERS]
    return (found[0], "by its folder") if found else (OURS, UNSAID)


def family_of(source: Source, trees: Callable[[Source], File] = parse) -> str:
    """Return the machine or language that a model is about, by its title or else its name; empty for none."""
    for text in (trees(source).head, PurePath(source.name).stem):
        for family, pattern in _FAMILIES:
            if re.search(rf"(?<![a-z])({pattern})(?![a-z])", text.lower()):
                return family
    return ""


@cache
def _texts(folder: str = "") -> dict[str, Source]:
    """Return the cat files of this folder or of one in it, by their names."""
    here = resources.files(__package__).joinpath(folder)
    files = [file for file in here.iterdir() if file.name.endswith(".cat")]
    return {file.name: Source(str(PurePath(folder, file.name)), file.read_text(encoding="utf-8")) for file in files}


@lru_cache(maxsize=64)
def vocabulary(dialect: Dialect) -> Vocabulary:
    """Return what the names of a dialect stand for. Raises InputError for a family that it does not have."""
    texts = _texts()
    names = [f"{dialect.tradition}.cat"]
    names.append(f"{dialect.tradition}-{dialect.family or 'any'}.cat")
    if names[-1] not in texts:
        known = [family or "any" for family in families(dialect.tradition)]
        message = f"models of {dialect.tradition} about '{dialect.family}' are not known"
        place = Source("--cat-dialect", dialect.label)
        raise InputError([Diagnostic(place, Span(1, 1, len(dialect.label)), message, f"known: {', '.join(known)}")])
    files = tuple(texts[name] for name in names)
    return Vocabulary(dialect.label, files, lambda name, _: texts.get(name) or _ours(name))


@cache
def families(tradition: str) -> tuple[str, ...]:
    """Return the machines and languages of which a tradition has a dialect; the first, empty, is that of no other."""
    begin = f"{tradition}-"
    found = {n.removeprefix(begin).removesuffix(".cat") for n in _texts() if n.startswith(begin)}
    return ("", *sorted(found - {"any"}))


def _ours(name: str) -> Source | None:
    """Return a file of our own models, of whose names only those count that a dialect's file repeats."""
    file = resources.files(__package__).joinpath("..", name)
    return Source(f"{OURS}/{name}", file.read_text(encoding="utf-8")) if file.is_file() else None


def library(tradition: str, name: str) -> Source | None:
    """Return a tradition's library file of this name, in our words; None if there is none."""
    return _texts(tradition).get(name)


def libraries(tradition: str) -> tuple[Source, ...]:
    """Return a tradition's library files, in our words."""
    return tuple(_texts(tradition).values())
