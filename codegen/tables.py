"""The tables that say what each family of targets emits.

What goes in: `families/*.toml`, one file per family and `common.toml`. What comes out: `TargetFamily` and `Common`,
whose rows select by operation, address space, scope and circumstances. Every row that applies emits, in the order of
the file; what no row speaks of emits nothing. Invariant: a table that was read names only operations, counters,
instructions and sources that are known; `TableError` says where one does not.

A row of a family names operations, spaces, scopes (those of atomics and av operations), circumstances, what is emitted,
and a key of the file's `[sources]`. Circumstances are a mode, a profile, or one of `FLAGS`; `!` negates. `does` says
what each instruction and bit does; with the sentences of `common.toml` it becomes the reason that `axmem lower` prints.
The head of the file has all other differences between families; no code asks for a family or a processor by name. On
gfx1250 `llvm-24` waits for loads and stores before a writeback at agent and system scope, and for an invalidate after
it. The tables have what LLVM's memory legalizer inserts, and of the pass that inserts waits those before the barriers
of GFX6 to GFX9.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from axmem.front.records import dataclass
from axmem.litmus.words import SCOPE_OF, SPACE_NAMES, OperationKind

PROFILES = ("llvm-22", "llvm-24", "repaired", "rfc-vulkan")
OPERATIONS = frozenset(OperationKind) - {OperationKind.BARRIER}
SPACES = frozenset(SPACE_NAMES.values())
SCOPES = tuple(SCOPE_OF)
SUBJECTS = frozenset({"loads", "stores", "scalar", "lds", "gds"})
FLAGS = frozenset({"atomic", "volatile", "nontemporal", "last-use", "release", "atomics"})
"""Circumstances: an atomic access, a volatile or nontemporal one, a last use, a wait that is part of a release, a wait
that only has to cover atomics. A mode or a profile is one, too."""

_COLUMNS = {
    "sequences": ("operations", "orderings", "emits", "source"),
    "lacks": ("operations", "spaces", "when", "why", "source"),
    "bits": ("operations", "spaces", "scopes", "when", "emits", "source"),
    "waits": ("subjects", "scopes", "when", "emits", "source"),
    "writebacks": ("scopes", "when", "emits", "source"),
    "invalidates": ("scopes", "when", "emits", "source"),
    "before": ("operations", "spaces", "when", "emits", "why", "source"),
    "barriers": ("when", "emits", "why", "source"),
    "does": ("emits", "operations", "why", "source"),
}
_COMMON = ("sequences", "lacks")
_FAMILY = ("bits", "waits", "writebacks", "invalidates", "before", "barriers", "lacks", "does")


class TableError(ValueError):
    """A row of a shipped table is wrong."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row: what it selects by (an empty tuple selects everything), what it emits, why, and where that is from.

    `when` holds circumstances that must be given, or with `!` must not.
    """

    operations: tuple[str, ...] = ()
    spaces: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    orderings: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    emits: str = ""
    why: str = ""
    source: str = ""

    def applies(
        self, given: frozenset[str], *, operation: str = "", space: str = "", scope: str = "", subject: str = ""
    ) -> bool:
        """Say whether the row speaks of this operation under these circumstances."""
        chosen = ((operation, self.operations), (space, self.spaces), (scope, self.scopes), (subject, self.subjects))
        return all(not words or word in words for word, words in chosen) and all(
            (word[1:] not in given) if word.startswith("!") else (word in given) for word in self.when
        )


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter of operations on their way, and how it is waited for: `s_waitcnt` with `vmcnt(0)`."""

    name: str
    instruction: str
    operand: str
    counts: str


@dataclass(frozen=True, slots=True)
class MnemonicNames:
    """Mnemonics of one generation: sizes in bits to suffixes, operations to (vector memory, LDS, letter)."""

    size: Mapping[int, str]
    stored: Mapping[int, str]
    atomic: Mapping[int, str]
    lds_load: str
    lds_store: str
    operations: Mapping[str, tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class TargetFamily:
    """Targets that are lowered alike. `modes` begins with the default; `l2` says how many an agent may have.

    `wave` is how many lanes a wave has unless the compiler is told otherwise.

    `instructions` gives the prefix of an address space's instructions, `result` the bit that returns an atomic's old
    value, `private` how atomics on private memory are treated: as `plain` accesses or through `generic` addresses,
    `widest` how many bits a plain access to an address space has at most, where a wider one is made in several,
    `aligned` to how many bytes one of so many bits is aligned there where LLVM may make one that is aligned to less in
    several, `apart` up to how many bits elements of a vector have that a volatile access is made of one by one, by how
    the target's name begins (8 where it says nothing), `scalar` how many bits a load through the scalar cache has at
    least.

    Of the machine code: `waitcnt` gives for each counter of s_waitcnt its fields, (lowest bit, number of bits), the
    lowest first, and is empty where there is no such instruction; `keeps` says that a result of 16 bits keeps the rest
    of its register, which it clears elsewhere; `floats`, that its arithmetic of floating point is known. `workgroup` is
    the register that holds the workgroup's number at the start, where that does not follow the user's; with `early`, a
    store is acknowledged by the first cache of its scope.
    """

    name: str
    title: str
    targets: tuple[str, ...]
    modes: tuple[str, ...]
    l2: tuple[str, ...]
    wave: int
    names: str
    without: tuple[str, ...]
    result: str
    private: str
    widest: Mapping[str, int]
    aligned: Mapping[str, Mapping[int, int]]
    apart: Mapping[str, int]
    scalar: int
    waitcnt: Mapping[str, tuple[tuple[int, int], ...]]
    keeps: bool
    floats: bool
    workgroup: str
    early: bool
    instructions: Mapping[str, str]
    counters: Mapping[str, Counter]
    tables: Mapping[str, tuple[TableRow, ...]]
    sources: Mapping[str, str]

    def does(self, emitted: str, operation: str = "") -> TableRow:
        """Return the row that says what an instruction or a bit does."""
        for row in self.tables["does"]:
            if row.emits == emitted and (not row.operations or operation in row.operations):
                return row
        raise TableError(f"{self.name}.toml: nothing says what '{emitted}' does for '{operation}'")


@dataclass(frozen=True, slots=True)
class Common:
    """What the families share: the steps of operations, the orderings of cmpxchg, sentences, mnemonics."""

    tables: Mapping[str, tuple[TableRow, ...]]
    merged: Mapping[tuple[str, str], str]
    why: Mapping[str, str]
    names: Mapping[str, MnemonicNames]
    sources: Mapping[str, str]

    def steps(self, operation: str, ordering: str) -> TableRow:
        """Return the row with the steps of an operation."""
        for row in self.tables["sequences"]:
            if operation in row.operations and ordering in row.orderings:
                return row
        raise TableError(f"common.toml: no sequence for '{operation} {ordering}'")


@cache
def common() -> Common:
    """Read what the families share."""
    read = _document("common")
    tables = read["tables"]
    return Common(
        {name: _rows("common", name, tables[name], read["sources"], frozenset(PROFILES)) for name in _COMMON},
        {(success, failure): merged for success, failure, merged in tables["merged"]},
        read["why"],
        {name: _names(table) for name, table in read["names"].items()},
        read["sources"],
    )


@cache
def families() -> Mapping[str, TargetFamily]:
    """Read every family, by its name, in the order of the generations."""
    return {name: _family(name) for name in _document("common")["families"]}


def products() -> Mapping[str, str]:
    """Return the processors in products, by what people call these, in small letters and digits alone."""
    return {name: processor for processor, names in _document("common")["products"].items() for name in names}


def _document(name: str) -> dict[str, Any]:
    text = (resources.files("axmem.codegen") / "families" / f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _names(table: dict[str, Any]) -> MnemonicNames:
    sizes = {key: {int(bits): suffix for bits, suffix in table[key].items()} for key in ("size", "stored", "atomic")}
    operations = {operation: (vector, lds, letter) for operation, vector, lds, letter in table["operations"]}
    return MnemonicNames(**sizes, lds_load=table["lds_load"], lds_store=table["lds_store"], operations=operations)


def _family(name: str) -> TargetFamily:
    read = _document(name)
    tables, sources = read["tables"], read["sources"]
    circumstances = FLAGS | set(read["modes"]) | set(PROFILES)
    family = TargetFamily(
        name=name,
        title=read["title"],
        targets=tuple(read["targets"]),
        modes=tuple(read["modes"]),
        wave=read["wave"],
        l2=tuple(read["l2"]),
        names=read["names"],
        without=tuple(read.get("without", ())),
        result=read["result"],
        private=read["private"],
        widest=read.get("widest", {}),
        aligned={space: {int(bits): n for bits, n in of.items()} for space, of in read.get("aligned", {}).items()},
        apart=read.get("apart", {}),
        scalar=read.get("scalar", 32),
        waitcnt={name: tuple((low, bits) for low, bits in of) for name, of in read.get("waitcnt", {}).items()},
        keeps=_one_of(name, read, "halves", ("cleared", "kept")) == "kept",
        floats=read.get("floats", True),
        workgroup=read.get("workgroup", ""),
        early=_one_of(name, read, "acknowledged", ("late", "early")) == "early",
        instructions=read["instructions"],
        counters={row[0]: Counter(*row) for row in tables["counters"]},
        tables={table: _rows(name, table, tables[table], sources, circumstances) for table in _FAMILY},
        sources=sources,
    )
    _check_emitted(family)
    return family


def _one_of(family: str, read: dict[str, Any], key: str, words: tuple[str, ...]) -> str:
    """Return a word of a family's file, the first if it has none."""
    word = str(read.get(key, words[0]))
    if word not in words:
        raise TableError(f"{family}.toml: {key} is one of {', '.join(words)}, not '{word}'")
    return word


def _rows(
    family: str, table: str, found: list[list[str]], sources: Mapping[str, str], circumstances: frozenset[str]
) -> tuple[TableRow, ...]:
    """Return the rows of a table, every word of which is known."""
    rows = []
    for number, cells in enumerate(found, 1):
        place = f"{family}.toml: {table}, row {number}"
        if len(cells) != len(_COLUMNS[table]):
            raise TableError(f"{place}: it has {len(cells)} cells, not {len(_COLUMNS[table])}")
        row = _row(dict(zip(_COLUMNS[table], cells, strict=True)))
        used = {
            "operation": set(row.operations) - OPERATIONS,
            "address space": set(row.spaces) - SPACES,
            "scope": set(row.scopes) - set(SCOPES),
            "subject": set(row.subjects) - SUBJECTS,
            "circumstance": {word.removeprefix("!") for word in row.when} - circumstances,
            "source": {row.source} - set(sources),
        }
        for what, words in used.items():
            if words:
                raise TableError(f"{place}: unknown {what} '{min(words)}'")
        rows.append(row)
    return tuple(rows)


def _row(cells: dict[str, str]) -> TableRow:
    """Return a row; `*` and an empty cell select everything."""

    def words(column: str) -> tuple[str, ...]:
        return tuple(word for word in cells.get(column, "").split() if word != "*")

    return TableRow(
        operations=words("operations"),
        spaces=words("spaces"),
        scopes=words("scopes"),
        orderings=words("orderings"),
        subjects=words("subjects"),
        when=words("when"),
        emits=cells.get("emits", ""),
        why=cells.get("why", ""),
        source=cells["source"],
    )


def _check_emitted(family: TargetFamily) -> None:
    """Check that counters are known, and that something is said of all other instructions."""
    waited = [row.emits for table in ("waits", "before") for row in family.tables[table]]
    for table in ("writebacks", "invalidates", "barriers"):
        for row in family.tables[table]:
            if row.emits.startswith("wait "):
                waited.append(row.emits.removeprefix("wait "))
            elif table != "barriers":
                family.does(row.emits)
    for counter in " ".join(waited).split():
        if counter not in family.counters:
            raise TableError(f"{family.name}.toml: unknown counter '{counter}'")
    for row in family.tables["bits"]:
        for operation in row.operations:
            family.does(row.emits, operation)
