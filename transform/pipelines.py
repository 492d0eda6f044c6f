"""Which passes run on loops, in which order.

What goes in: the name of a pipeline, or a list of passes. What comes out: the passes. The orders are those of the
document ([CodeTransformationMetadata], three lists) and those that LLVM 22.1.8 prints (`-print-pipeline-passes`, for
x86-64 and amdgcn alike).
"""

from __future__ import annotations

import re

from axmem.front.records import dataclass, replace
from axmem.front.source import did_you_mean, mistake
from axmem.transform.not_modelled import left_out
from axmem.transform.passes import TABLE, WARNING, Pass, Profile, passes

OFF = ("interchange", "versioning-licm", "unroll-and-jam")
"""The passes that run only where they are asked for: `O3+unroll-and-jam`."""

_LEGACY = ("interchange", "unroll-full", "versioning-licm", "distribute", "vectorize", "unroll-and-jam", "unroll")
_LEGACY_LTO = ("interchange", "unroll-full", "vectorize", "unroll")
_NEW = ("unroll-full", "distribute", "vectorize", "unroll-and-jam", "unroll")
_LLVM_22 = ("unroll-full", "versioning-licm", "interchange", "distribute", "vectorize", "unroll-and-jam", "unroll")


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Passes in their order, by names. It `warns` after the last; some vectorize what is `forced_only`.

    `idle` is why it has no passes for a kernel.
    """

    name: str
    passes: tuple[str, ...]
    warns: bool = True
    forced_only: bool = False
    idle: str = ""


def _orders(order: tuple[str, ...]) -> tuple[Pipeline, ...]:
    """Return the pipelines of a profile whose levels have an order."""
    return (
        Pipeline("O0", (), warns=False),
        *(Pipeline(name, order) for name in ("O1", "O2", "O3", "lto", "thinlto")),
        Pipeline("legacy", _LEGACY),
        Pipeline("legacy-lto", _LEGACY_LTO),
    )


PIPELINES: dict[Profile, dict[str, Pipeline]] = {
    Profile.DOC: {each.name: each for each in _orders(_NEW)},
    Profile.LLVM_22: {each.name: replace(each, forced_only=each.name == "O1") for each in _orders(_LLVM_22)},
}
"""The pipelines of each profile with the passes that are off. The document gives one order for all levels above O0.

LLVM 22 has no legacy pass manager any more; its rules can be followed in that order.
"""

DEFAULT = "O2"


def pipeline(text: str, profile: Profile) -> Pipeline:
    """Return a pipeline `O3`, with passes that are off else `O3+unroll-and-jam`, or a list of passes.

    Passes have our names or LLVM's, parameters in `<…>` aside: `distribute,loop-unroll<O3>,transform-warning`. A list
    warns if it ends with `transform-warning`, and only then. Raises InputError for what is neither.
    """
    known = PIPELINES[profile]
    name, *added = text.split("+")
    if name not in known:
        return _listed(text, profile)
    chosen = known[name]
    for each in added:
        if each not in OFF or each not in chosen.passes:
            possible = [one for one in OFF if one in chosen.passes]
            hint = did_you_mean(each, possible) or f"possible: {', '.join(possible) or 'none'}"
            raise mistake("--pipeline", f"'{each}' is no pass that can be added to {name}", hint, text=text)
    running = tuple(each for each in chosen.passes if each not in OFF or each in added)
    return replace(chosen, name=text, passes=running)


def _listed(text: str, profile: Profile) -> Pipeline:
    names = {alias: each.name for each in TABLE[profile] for alias in (each.name, each.llvm)}
    found: list[str] = []
    parts = [re.sub(r"<[^>]*>$", "", part.strip()) for part in text.split(",")]
    for number, part in enumerate(parts):
        if part == WARNING and number < len(parts) - 1:
            raise mistake("--pipeline", f"'{WARNING}' stands before other passes", "it is the last", text=text)
        if part == WARNING:
            return Pipeline(text, tuple(found))
        if why := left_out(part):
            raise mistake("--pipeline", why, "docs/transform.md says what is followed", text=text)
        if part not in names:
            hint = did_you_mean(part, [*PIPELINES[profile], *names, WARNING])
            hint = hint or f"pipelines: {', '.join(PIPELINES[profile])}; passes: {', '.join(passes(profile))}"
            raise mistake("--pipeline", f"no pipeline or pass is named '{part}'", hint, text=text)
        found.append(names[part])
    return Pipeline(text, tuple(found), warns=False)


def passes_of(found: Pipeline, profile: Profile) -> tuple[Pass, ...]:
    """Return the passes of a pipeline under the rules of a profile."""
    known = passes(profile)
    return tuple(known[name] for name in found.passes)
