"""The small random parts of a test: orderings, scopes, tags, places, types, values.

What goes in: a seeded generator and the test's `Theme`. What comes out: text in the test language, or nothing where
the part is left out. The weights favour what the models disagree about: narrow scopes, tags, parts of a location.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

SCOPES = {"": 6, "agent": 6, "workgroup": 6, "cluster": 3, "wavefront": 3, "singlethread": 2}
LOADS = {"": 5, "unordered": 4, "monotonic": 4, "acquire": 4, "seq_cst": 2}
STORES = {"": 5, "unordered": 4, "monotonic": 4, "release": 4, "seq_cst": 2}
UPDATES = {"monotonic": 2, "acquire": 2, "release": 2, "acq_rel": 3, "seq_cst": 2}
FAILURES = {"": 2, "monotonic": 3, "acquire": 2, "seq_cst": 1}
FENCES = {"acquire": 3, "release": 3, "acq_rel": 3, "seq_cst": 3}
OPERATIONS = {
    **dict.fromkeys(("xchg", "add"), 4),
    **dict.fromkeys(("sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin"), 1),
    **dict.fromkeys(("uinc_wrap", "udec_wrap", "usub_cond", "usub_sat"), 1),
}
SCALARS = {"i32": 14, "i64": 3, "i16": 2, "i8": 1, "i128": 1}
VECTORS = {"<2 x i32>": 2, "<2 x i16>": 2, "<4 x i32>": 1, "<2 x i8>": 1}
SPACES = {"global": 8, "lds": 3}

NONE = "amdgcn-av:none"
TAG_THEMES: dict[str, tuple[tuple[str, ...], ...]] = {
    "untagged": (("",),),
    "opt-outs": (("", NONE),),
    "vulkan": (("", "vulkan:private", "vulkan:nonprivate", "vulkan:nonprivate", "vulkan:private vulkan:nonprivate"),),
    "spaces": (("", "", "amdgpu-synchronize-as:global", "amdgpu-synchronize-as:local"),
               ("", "amdgpu-synchronize-as:global amdgpu-synchronize-as:local")),
    "arbitrary": (("", "foo:bar", "foo:bux", "foo:bar foo:bux"), ("", "", "", "baz:a", "baz:b")),
    "mixed": (("", "foo:bar", "foo:bux"), ("", NONE, NONE, "amdgcn-av:other"), ("", "", "amdgpu-synchronize-as:local")),
}
"""For each theme the groups from which an operation takes one member each."""
THEME_WEIGHTS = {"untagged": 6, "opt-outs": 14, "vulkan": 3, "spaces": 3, "arbitrary": 3, "mixed": 3}


def weighted(rng: Random, table: Mapping[str, int]) -> str:
    """Return one key, as often as its weight says."""
    return rng.choices(list(table), list(table.values()))[0]


@dataclass(frozen=True, slots=True)
class Theme:
    """What the operations of one test have in common, so that they meet each other.

    `scope` is the usual scope and `atomic` the usual ordering of atomics without a role; `noise` is the chance that a
    detail is not the usual one, `tags` a key of `TAG_THEMES` and `tagging` the share of operations that have tags;
    `mixed` says that accesses differ in size, `indexed` that addresses depend on what was read, `av` that av intrinsics
    and make operations are frequent.
    """

    scope: str
    atomic: str
    noise: float
    tags: str
    tagging: float
    mixed: bool
    indexed: bool
    av: bool


def theme(rng: Random, narrowest: str) -> Theme:
    """Return a random theme; the usual scope is mostly `narrowest` (what joins all threads) or a wider one."""
    wide = [s for s in WIDENING if WIDENING.index(s) >= WIDENING.index(narrowest)]
    mixed = rng.random() < 0.4
    return Theme(
        scope=rng.choice(wide) if rng.random() < 0.8 else weighted(rng, SCOPES),
        atomic=rng.choice(("monotonic", "monotonic", "seq_cst")),
        noise=rng.choice((0.0, 0.02, 0.05, 0.15, 0.4)),
        tags=weighted(rng, THEME_WEIGHTS),
        tagging=rng.choice((0.3, 0.7, 1.0)),
        mixed=mixed,
        indexed=rng.random() < (0.5 if mixed else 0.1),
        av=rng.random() < 0.4,
    )


def syncscope(rng: Random, theme: Theme) -> str:
    """Return ` syncscope("agent")`, or nothing for the system scope."""
    level = weighted(rng, SCOPES) if rng.random() < theme.noise else theme.scope
    if rng.random() < 0.3 * theme.noise:
        level = f"{level}-one-as" if level else "one-as"
    return f' syncscope("{level}")' if level else ""


def tags(rng: Random, theme: Theme) -> str:
    """Return `  # prefix:suffix …`, or nothing."""
    if rng.random() > theme.tagging:
        return ""
    chosen = [word for group in TAG_THEMES[theme.tags] for word in rng.choice(group).split()]
    return f"  # {' '.join(chosen)}" if chosen else ""


LEVELS = ("agent", "cluster", "workgroup", "wavefront")
WIDENING = ("singlethread", "wavefront", "workgroup", "cluster", "agent", "")
"""The scopes from the narrowest; the empty name is the system's."""


def places(rng: Random, count: int) -> list[dict[str, int]]:
    """Return one place a thread, from all in one workgroup to spread over agents."""
    style = rng.choice(("workgroup", "workgroups", "workgroups", "workgroups", "clusters", "agents", "anywhere"))
    spread = {
        "agent": style in ("agents", "anywhere"),
        "cluster": style in ("clusters", "anywhere"),
        "workgroup": style != "workgroup",
        "wavefront": True,
    }
    rows = [{level: rng.randrange(2) if spread[level] else 0 for level in LEVELS} for _ in range(count)]
    if style == "workgroups" and rng.random() < 0.6:
        rows = [{**row, "workgroup": i % 2} for i, row in enumerate(rows)]
    return rows


def joining(rows: list[dict[str, int]]) -> str:
    """Return the narrowest scope with one instance that holds all the places."""
    for level, scope in zip(LEVELS, ("", "agent", "cluster", "workgroup"), strict=True):
        if len({row[level] for row in rows}) > 1:
            return scope
    return "wavefront"


@dataclass(frozen=True, slots=True)
class Variable:
    """A location: its name, space, element width in bits, number of lanes (0: scalar), and initial value if it has."""

    name: str
    space: str
    bits: int
    lanes: int
    initial: str | None

    @property
    def size(self) -> int:
        return self.bits // 8 * max(1, self.lanes)

    @property
    def type(self) -> str:
        return f"<{self.lanes} x i{self.bits}>" if self.lanes else f"i{self.bits}"

    def declaration(self) -> str:
        value = "" if self.initial is None else f" = {self.initial}"
        return f"{self.space} {self.type} {self.name}{value}"


def variable(rng: Random, name: str, theme: Theme, *, plain: bool) -> Variable:
    """Return a random location; a `plain` one is an initialised i32."""
    space = weighted(rng, SPACES) if rng.random() < 0.5 else "global"
    usual = plain or not (theme.mixed or rng.random() < theme.noise)
    type_ = "i32" if usual else weighted(rng, SCALARS | VECTORS)
    lanes, bits = (int(type_[1]), int(type_.split("i")[1][:-1])) if type_[0] == "<" else (0, int(type_[1:]))
    odd = not plain and rng.random() < 0.05 + theme.noise / 2
    return Variable(name, space, bits, lanes, rng.choice(("3", None, None, "undef")) if odd else "0")


@dataclass(frozen=True, slots=True)
class View:
    """How an access sees a location: the type to state (empty: the declared one), the address, the value's shape."""

    type: str
    address: str
    bits: int
    lanes: int

    @property
    def whole(self) -> str:
        """The type, stated or not."""
        return f"<{self.lanes} x i{self.bits}>" if self.lanes else f"i{self.bits}"


def view(rng: Random, variable: Variable, theme: Theme, *, scalar: bool = False) -> View:
    """Return the whole location, or a part that is aligned to its own size; `scalar` asks for an integer."""
    part = 0.3 if theme.mixed else theme.noise / 3
    if rng.random() >= part and not (scalar and variable.lanes):
        return View("", variable.name, variable.bits, variable.lanes)
    width = rng.choice([b for b in (8, 16, 32, 64, 128) if b // 8 <= variable.size])
    count = variable.size * 8 // width
    if count >= 2 and not scalar and rng.random() < 0.3:
        return View(f"<2 x i{width}>", variable.name, width, 2)
    index = rng.randrange(count)
    address = f"{variable.name}[{index}]" if index or rng.random() < 0.3 else variable.name
    return View(f"i{width}", address, width, 0)
