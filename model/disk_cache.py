"""Models of the package as an earlier process elaborated them.

What goes in: the name of a model and a choice of variants. What comes out: the model, if this user's cache has it.
Invariants: an entry stands under the digest of all it was made of, the cat texts and the modules that read them; it
is whole or absent, and one that cannot be read counts as absent; reading one makes records of a model, and
nothing else. `AXMEM_CACHE` names the directory, and switches all this off if it is empty.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from axmem.front import source
from axmem.front.records import replace
from axmem.front.typing import override
from axmem.front.version import __version__
from axmem.litmus import words
from axmem.model import terms
from axmem.model.model import Model

if TYPE_CHECKING:
    from axmem.model.model import Model

VARIABLE = "AXMEM_CACHE"
MOST = 200
"""Entries of one directory: who tries every choice of variants keeps the first."""
DAYS = 30
"""How long models of another state of the program are kept."""
SUFFIX = ".model"

_PARTS = {
    (kind.__module__, kind.__qualname__): kind
    for kind in (
        Model, terms.Term, terms.Op, terms.Fixpoint, terms.Remark, terms.Doc, terms.Definition, terms.Axiom,
        terms.AxiomKind, terms.UndefRule, terms.Foreign, terms.Variant, source.Source, source.Span,
    )
}  # fmt: skip
"""All that an entry may be made of besides numbers, texts and tuples."""

Choice = tuple[tuple[str, str], ...]


def directory() -> Path | None:
    """Return the directory of entries, None if none are to be kept."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base, "axmem") if os.path.isabs(base) else None


def recalled(name: str, chosen: Choice) -> Model | None:
    """Return a model under a choice of variants as it was kept, None if it was not."""
    with suppress(OSError):
        path = _path(name, chosen)
        return None if path is None else _read(path.read_bytes())
    return None


def keep(name: str, chosen: Choice, model: Model) -> None:
    """Keep a model for later processes, where that is possible."""
    with suppress(OSError):
        path = _path(name, chosen)
        if path is None:
            return
        if not path.parent.is_dir():
            _forget_old(path.parent.parent)
            path.parent.mkdir(parents=True, exist_ok=True)
        if len(os.listdir(path.parent)) < MOST:
            _write(path, _written(model))


def _path(name: str, chosen: Choice) -> Path | None:
    folder = directory()
    if folder is None:
        return None
    return folder / f"models-{_program()}" / f"{_digest([name, *(f'{n}={v}' for n, v in chosen)])}{SUFFIX}"


@cache
def _program() -> str:
    """Return the digest of all that an elaborated model depends on, but its name and its variants."""
    folder = Path(__file__).parent
    texts_of = [path for part in (".", "prelude", "readings") for path in (folder / part).iterdir()]
    files = sorted(path for path in texts_of if path.suffix in (".cat", ".py"))
    files += [Path(str(module.__file__)) for module in (source, words)]
    texts = [part for path in files for part in (path.name.encode(), path.read_bytes())]
    return _digest([__version__, sys.version, *texts])


def _digest(parts: Iterable[str | bytes]) -> str:
    try:
        from _blake2 import blake2b  # noqa: PLC0415 -- what `hashlib` gives, without the library that it loads
    except ImportError:
        from hashlib import blake2b  # noqa: PLC0415 -- heavy
    found = blake2b(digest_size=32)
    for part in parts:
        found.update(blake2b(part.encode() if isinstance(part, str) else part, digest_size=32).digest())
    return found.hexdigest()[:32]


def _written(model: Model) -> bytes:
    """Return an entry: its digest, and the model without what a process adds to it; levels are said by their words."""
    import pickle  # noqa: PLC0415 -- seldom needed

    bare = replace(model, levels=())
    body = pickle.dumps((tuple(level.word for level in model.levels), bare), protocol=5)
    return _digest([body]).encode() + body


def _read(entry: bytes) -> Model | None:
    """Return the model of an entry, None if it is damaged or made of something else."""
    import io  # noqa: PLC0415 -- with what it is for
    import pickle  # noqa: PLC0415 -- heavy

    class Parts(pickle.Unpickler):
        @override
        def find_class(self, module: str, name: str) -> type:
            try:
                return _PARTS[module, name]
            except KeyError:
                raise pickle.UnpicklingError(f"{module}.{name} is no part of a model") from None

    head, body = entry[:32], entry[32:]
    if _digest([body]).encode() != head:
        return None
    try:
        levels, model = Parts(io.BytesIO(body)).load()
        return replace(model, levels=words.hierarchy(levels)) if isinstance(model, Model) else None
    except Exception:  # Whatever an unpickler raises about bytes that are no entry.
        return None


def _write(path: Path, entry: bytes) -> None:
    """Write a file that is there when it is whole."""
    unfinished = path.with_suffix(f".{os.getpid()}")
    try:
        unfinished.write_bytes(entry)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _forget_old(folder: Path) -> None:
    """Remove models of other states of the program that were last kept long ago."""
    for other in _old(folder):
        for entry in other.iterdir():
            entry.unlink(missing_ok=True)
        other.rmdir()


def _old(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        for other in folder.glob("models-*"):
            if other.is_dir() and other.stat().st_mtime < time() - DAYS * 86_400:
                yield other
