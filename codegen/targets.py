"""A target as a test is lowered for it: a processor, how workgroups are spread, and whose lowering.

What goes in: the words of a command line, `gfx942`, `tgsplit`, `llvm-24`. What comes out: a `Target`. Invariant: its
mode is one of its family's, its profile one of `PROFILES`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from axmem.codegen.tables import PROFILES, TargetFamily, families, products
from axmem.front.records import dataclass, field
from axmem.front.source import InputError, did_you_mean, mistake

NEWEST_LLVM = "llvm-24"
"""The profile of the newest LLVM, whose code it has as it is: what is shown unless another is asked for."""
REPAIRED = "repaired"
"""The profile that has what LLVM lacks: what `verify` takes for a lowering that is meant to be right."""
_OTHER_MAKERS = re.compile(r"sm_?\d|[avh]\d00|rtx|nv|cuda|x86|i[3-7]86|arm|aarch|apple|intel|riscv", re.IGNORECASE)
"""What processors of other makers are called."""
_BUILT_ON = {"repaired": ("llvm-24",), "rfc-vulkan": ("repaired", "llvm-24")}
"""Profiles that have all of others, and something besides."""


@dataclass(frozen=True, slots=True)
class Target:
    """`name` is a processor or the name of a family, which stands for all of its processors."""

    name: str
    family: TargetFamily = field(compare=False)
    mode: str
    profile: str = REPAIRED

    @property
    def label(self) -> str:
        """The target in one word: `gfx942`, `gfx942-tgsplit`; the default mode is not named."""
        return self.name if self.mode == self.family.modes[0] else f"{self.name}-{self.mode}"

    @property
    def circumstances(self) -> frozenset[str]:
        """What rows of tables may ask of the target: its mode, its profile, and those that the profile is built on."""
        return frozenset({self.mode, self.profile, *_BUILT_ON.get(self.profile, ())})


def target(name: str, mode: str = "", profile: str = REPAIRED) -> Target:
    """Return the target of this name; without a mode it has its family's default. Raises InputError."""
    known_profile(profile)
    known = {name: family for family in families().values() for name in (family.name, *family.targets)}
    if name not in known:
        raise _unknown("--target", "target", name, known, products().get(_product(name), ""))
    family = known[name]
    if mode and mode not in family.modes:
        raise _unknown("--mode", f"mode of {name}", mode, family.modes)
    return Target(name, family, mode or family.modes[0], profile)


def target_of(name: str, said: str) -> Target:
    """Return the target of a file that says its processor; a former name stands for the one that has taken its place.

    Raises InputError for a processor that is not known.
    """
    known = {each for family in families().values() for each in (family.name, *family.targets)}
    processor = said if said in known else products().get(said, said)
    if processor not in known:
        hint = did_you_mean(said, known) or f"--target of a processor whose counters are the same: {', '.join(known)}"
        raise mistake(name, f"it is for '{said}', which is not known", hint)
    return target(processor)


def all_targets(profile: str = REPAIRED) -> Iterator[Target]:
    """Yield every family in every mode. Raises InputError for an unknown profile."""
    known_profile(profile)
    for family in families().values():
        for mode in family.modes:
            yield Target(family.name, family, mode, profile)


def known_profile(profile: str) -> str:
    """Return a profile. Raises InputError for an unknown one."""
    if profile not in PROFILES:
        raise _unknown("--profile", "profile", profile, PROFILES)
    return profile


def _product(name: str) -> str:
    """Return the name of a product as `products` has it: without its maker and the signs between its words."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    return re.sub(r"^(amd)?(radeon|instinct)?(rx|pro)?", "", plain)


def _unknown(option: str, what: str, word: str, known: Iterable[str], called: str = "") -> InputError:
    words = tuple(known)
    hint = f"{word} is {called}" if called else did_you_mean(word, words) or f"known: {', '.join(words)}"
    if option == "--target" and _OTHER_MAKERS.match(word):
        hint = "code is known of AMD's processors alone; axmem run --model ptx, tso or aarch64 judges a test of others"
    return mistake(option, f"unknown {what} '{word}'", hint)
