"""The tests of one run of `axmem verify`, on one process or several.

What goes in: jobs, which are plain text. What comes out: answers, which are plain data, in the order of the jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from axmem.check.selection import loaded, parse_choice
from axmem.codegen.machine.families import SWITCHES
from axmem.front.inputs import about_file
from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean
from axmem.litmus.parser import parse
from axmem.mapping.verification import Verification, verify
from axmem.report.verification import lines, picture, record

Given = TypeVar("Given")
Done = TypeVar("Done")


@dataclass(frozen=True, slots=True)
class Job:
    """A test and everything that its verification depends on."""

    name: str
    text: str
    target: str
    mode: str
    profile: str
    model: str
    placement: str
    switches: tuple[tuple[str, str], ...]
    divergent: bool
    elements: bool
    format: str
    limit: int
    llc: str = ""
    assembly: tuple[str, str] | None = None
    """The name and text of a file of assembly; with this, or with `llc`, that is verified instead of the lowering."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said of a test: its verdict (empty if it could not be read), and the report in the format asked for."""

    name: str
    verdict: str
    text: str = ""
    record: Mapping[str, object] | None = None
    picture: str | None = None
    errors: tuple[Diagnostic, ...] = ()


class Spread(Protocol):
    """Calls a function on each of several items, and yields what it returns, in order."""

    def __call__(self, function: Callable[[Given], Done], items: Sequence[Given], /) -> Iterator[Done]: ...


@contextmanager
def spread(workers: int) -> Iterator[Spread]:
    """Provide what calls functions: here, or on several processes; 0 workers are one for each core.

    Raises InputError if a worker dies.
    """
    from axmem.run.pool import cores, worker_pool

    count = workers or cores()
    if count == 1:
        yield _here
        return
    with worker_pool() as pool:
        executor: Executor = pool.executor(count)

        def there(function: Callable[[Given], Done], items: Sequence[Given], /) -> Iterator[Done]:
            try:
                yield from executor.map(function, items)
            except BrokenExecutor:
                hint = "it may have had too little memory: try a smaller --limit, or fewer processes"
                raise InputError([about_file("axmem verify", "a worker died", hint)]) from None

        yield there


def _here(function: Callable[[Given], Done], items: Sequence[Given], /) -> Iterator[Done]:
    yield from map(function, items)


def verification(job: Job, *, robust: bool = True) -> Verification:
    """Verify a job's test. Raises InputError."""
    return verify(
        parse(job.text, job.name),
        job.target,
        job.model,
        mode=job.mode,
        profile=job.profile,
        placement=job.placement,
        switches=dict(job.switches),
        robust=robust,
        divergent=job.divergent,
        limit=job.limit,
        assembly=job.assembly,
        llc=job.llc,
    )


def answer(job: Job) -> Answer:
    """Return what is said of a job's test."""
    try:
        found = verification(job)
    except InputError as error:
        return Answer(job.name, "", errors=error.diagnostics)
    other = _compared(job, found)
    if job.format == "json":
        told = record(found, with_elements=job.elements)
        return Answer(job.name, found.verdict, record=told if other is None else {**told, "differences": other})
    if job.format == "svg":
        return Answer(job.name, found.verdict, picture=picture(found))
    shown = [*lines(found, with_elements=job.elements), *_shown(job, found, other)]
    return Answer(job.name, found.verdict, "".join(f"{line}\n" for line in shown))


def _compared(job: Job, found: Verification) -> list[str] | None:
    """Return where a compiler's instructions are not those of the tables; None without a compiler, or a lowering."""
    if not job.llc and job.assembly is None:
        return None
    from axmem.mapping.compiled import differences

    try:
        return list(differences(found.program, found.test, found.target))
    except InputError:
        return None


def _shown(job: Job, found: Verification, other: list[str] | None) -> Iterator[str]:
    """Yield the differences from the tables, as text."""
    name = job.llc or (job.assembly[0] if job.assembly else "")
    if name and other is None:
        yield f"  not compared with the tables: the machine does not have their lowering for {found.target.profile}"
    elif other is not None:
        yield f"  against the tables of {found.target.profile}: {f'- tables, + {name}' if other else 'no difference'}"
        yield from (f"    {line}" for line in other)


def check_options(settings: Iterable[str], model: str) -> tuple[tuple[str, str], ...]:
    """Return the switches of a command line. Raises InputError for one that does not exist, and for an unknown
    model."""
    loaded(parse_choice(model))
    known = {switch.name: switch.values for switch in SWITCHES}
    found = []
    for text in settings:
        name, _, value = text.partition("=")
        place = Span(1, 1, max(1, len(text)))
        if name not in known:
            hint = did_you_mean(name, known) or f"known: {', '.join(known)}"
            raise InputError([Diagnostic(Source("--switch", text), place, f"there is no switch '{name}'", hint)])
        if value not in known[name]:
            hint = f"it is {' or '.join(known[name])}"
            raise InputError([Diagnostic(Source("--switch", text), place, f"{name} has no value '{value}'", hint)])
        found.append((name, value))
    return tuple(found)
