"""Faults that no page has, seeded into what llc makes, each next to that of a page: none of them is a known one.

What goes in: a test, a target, the assembly that a compiler made of it. What comes out: of each fault whether it can be
seen, and if so by which pages `verify` explains it, which must be none. `install` writes an llc that has a fault: all
that `verify` compiles anew to explain something has it too.
"""

from __future__ import annotations

import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from axmem.codegen.targets import Target
from axmem.front.source import InputError
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.compiled import assembled
from axmem.mapping.faults import FAULTS as KNOWN
from axmem.mapping.findings import PAGES, pages
from axmem.mapping.verification import Exploration, Verification, verify_program
from axmem.model.library import load
from tests.paths import ROOT

STATES = 20_000
Lines = list[str]
_WRITEBACK = r"\t(buffer_wbl2|global_wb)\b"
_INVALIDATE = r"\t(buffer_inv|buffer_invl2|buffer_wbinvl1\w*|buffer_gl[01]_inv|global_inv)\b"
_WAIT = r"\ts_wait(cnt|cnt_vscnt|_loadcnt|_storecnt|_storecnt_dscnt|_loadcnt_dscnt)\b"
_WRITE = r"\t(global|flat)_(store|atomic)"


@dataclass(frozen=True)
class SeededFault:
    """What is wrong, next to the fault of which page, on which targets, and how a function's lines become wrong."""

    name: str
    page: str
    targets: tuple[str, ...]
    edit: Callable[[Lines], Lines]


def _replaced(pattern: str, instead: str, where: str = "") -> Callable[[Lines], Lines]:
    """Return an edit of every line, of functions that have a line like `where`."""

    def edit(lines: Lines) -> Lines:
        has = any(re.search(where, line) for line in lines)
        return [re.sub(pattern, instead, line) for line in lines] if has else lines

    return edit


def _beside(pattern: str, neighbour: str, step: int) -> Callable[[Lines], Lines]:
    """Return an edit that drops lines like `pattern` whose neighbour, behind or before other waits, is as given."""

    def edit(lines: Lines) -> Lines:
        left = []
        for index, line in enumerate(lines):
            other = index + step
            while 0 <= other < len(lines) and re.match(_WAIT, lines[other]):
                other += step
            near = 0 <= other < len(lines) and re.match(neighbour, lines[other])
            if not (re.match(pattern, line) and near):
                left.append(line)
        return left

    return edit


SINCE10 = ("gfx10", "gfx11", "gfx12")
FAULTS = (
    SeededFault("vector-wait-with-lds", "fixed/missing-wait-after-writeback", ("gfx9",),
                _replaced(r"vmcnt\(0\) lgkmcnt\(0\)", "lgkmcnt(0)", r"\tds_")),
    SeededFault("wait-after-writeback", "fixed/missing-wait-after-writeback", ("gfx9", "gfx12"),
                _beside(_WAIT, _WRITEBACK, -1)),
    SeededFault("no-writeback", "fixed/replayed-store", ("gfx9", "gfx12"), _replaced(rf"^{_WRITEBACK}.*", "")),
    SeededFault("no-writeback-nor-wait", "cluster-release", ("gfx12",),
                lambda lines: _replaced(rf"^{_WRITEBACK}.*", "")(_beside(_WAIT, _WRITEBACK, -1)(lines))),
    SeededFault("no-invalidate", "unawaited-invalidate", ("gfx",), _replaced(rf"^{_INVALIDATE}.*", "")),
    SeededFault("wait-before-invalidate", "unawaited-invalidate", ("gfx",), _beside(_WAIT, _INVALIDATE, 1)),
    SeededFault("release-leaves-stores", "relayed-store", SINCE10,
                _replaced(r"^\t(s_waitcnt_vscnt null, 0x0|s_wait_storecnt 0x0)", "")),
    SeededFault("release-leaves-all", "unawaited-invalidate", ("gfx",), _beside(_WAIT, _WRITE, 1)),
    SeededFault("release-leaves-lds", "unawaited-scalar-load", ("gfx",),
                lambda lines: _replaced(r"vmcnt\(0\) lgkmcnt\(0\)", "vmcnt(0)")(_replaced(r"cnt_dscnt", "cnt")(lines))),
    SeededFault("release-leaves-scalar", "fixed/overtaken-scalar-load", ("gfx9", "gfx10", "gfx11"),
                _beside(r"\ts_waitcnt lgkmcnt\(0\)", _WRITE, 1)),
    SeededFault("vector-wait-with-scalar", "fixed/stale-scalar-load", ("gfx",),
                lambda lines: _beside(_WAIT, _INVALIDATE, 1)(lines) if any("\ts_load" in x for x in lines) else lines),
    SeededFault("stores-replayed", "replayed-read-modify-write", ("gfx1250",), _beside(r"\ts_wait_xcnt", _WRITE, 1)),
    SeededFault("nearer", "cluster-release", ("gfx12",), _replaced(r" scope:SCOPE_(DEV|SYS)", "", "")),
    SeededFault("acquire-nearer", "fixed/merged-scopes", ("gfx9", "gfx10", "gfx11"),
                _replaced(r"(_load_dword.*?)( glc| sc0| sc1| dlc)+$", r"\1", "")),
)  # fmt: skip


MASKED = {
    ("wait-after-writeback", "unawaited-invalidate"):
        "the wait that the page asks for behind the invalidate, before the same store, is one for the writeback, too",
    ("no-invalidate", "fixed/replayed-store"):
        "the invalidate kept what follows it behind the replay of a store, for which the page's wait waits",
}  # fmt: skip
"""Faults that a page explains although they are none of its own, and why: its own instruction is missing in the
compiler's code, too, at the same places, and orders what the fault does not. By the fault and the page."""


def seeded(fault: SeededFault, text: str) -> str:
    """Return assembly with a fault in each of its functions."""
    found: Lines = []
    for part in re.split(r"(?m)(?=^\S+:[^\n]*; @)|(?=^\.Lfunc_end)", text):
        body = re.match(r"\S+:[^\n]*; @", part)
        found.append("\n".join(fault.edit(part.split("\n"))) if body else part)
    return "".join(found)


@dataclass(frozen=True)
class Sought:
    """What came of a fault: `seen` if the test shows it, and the pages that explain it then; `masked` by `MASKED`."""

    test: str
    target: str
    fault: str
    seen: bool
    pages: tuple[str, ...] = ()
    masked: bool = False


def sought(
    test: LitmusTest, where: Target, text: str, llcs: dict[str, str], names: Iterable[str] | None = None
) -> Iterator[Sought]:
    """Yield what comes of each fault of a target; `llcs` are those that have it, by its name."""
    real = _verified(test, where, text)
    for fault in FAULTS:
        made = seeded(fault, text)
        if not where.name.startswith(fault.targets) or made == text or (names is not None and fault.name not in names):
            continue
        try:
            found = _verified(test, where, made)
        except InputError:
            continue
        new = {v.row for v in found.violations} - {v.row for v in real.violations}
        seen = found.verdict == "unsound" and bool(new or set(found.hazards) - set(real.hazards))
        explained = pages(found, llcs.get(fault.name, "")) if seen else ()
        masked = bool(explained) and all(
            (fault.name, page.removeprefix(PAGES).removesuffix(".md")) in MASKED
            and _put(page, test, where, made) == _put(page, test, where, text)
            for page in explained
        )
        yield Sought(test.name, where.name, fault.name, seen, () if masked else explained, masked)


def _put(page: str, test: LitmusTest, where: Target, text: str) -> int:
    """Return how many lines the changes that a page asks for put into assembly."""
    changes = [each for each in KNOWN if page == f"{PAGES}{each.page}.md" and each.is_of(where)]
    return sum(each.made(test, where, text).count("\n") - text.count("\n") for each in changes)


def _verified(test: LitmusTest, where: Target, text: str) -> Verification:
    exploration = Exploration(robust=False, limit=STATES)
    found = verify_program(assembled(test, where, text, "seeded.s"), test, where, load("amdgpu"), exploration)
    return replace(found, assembly=text)


def install(folder: Path, llc: str) -> dict[str, str]:
    """Write an llc for each fault into a folder; return their paths by the names of the faults."""
    made = {}
    for fault in FAULTS:
        path = folder / f"llc-{fault.name}"
        call = f"main({fault.name!r}, {llc!r})"
        path.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
            f"from tests.mapping.seeded_faults import main\nsys.exit({call})\n", encoding="utf-8"
        )  # fmt: skip
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        made[fault.name] = str(path)
    return made


def main(name: str, llc: str) -> int:
    """Run llc, and print what it makes with a fault."""
    fault = next(each for each in FAULTS if each.name == name)
    done = subprocess.run([llc, *sys.argv[1:]], stdin=sys.stdin, capture_output=True, text=True, check=False)
    sys.stdout.write(seeded(fault, done.stdout))
    sys.stderr.write(done.stderr)
    return done.returncode
