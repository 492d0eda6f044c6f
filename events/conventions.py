"""What is up to a model about the events and outcomes of a test; the one place that reads variants by their names."""

from __future__ import annotations

from functools import lru_cache

from axmem.front.records import dataclass
from axmem.model.model import Model


@dataclass(frozen=True, slots=True)
class Conventions:
    """What is up to a model about the events of a test.

    `undef_memory`: uninitialised memory has an initial write of undef, rather than none (for models without a rule for
    reads that no write comes before). `tearing`: each byte of an atomic access is a cell, so that it may be read from a
    write of its own. `forks`: a branch on undef goes either way, and is no undefined behaviour. `awaits`: a loop that
    only waits keeps its last iteration alone; no model decides that, only tests have it unrolled like any other. Nor
    `stuck`: such a loop may also go on for ever, and the thread ends there. Nor `retries`: a loop that tries again is
    taken to end, and keeps its last iterations alone. Nor `promises`: that a broken promise of
    parallel accesses is undefined behaviour is what the user asks. Nor `partly`: a register that no branch taken has
    assigned shows undef at last, where it holds 0; so that who compares two programs compares nothing with it. Nor
    `hidden`: nobody asks what registers hold at last. Nor `stutters`: iterations that change nothing are left out, of a
    whole program that is taken to end; with `rewrites` also those that try again though they store. Nor `pointed`:
    locations whose addresses others have, so that a pointer from memory may point there. Nor `settled`: what is loaded
    from memory that nothing in a whole program writes is what it begins with, and depends on no read.
    """

    undef_memory: bool = False
    tearing: bool = False
    forks: bool = False
    awaits: bool = True
    stuck: bool = False
    retries: bool = True
    promises: bool = False
    partly: bool = False
    hidden: bool = False
    stutters: bool = False
    rewrites: bool = True
    settled: bool = False
    pointed: frozenset[str] = frozenset()

    @property
    def rewriting(self) -> bool:
        """Whether iterations that try again are left out though they store."""
        return self.stutters and self.rewrites and not self.undef_memory


UNDEF_IN_CONDITIONS = "undef.exists"
"""The variant that says how an undef value compares in a condition."""
UNDEF_AT_BRANCHES = "undef.branch"
"""The variant that says whether a branch on undef is undefined behaviour."""
JUDGING = frozenset({UNDEF_IN_CONDITIONS, UNDEF_AT_BRANCHES})
"""Variants that the text of a model need not mention: they decide how outcomes are judged."""


def undef_in_conditions(model: Model) -> str:
    """Return how an undef value compares in a condition: a value of the variant `undef.exists`, `wild` by default."""
    return model.choice.get(UNDEF_IN_CONDITIONS, "wild")


def judges_all_at_once(model: Model) -> bool:
    """Tell whether a condition is judged on all outcomes together, so that no single execution decides it."""
    return undef_in_conditions(model) == "freeze"


@lru_cache(maxsize=256)
def conventions(model: Model) -> Conventions:
    """Return what a model has decided, by its undef rules and the variants `bytes.notear` and `undef.branch`."""
    return Conventions(
        undef_memory=not model.undefs,
        tearing=model.choice.get("bytes.notear") == "off",
        forks=model.choice.get(UNDEF_AT_BRANCHES) == "fork",
    )
