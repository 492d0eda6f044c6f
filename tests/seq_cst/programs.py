"""The rows of `programs.txt`: what they are, and the tests of axmem that ask for their outcomes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

FILE = Path(__file__).parent / "programs.txt"
ORDERINGS = {"rlx": "monotonic", "acq": "acquire", "rel": "release", "ar": "acq_rel", "sc": "seq_cst"}
_OPERATION = re.compile(r"(?P<kind>[WRUF])\.(?P<order>\w+)(?: (?P<location>[xyz])(?P<first>\d+)(?:>(?P<second>\d+))?)?")


@dataclass(frozen=True)
class Operation:
    """One operation: `W`, `R`, `U` or `F`; of an update that reads anything, `read` is None."""

    kind: str
    order: str
    location: str = ""
    read: int | None = None
    written: int | None = None


@dataclass(frozen=True)
class Program:
    """Threads, what locations must hold at the end, and the verdicts of C++20, RC11 and OpenCL that the table has."""

    name: str
    threads: tuple[tuple[Operation, ...], ...]
    final: tuple[tuple[str, int], ...] = ()
    verdicts: tuple[bool, ...] = ()

    def test(self) -> str:
        """Return the test of axmem whose condition is the outcome."""
        locations = sorted({each.location for thread in self.threads for each in thread if each.location})
        lines = [f"litmus {self.name}", f"global {', '.join(f'{name} = 0' for name in locations)}"]
        asked = [f"{name}={value}" for name, value in self.final]
        for n, thread in enumerate(self.threads):
            lines.append(f"thread P{n} @ agent 0, workgroup {n} {{")
            for k, each in enumerate(thread):
                lines.append(f"  {_statement(each, f'r{k}')}")
                if each.read is not None:
                    asked.append(f"P{n}:r{k}={each.read}")
            lines.append("}")
        return "\n".join([*lines, f"exists ({' and '.join(asked)})".replace(" and ", " /\\ "), ""])


def _statement(each: Operation, register: str) -> str:
    order = ORDERINGS[each.order]
    if each.kind == "F":
        return f"fence {order}"
    if each.kind == "W":
        return f"store atomic {each.written}, {each.location} {order}"
    if each.kind == "R":
        return f"{register} = load atomic {each.location} {order}"
    return f"{register} = atomicrmw xchg {each.location}, {each.written} {order}"


def _operation(text: str) -> Operation:
    found = _OPERATION.fullmatch(text.strip())
    assert found is not None, text
    kind, first = found["kind"], None if found["first"] is None else int(found["first"])
    second = None if found["second"] is None else int(found["second"])
    read = first if kind in "RU" else None
    return Operation(kind, found["order"], found["location"] or "", read, first if kind == "W" else second)


def programs() -> tuple[Program, ...]:
    """Return the rows."""
    found = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, *verdicts, text = line.split(None, 4)
            body, _, final = text.partition(";;")
            threads = tuple(tuple(map(_operation, thread.split(";"))) for thread in body.split("|"))
            ends = tuple((word[0], int(word[1:])) for word in final.split())
            found.append(Program(name, threads, ends, tuple(word == "+" for word in verdicts)))
    return tuple(found)


def with_updates(program: Program) -> Iterator[Program]:
    """Yield a program with each of its accesses made an update: what a store reads is not asked, a load writes 10."""
    for n, thread in enumerate(program.threads):
        for k, each in enumerate(thread):
            if each.kind in "WR":
                written = each.written if each.kind == "W" else 10
                update = replace(each, kind="U", written=written)
                changed = (*thread[:k], update, *thread[k + 1 :])
                threads = (*program.threads[:n], changed, *program.threads[n + 1 :])
                yield Program(f"{program.name}.P{n}.{k}", threads, program.final)
