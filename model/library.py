"""Models by name or by path.

What goes in: the name of a model that comes with the package, or the path of a `.cat` file. What comes out: its
`Model`, kept for the next call as long as the file does not change. An include means a file of the package first,
then one beside the including file.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path

from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean
from axmem.model.builder import Builder
from axmem.model.elaborate import Elaborator, elaborate
from axmem.model.parser import parse
from axmem.model.terms import Model
from axmem.model.vocabulary import INCLUDED


class UnknownModel(InputError):
    """No model has the name, or no file the path."""


PARTS = frozenset({"happens-before", "values"})
"""Files of the package that models include and that are no models of their own."""


@cache
def files() -> tuple[str, ...]:
    """Return the names of the cat files that come with the package, models and parts, sorted."""
    found = (f.name for f in resources.files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".cat") for name in found if name.endswith(".cat")))


@cache
def names() -> tuple[str, ...]:
    """Return the names of the models that come with the package, sorted."""
    return tuple(name for name in files() if name not in PARTS)


@cache
def text(name: str) -> Source:
    """Return the text of a model of the package, or of a part."""
    if name not in files():
        hint = did_you_mean(name, names()) or f"known: {', '.join(names())}; or give the path of a .cat file"
        raise _unknown(name, f"unknown model '{name}'", hint)
    file = resources.files(__package__).joinpath(f"{name}.cat")
    return Source(file.name, file.read_text(encoding="utf-8"))


def load(name_or_path: str, variants: Mapping[str, str] | None = None) -> Model:
    """Return a model under a choice of variants; those not chosen keep their defaults.

    Raises `UnknownModel`, `UnknownVariant`, or `InputError` for mistakes in the text.
    """
    # Sorted, so that one choice is one entry of the cache, in whatever order it was written.
    chosen = tuple(sorted((variants or {}).items()))
    times = _times(Path(name_or_path).parent) if name_or_path.endswith(".cat") else ()
    return _load(source(name_or_path), times, chosen)


def source(name_or_path: str) -> Source:
    """Return the text of a model by its name or path; raises `UnknownModel`."""
    return _read(Path(name_or_path)) if name_or_path.endswith(".cat") else text(name_or_path)


def load_text(source: Source, variants: Mapping[str, str] | None = None) -> Model:
    """Return the model that a text describes, which may include files of the package; it is named after the source."""
    return _load(source, (), tuple(sorted((variants or {}).items())))


def _times(folder: Path) -> tuple[tuple[str, int], ...]:
    """Return when each model of a folder last changed, since one may include another."""
    return tuple(sorted((f.name, f.stat().st_mtime_ns) for f in folder.glob("*.cat") if f.is_file()))


@lru_cache(maxsize=256)
def _load(source: Source, _changed: tuple[tuple[str, int], ...], chosen: tuple[tuple[str, str], ...]) -> Model:
    return elaborate(source, dict(chosen), _include)


def elaborated(source: Source, variants: Mapping[str, str], builder: Builder) -> Elaborator:
    """Return all that a model's text defines, as terms of a builder that may have others."""
    found = Elaborator(variants, _include, builder=builder)
    found.whole(source, parse(source))
    found.check()
    return found


def _include(name: str, including: Source) -> Source | None:
    # herd's library first: a published model that includes "cos.cat" gets ours, even beside a file of that name.
    if name in INCLUDED:
        return Source(name, INCLUDED[name])
    if name.removesuffix(".cat") in files():
        return text(name.removesuffix(".cat"))
    path = Path(including.name).parent / name
    try:
        return _read(path) if path.is_file() else None
    except OSError:
        return None


def _read(path: Path) -> Source:
    try:
        return Source(str(path), path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise _unknown(str(path), f"cannot read '{path}': {error.strerror or error}") from None
    except (UnicodeDecodeError, ValueError):
        raise _unknown(str(path), f"'{path}' is not UTF-8 text") from None


def _unknown(shown: str, message: str, hint: str = "") -> UnknownModel:
    return UnknownModel([Diagnostic(Source("--model", shown), Span(1, 1, max(1, len(shown))), message, hint)])
