"""Runs of opt on modules of many functions.

What goes in: a module of a thousand functions, passes, opt. What comes out: for each pass the functions that it
changed, or why there is nothing to compare: opt is missing, crashes, hangs, or prints no module. Invariant: what goes
wrong with one pass or one function is said of it alone; where opt crashes, halves of the module are tried until the
function is known by which it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from axmem.front.records import dataclass, field
from axmem.front.source import InputError
from axmem.passes.changes import Made, made
from axmem.passes.modules import module_of, written
from axmem.refinement import opt_runs
from axmem.refinement.opt_runs import OptFailed, OptLate

TAIL = """
!axmem = !{!0, !1}
!0 = !{!"sync", !"a"}
!1 = !{!"sync", !"b"}
"""
"""The tags of all functions; that a name has them keeps their numbers in what opt writes."""
MOST_CRASHES = 3
"""Of so many functions it is found out that opt crashes by them, for each pass and module."""


@dataclass(frozen=True, slots=True)
class OptTarget:
    """What modules are for: opt, its options for the target, the triple that is written in them, and a word for it."""

    opt: str
    triple: str = ""
    options: tuple[str, ...] = ()
    space: int = 0

    @property
    def head(self) -> str:
        """How a module begins."""
        return f'target triple = "{self.triple}"\n\n' if self.triple else ""


AMDGPU = ("amdgcn-amd-amdhsa", ("-mcpu=gfx942",), 1)
"""The triple, options and address space for which passes are run if AMDGPU's model is asked."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Functions, each as text with its name, and the passes to be run on them."""

    number: int
    functions: tuple[tuple[str, str], ...]
    passes: tuple[str, ...]
    target: OptTarget

    def module(self, names: Sequence[str] | None = None) -> str:
        """Return the text of a module with the functions, or with those of some names."""
        chosen = (text for name, text in self.functions if names is None or name in names)
        return self.target.head + "\n".join(chosen) + TAIL


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a pass: changed functions by their names, counts of others, and what went wrong."""

    name: str
    changed: tuple[tuple[str, Made], ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    failures: tuple[str, ...] = ()


def ran(batch: Batch) -> tuple[Ran, ...]:
    """Return what came of each pass. Nothing that opt does raises an exception."""
    names = [name for name, _ in batch.functions]
    try:
        before = _written(batch.target, (), batch.module())
    except OptFailed as reason:
        return tuple(Ran(name, failures=(str(reason),)) for name in batch.passes)
    if missing := sorted({*names} - written(before).keys()):
        said = f"opt does not write what it reads: {len(missing)} functions are missing"
        return tuple(Ran(name, failures=(said,)) for name in batch.passes)
    return tuple(_ran(batch, name, before) for name in batch.passes)


def _ran(batch: Batch, name: str, before: str) -> Ran:
    if reason := _refused(batch.target, name):
        return Ran(name, failures=(reason,))
    failures: list[str] = []
    changed: list[tuple[str, Made]] = []
    counts: dict[str, int] = {}
    ahead = [([each for each, _ in batch.functions], before)]
    while ahead:
        names, plain = ahead.pop()
        try:
            after = _written(batch.target, (f"-passes={name}",), plain)
            failures += _compare(plain, after, changed, counts)
        except OptFailed as reason:
            if len(names) == 1 or isinstance(reason, OptLate) or len(failures) >= MOST_CRASHES:
                failures.append(f"{names[0] if len(names) == 1 else f'{len(names)} functions'}: {reason}")
                continue
            half = len(names) // 2
            for part in (names[:half], names[half:]):
                try:
                    ahead.append((part, _written(batch.target, (), batch.module(part))))
                except OptFailed as worse:
                    failures.append(f"{len(part)} functions: {worse}")
    return Ran(name, tuple(changed), counts, tuple(failures))


def _compare(before: str, after: str, changed: list[tuple[str, Made]], counts: dict[str, int]) -> Iterator[str]:
    """Add what differs, and yield what cannot be read. Raises OptFailed for a text that has none of the functions."""
    if before == after:
        return
    texts = written(before), written(after)
    if texts[0] and not texts[1]:
        raise OptLate("opt prints no module")
    different = [name for name, text in texts[0].items() if _bare(text) != _bare(texts[1].get(name, ""))]
    modules = module_of(before), module_of(after)
    for name in different:
        try:
            found = made(name, *modules)
        except InputError as error:
            yield f"{name}: opt prints what is not read: {error.diagnostics[0].message}"
            continue
        if isinstance(found, Made):
            changed.append((name, found))
        elif found is not None:
            counts[found] = counts.get(found, 0) + 1


def _bare(text: str) -> str:
    """Return the body of a function that is written, up to its end."""
    return text.partition("\n")[2].partition("\n}")[0]


@lru_cache(maxsize=256)
def _refused(target: OptTarget, name: str) -> str:
    """Return why opt does not run a pass on anything."""
    try:
        _written(target, (f"-passes={name}",), target.head)
    except OptFailed as reason:
        return str(reason)
    return ""


def _written(target: OptTarget, arguments: tuple[str, ...], text: str) -> str:
    return opt_runs.written(target.opt, (*target.options, *arguments), text)
