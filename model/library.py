"""Models by name or by path.

What goes in: the name of a model that comes with the package, or the path of a `.cat` file, `herd:` or another dialect
in front if it is not to be told from the file. What comes out: its `Model`, kept for the next call as long as the file
does not change. An include means a file beside the including one first, then one of the package; where both are, the
model says so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from axmem.front.files import INCLUDE, content, is_file, unsaved_texts
from axmem.front.inputs import near
from axmem.front.records import replace
from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean
from axmem.model import disk_cache
from axmem.model.model import Model
from axmem.model.variants import FORMER
from axmem.model.vocabulary import INCLUDED

if TYPE_CHECKING:
    from axmem.model.builder import Builder
    from axmem.model.dialects import Dialect
    from axmem.model.elaborate import Elaborator
    from axmem.model.syntax import File

OURS = "axmem"
"""The dialect of the models that come with the package."""


class UnknownModel(InputError):
    """No model has the name, or no file the path."""


_DIALECT = re.compile(r"((?:axmem|herd|dartagnan)(?:/\w+)?):")

_HERE = Path(__file__).parent

PARTS = frozenset({"happens-before", "values", "vulkan-operations"})
OTHERS = {
    "aarch64": "a64 arm arm64 armv8 armv8a armv9",
    "amdgpu": "amd cdna gcn hip rdna rocm",
    "llvm": "ir langref llvmir mmra",
    "ptx": "cuda nvidia nvptx",
    "rc11": "c c11 c17 c++ c++11 c++14 c++17 c++20 c++23 cpp cpp20",
    "tso": "amd64 i386 intel x64 x86 x8664 x86tso",
    "vulkan": "glsl spirv vk",
}
"""What people call models by who know the machine or the language."""
"""Files of the package that models include and that are no models of their own."""

READINGS = "readings"
"""The directory of what is read otherwise than the texts of the models say."""

LETTERS = {"amdgpu": "amdgpu-doc"}
"""The models that repair a document, and those that read it to the letter."""


@cache
def files() -> tuple[str, ...]:
    """Return the names of the cat files that come with the package, models and parts, sorted."""
    return tuple(sorted(path.stem for path in _HERE.iterdir() if path.suffix == ".cat"))


@cache
def names() -> tuple[str, ...]:
    """Return the names of the models that come with the package, sorted."""
    return tuple(name for name in files() if name not in PARTS)


@cache
def readings() -> tuple[str, ...]:
    """Return the names of the readings that come with the package, sorted: see `axmem.model.readings`."""
    return tuple(sorted(path.stem for path in (_HERE / READINGS).iterdir() if path.suffix == ".cat"))


@cache
def reading(name: str) -> Source | None:
    """Return the text of a reading of the package, None if none has the name."""
    file = _HERE / READINGS / f"{name}.cat"
    return Source(f"{READINGS}/{file.name}", file.read_text(encoding="utf-8")) if name in readings() else None


@cache
def text(name: str) -> Source:
    """Return the text of a model of the package, or of a part."""
    if name not in files():
        hint = _meant(name) or f"known: {', '.join(names())}; or give the path of a .cat file"
        raise _unknown(name, f"unknown model '{name}'", hint)
    file = _HERE / f"{name}.cat"
    return Source(file.name, file.read_text(encoding="utf-8"))


def _meant(name: str) -> str:
    """Return which model was probably meant by a name that none has."""
    if is_file(f"{name}.cat"):
        return f"a model of your own is read by --model {name}.cat"
    if re.search(r"[./]", name):
        return near(name) or "the path of a model ends with .cat"
    plain = re.sub(r"[^a-z0-9+]", "", name.lower())
    other = next((of for of, words in OTHERS.items() if plain in words.split()), "")
    other = "amdgpu" if plain.startswith("gfx") else other
    return f"for {name} the model is '{other}'" if other else did_you_mean(name, names())


def load(name_or_path: str, variants: Mapping[str, str] | None = None) -> Model:
    """Return a model under a choice of variants; those not chosen keep their defaults.

    Raises `UnknownModel`, `UnknownVariant`, or `InputError` for mistakes in the text.
    """
    # Sorted, so that one choice is one entry of the cache, in whatever order it was written.
    chosen = tuple(sorted((variants or {}).items()))
    if not name_or_path.endswith(".cat"):
        return _named(name_or_path, chosen)
    from axmem.model.dialects import dialect_of  # noqa: PLC0415 -- a model of the package needs none of it

    dialect, path = reference(name_or_path)
    found = _read(Path(path))
    changed = tuple(part for folder in (Path(path).parent, *included_folders()) for part in _times(folder))
    changed += unsaved_texts()
    return _load(found, changed, chosen, dialect_of(found, dialect))


def included_folders() -> tuple[Path, ...]:
    """Return the directories from which files may be included besides that of a model and the package's."""
    return tuple(Path(name) for name in os.environ.get(INCLUDE, "").split(os.pathsep) if name)


def source(name_or_path: str) -> Source:
    """Return the text of a model by its name or path; raises `UnknownModel`."""
    return _read(Path(reference(name_or_path)[1])) if name_or_path.endswith(".cat") else text(name_or_path)


def reference(text: str) -> tuple[str, str]:
    """Return the dialect in front of a path, empty if there is none, and the path: `herd:x.cat`, `herd/x86:x.cat`."""
    found = _DIALECT.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)


def path_of(source: Source) -> Path | None:
    """Return the file that has the text of a source, of this package or another; None if there is none."""
    name = Path(source.name)
    if name.is_absolute():
        return name
    folders: tuple[Path, ...] = (_HERE, _HERE / "prelude", _HERE / "dialects")
    if name.parts[:1] == (OURS,):
        folders, name = (_HERE,), Path(*name.parts[1:])
    return next((path for folder in folders if (path := folder / name).is_file()), None)


def load_text(source: Source, variants: Mapping[str, str] | None = None) -> Model:
    """Return the model that a text describes, which may include files of the package; it is named after the source."""
    return _load(source, (), tuple(sorted((variants or {}).items())))


def _times(folder: Path) -> tuple[tuple[str, int | str], ...]:
    """Return when each model of a folder last changed, since one may include another."""
    return tuple(sorted((f.name, f.stat().st_mtime_ns) for f in folder.glob("*.cat") if f.is_file()))


@lru_cache(maxsize=256)
def _named(name: str, chosen: tuple[tuple[str, str], ...]) -> Model:
    """Return a model of the package, as it was kept or elaborated anew; of a former name of a variant a note is due."""
    text(name)  # Raises what there is to say of a name that is none.
    former = any(setting in FORMER for setting, _ in chosen)
    found = None if former else disk_cache.recalled(name, chosen)
    if found is None:
        found = _load(text(name), (), chosen)
        if not former:
            disk_cache.keep(name, chosen, found)
    return found


@lru_cache(maxsize=256)
def _load(
    source: Source,
    _changed: tuple[tuple[str, int | str], ...],
    chosen: tuple[tuple[str, str], ...],
    dialect: Dialect | None = None,
) -> Model:
    from axmem.model.elaborate import elaborate  # noqa: PLC0415 -- a model that was kept needs none of it
    from axmem.model.parser import parse  # noqa: PLC0415 -- as above

    found, words, unsaid = _Finder(dialect), None, False
    trees: Callable[[Source], File] = parse
    if dialect is not None:
        from axmem.model.dialects import UNSAID, vocabulary  # noqa: PLC0415 -- a model of the package has none

        words, unsaid = vocabulary(dialect) if found.tradition else None, dialect.why == UNSAID
        trees = dialect.trees
    model = elaborate(source, dict(chosen), found.include, trees, words)
    if unsaid:
        found.warnings += _doubts(source, found)
    return replace(model, warnings=tuple(found.warnings)) if found.warnings else model


def _doubts(source: Source, found: _Finder) -> tuple[Diagnostic, ...]:
    """Return what of a file is read in our dialect that it may have meant in another."""
    from axmem.model.dialects import family_of  # noqa: PLC0415 -- a model of the package leaves no doubts
    from axmem.model.foreign_names import doubts  # noqa: PLC0415 -- as above

    family = family_of(source)
    return doubts(source, found.include, family) if family else ()


def elaborated(source: Source, variants: Mapping[str, str], builder: Builder) -> Elaborator:
    """Return all that a model's text defines, as terms of a builder that may have others."""
    from axmem.model.elaborate import Elaborator  # noqa: PLC0415 -- as above
    from axmem.model.parser import parse  # noqa: PLC0415 -- as above

    found = Elaborator(variants, _Finder(None).include, builder=builder)
    found.whole(source, parse(source))
    found.check()
    return found


def written(name_or_path: str, variants: Mapping[str, str] | None = None, *, plain: bool = False) -> str:
    """Return the text of a model as one file, with overrides in their places; none of them if it is to be `plain`.

    The text of a model in the dialect of another tradition is its file as it is.
    """
    from axmem.model.dialects import dialect_of  # noqa: PLC0415 -- as above
    from axmem.model.written import plain_choice, written  # noqa: PLC0415 -- a model that was kept needs none of it

    found, kind = source(name_or_path), None
    if name_or_path.endswith(".cat"):
        kind = dialect_of(found, reference(name_or_path)[0])
    if kind is not None and _Finder(kind).tradition:
        return found.text
    chosen = plain_choice(found, _Finder(kind).include) if plain else dict(variants or {})
    return written(found, chosen, _Finder(kind).include)


def finder(dialect: Dialect) -> Callable[[str, Source], Source | None]:
    """Return how the files that models of a dialect include are found."""
    return _Finder(dialect).include


class _Finder:
    """How the files that a model includes are found; `tradition` is empty for ours."""

    def __init__(self, dialect: Dialect | None) -> None:
        self.tradition = "" if dialect is None or dialect.tradition == OURS else dialect.tradition
        self.warnings: list[Diagnostic] = []
        self.folder: Path | None = None
        """The directory of the model, from which the first file is included."""

    def include(self, name: str, including: Source) -> Source | None:
        """Return the file of this name beside the including one, or else of the package, or of a directory named so.

        Messages quote files: one that does not lie below the model's directory, or one that is named, is not read.
        """
        shipped = _shipped(name, self.tradition)
        if self.tradition:
            from axmem.model.dialects import INSTEAD  # noqa: PLC0415 -- a model of the package includes none of these

            if name in INSTEAD:
                return shipped
        own = Path(including.name).parent
        if self.folder is None:
            self.folder = own
        below = (self.folder, *included_folders())
        beside = next((found for folder in (own, *below[1:]) if (found := _inside(folder / name, below))), None)
        if beside is not None and shipped is not None and beside.text != shipped.text:
            message = f'"{name}" is read beside this file; axmem has a file of this name, too'
            if all(d.message != message for d in self.warnings):
                before = including.text[: including.text.find(f'"{name}"')]
                place = Span(before.count("\n") + 1, len(before) - before.rfind("\n"), len(name) + 2)
                self.warnings.append(Diagnostic(including, place, message, severity="warning"))
        return beside or shipped


def _inside(path: Path, folders: tuple[Path, ...]) -> Source | None:
    """Return a file if it is one, and lies in one of the directories once links are followed."""
    try:
        real = path.resolve()
        return _read(path) if is_file(real) and any(map(real.is_relative_to, map(Path.resolve, folders))) else None
    except (OSError, UnknownModel):
        return None


def _shipped(name: str, tradition: str) -> Source | None:
    """Return the file that an include means if none of its name lies beside the including one."""
    if tradition:
        from axmem.model.dialects import library  # noqa: PLC0415 -- a model of the package includes none of it

        return library(tradition, name)
    if name in INCLUDED:
        return Source(name, INCLUDED[name])
    stem = name.removesuffix(".cat")
    if stem.startswith(f"{READINGS}/"):
        return reading(stem.removeprefix(f"{READINGS}/"))
    return text(stem) if stem in files() else None


def _read(path: Path) -> Source:
    try:
        return Source(str(path), content(path).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n"))
    except OSError as error:
        raise _unknown(str(path), f"cannot read '{path}': {error.strerror or error}") from None
    except (UnicodeDecodeError, ValueError):
        raise _unknown(str(path), f"'{path}' is not UTF-8 text") from None


def _unknown(shown: str, message: str, hint: str = "") -> UnknownModel:
    return UnknownModel([Diagnostic(Source("--model", shown), Span(1, 1, max(1, len(shown))), message, hint)])
