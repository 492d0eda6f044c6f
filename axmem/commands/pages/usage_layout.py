"""The layout of the code-sequence tables of [AMDGPUUsage], and the operations that each of their rows is of.

What goes in: `families/usage.toml`. What comes out: `UsageTable`s, whose rows name an operation, its ordering, scopes
and address spaces, in the order of the document; and for a row its `Case`s: each operation in each family and mode,
with what it depends on in words. Constant memory is left out, which the lowering does not tell from global memory.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from itertools import product

from axmem.codegen.operations import Operation
from axmem.codegen.program import lacks
from axmem.codegen.tables import TargetFamily, families
from axmem.codegen.targets import Target
from axmem.front.records import dataclass
from axmem.litmus.words import SCOPE_OF, SPACE_NAMES, SPACE_TAGS, AddressSpace, Ordering, Scope, SyncScope, atomic_for

MARKS = ("!volatile & !nontemporal", "!volatile & nontemporal", "volatile")
"""The marks of a plain access, as the document's tables name them."""
SPACES = {"global": AddressSpace.GLOBAL, "local": AddressSpace.LDS, "generic": AddressSpace.GENERIC,
          "private": AddressSpace.PRIVATE}  # fmt: skip
"""The address spaces by the document's words."""
_FENCED = {"fence of all": (), "fence of global": (AddressSpace.GLOBAL,), "fence of local": (AddressSpace.LDS,)}
WIDTHS = {"scope of all spaces": False, "one-as scope": True}
RESULTS = {"with return": True, "without return": False}
USUAL = ("scope of all spaces", "fence of all")
"""What goes without saying."""


@dataclass(frozen=True, slots=True)
class UsageRow:
    """A row: a kind of operation, its ordering, and its scopes and address spaces in the document's words.

    A plain access has no scopes, a fence no spaces.
    """

    kind: str
    ordering: Ordering
    scopes: tuple[str, ...]
    spaces: tuple[str, ...]
    whole: bool = False
    """Whether the document says `any` of scope and space."""


@dataclass(frozen=True, slots=True)
class UsageTable:
    """A table: its name in the document, the title of its column, its families and its rows."""

    name: str
    title: str
    families: tuple[TargetFamily, ...]
    rows: tuple[UsageRow, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """An operation on a target, and what about it a sequence may depend on: a word for each of these, by their names.

    An operation that the target does not have says why in `missing`.
    """

    operation: Operation
    target: Target
    words: Mapping[str, str]
    missing: str = ""


@cache
def usage_tables() -> tuple[UsageTable, ...]:
    """Read the layout of the tables."""
    text = (resources.files("axmem.codegen") / "families" / "usage.toml").read_text(encoding="utf-8")
    read = tomllib.loads(text)
    return tuple(
        UsageTable(
            name,
            title,
            tuple(families()[family] for family in named.split()),
            tuple(_row(*cells) for *cells, where in read["rows"] if where == "*" or name in where.split()),
        )
        for name, title, named in read["tables"]
    )


def _row(kind: str, ordering: str, scopes: str, spaces: str) -> UsageRow:
    names = {SPACE_NAMES[space]: word for word, space in SPACES.items()}
    levels = tuple(SCOPE_OF) if scopes == "*" else tuple(scopes.split())
    reached = ("global", "local", "generic") if spaces == "*" else tuple(names[space] for space in spaces.split())
    return UsageRow(kind, Ordering(ordering), levels, reached, scopes == "*")


def cases(table: UsageTable, row: UsageRow, profile: str) -> Iterator[Case]:
    """Yield the operations that a row is of, in every family and mode of its table; none if LLVM has none such."""
    if row.ordering is not Ordering.NOT_ATOMIC and row.ordering not in atomic_for(row.kind):
        return
    fence, plain = row.kind == "fence", not row.scopes
    variants = product(
        row.scopes or ("",),
        row.spaces or ("",),
        ("",) if plain else WIDTHS,
        RESULTS if row.kind == "rmw" else ("",),
        MARKS if plain else ("",),
        _FENCED if fence else ("",),
    )
    for scope, space, width, result, mark, fenced in variants:
        level = Scope.SYSTEM if plain else SCOPE_OF[scope]
        operation = Operation(
            row.kind,
            SPACES.get(space),
            row.ordering,
            scope=SyncScope(level, WIDTHS.get(width, False)),
            update="add" if row.kind == "rmw" else "",
            result=RESULTS.get(result, False),
            tags=frozenset(SPACE_TAGS[each] for each in _FENCED.get(fenced, ())),
            volatile=mark == MARKS[2],
            nontemporal=mark == MARKS[1],
        )
        for family in table.families:
            if space and space != "local" and SPACE_NAMES[SPACES[space]] not in family.instructions:
                continue
            for mode in family.modes:
                target = Target(family.targets[0], family, mode, profile)
                words = {
                    "family": family.name,
                    "mode": f"{mode} mode",
                    "scope": f"{scope} scope",
                    "space": space,
                    "width": width,
                    "result": result,
                    "fenced": fenced,
                    "mark": mark,
                }
                yield Case(operation, target, words, lacks(operation, target))
