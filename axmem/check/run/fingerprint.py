"""What an answer depends on, as digests.

What goes in: a model, or the package itself. What comes out: SHA-256 digests that differ where answers could: of all
that a model says under its variants, and of the program that works it out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from axmem.front.source import InputError
from axmem.front.version import __version__
from axmem.model.library import load
from axmem.model.model import Model

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

ROOMS = (
    "axmem.check", "axmem.convergence", "axmem.encoder", "axmem.events", "axmem.formats", "axmem.front", "axmem.litmus",
    "axmem.model", "axmem.transform",
)  # fmt: skip
"""The packages that every answer depends on."""


def digest_of(text: str) -> str:
    """Return the digest of a text."""
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


@cache
def program_digest(*further: str, without: tuple[str, ...] = ()) -> str:
    """Return the digest of the program: its version, the solver's, and the source of what every answer depends on.

    `further` are packages that an answer depends on besides, `without` modules by their names that none depends on.
    """
    from importlib import resources  # noqa: PLC0415 -- heavy

    from axmem.encoder.solver import solver_version  # noqa: PLC0415 -- heavy

    parts = [__version__, solver_version()]
    for room in (*ROOMS, *further):
        parts += [text for name, text in _sources(resources.files(room)) if name not in without]
    return digest_of("\n".join(map(digest_of, parts)))


def _sources(folder: Traversable) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each source file of a package, the packages in it included, in a fixed order."""
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.is_dir():
            yield from _sources(entry)
        elif entry.name.endswith((".py", ".toml")):
            yield entry.name, f"{entry.name}\n{entry.read_text(encoding='utf-8')}"


@lru_cache(maxsize=256)
def model_digest(model: Model) -> str:
    """Return the digest of a model: its name, its variants and all its terms and rules, whatever file they are from."""
    axioms = [(a.kind, a.term, a.name, a.negated, a.flag) for a in model.axioms]
    undefs = [(u.term, u.name) for u in model.undefs]
    named = [(d.name, d.term) for d in model.definitions]
    variants = [(v.name, v.values, v.default) for v in model.variants]
    said = (model.name, model.chosen, model.terms, model.fixpoints, axioms, undefs, named, variants)
    return digest_of(repr(said))


@lru_cache(maxsize=256)
def neighbourhood_digest(reference: str, model: Model) -> str:
    """Return the digest of a model and of what it is with any one variant changed; `reference` is where it is from."""
    digests = [model_digest(model)]
    for variant in model.variants:
        for value in variant.values:
            try:
                digests.append(model_digest(load(reference, {**model.choice, variant.name: value})))
            except InputError as error:
                digests.append(digest_of(str(error)))
    return digest_of("\n".join(digests))
