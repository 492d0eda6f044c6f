"""Every command on inputs that are no good and outputs that cannot be written.

What goes in: the parser. What comes out: cases, each a command line in which one value is the path of a file with a
fault, and where its output goes; and what is wrong with how a case ends. Which commands there are, what each wants and
where each writes is read off the parser: a command with a new kind of argument needs a word in `WORDS`.

A case ends well if no exception leaves the command, its exit code is one that the page of commands documents (2, where
the input cannot be read or the output not be written), an exit code of 2 comes with a message, no message is of an
internal error, and no file that was there before is changed.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import io
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stderr, suppress
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from axmem.cli import build_parser, main
from axmem.front.spelling import COMMANDS, spelled
from tests.paths import CORPUS

LARGE = 10_000_000

TEST = (CORPUS / "base" / "MP+rel+acq.litmus").read_text(encoding="utf-8")
KERNEL = """litmus K
kernel K() lanes 2 {
entry:
  br label %h
h:
  %i = phi i32 [ 0, %entry ], [ %i1, %h ]
  %i1 = add i32 %i, 1
  %c = icmp ult i32 %i1, 2
  br i1 %c, label %h, label %x
x:
  ret void
}
"""
ON_KERNELS = ("conv", "uniform", "progress", "loopmd", "transform")
GOOD = {
    ".litmus": TEST,
    ".cat": '"a model"\nacyclic po | rf | mo | fr as sc\n',
    ".rule": "rule own\nbefore: a=load x\nafter:\n",
    ".proof": "theorem P2\n",
    ".s": "P0:\n  s_endpgm\n",
    ".ll": "@x = global i32 0\ndefine void @f() {\n  store atomic i32 1, ptr @x monotonic, align 4\n  ret void\n}\n",
}
WORDS = {
    "PATH": "good.litmus", "TEST": "good.litmus", "KERNEL": "kernel.litmus", "MODEL_A": "sc", "MODEL_B": "sc",
    "A,B": "sc,sc", "GFX": "gfx942", "CYCLE": "PodWW Rfe PodRR Fre", "models NAME": "sc", "theorems NAME": "P2",
    "PASSES": "O2", "PASS@LOOP": "unroll@h", "prove NAME": "P2", "examples NAME": "MP", "TEXT": "unroll(h,2)",
    "MODULE": "good.ll", "LLC": "llc-22", "TAB": "outcomes", "DIR": "new/",
}  # fmt: skip
"""A value for each kind of argument, by its name in the usage; where it has another meaning, with the command."""
EXTRA = {
    "diff": ("--events", "1"), "page": ("--format", "html"), "theorems": ("--events", "1"),
    "refine": ("good.litmus", "--closed"), "hunt": ("--count", "1"),
    "passes": ("--all", "--count", "1", "--context", "0"),
}  # fmt: skip
"""What keeps a command short, or makes it complete."""

FILELESS = ("lsp",)
"""Commands that are given no file."""
FAULTS = ("unreadable", "missing", "empty", "binary", "directory", "large", "garbage", "nul", "bom", "crlf")
HARMLESS = ("bom", "crlf", "large")
OUTPUTS = ("stdout", "file", "full", "closed", "read-only")


@dataclass(frozen=True, slots=True)
class Case:
    """A command line, with `{bad}` for the path of the file; `suffix` is what its name ends in."""

    command: str
    slot: str
    arguments: tuple[str, ...]
    suffix: str
    fault: str
    output: str

    @property
    def name(self) -> str:
        """What reports call the case."""
        return f"{self.command} {self.slot}{self.suffix} {self.fault} {self.output}"


def cases() -> Iterator[Case]:
    """Yield every case: each place of each command for a value, each fault, each output."""
    parsers = build_parser()[1].choices
    for command in COMMANDS:
        parser = parsers[spelled(command)]
        actions = [a for a in parser._actions if a.nargs != 0 and a.dest != argparse.SUPPRESS]
        for action in actions:
            if action.choices or action.type or writes(action):
                continue
            slot = action.option_strings[0] if action.option_strings else action.dest
            found = suffixes(action)
            for suffix in found or [".litmus"]:
                for output in OUTPUTS:
                    for line in lines(command, actions, action, output):
                        for fault in FAULTS if found or not action.option_strings else ("missing",):
                            yield Case(command, slot, line, suffix, fault, output)


def writes(action: argparse.Action) -> bool:
    """Tell whether an option names what is written."""
    return "--output" in action.option_strings or (action.metavar == "DIR" and action.dest != "include")


def suffixes(action: argparse.Action) -> list[str]:
    """Return what the names of files end in that an argument may be, by what the help says of it."""
    said = f"{action.help} {'.cat' if action.metavar == 'M' else ''} {'.s' if action.dest == 'asm' else ''}"
    said += {"rule": ".rule", "names": ".proof"}.get(action.dest, "")
    return [suffix for suffix in GOOD if re.search(rf"{re.escape(suffix)}\b", said)]


def lines(command: str, actions: list[argparse.Action], bad: argparse.Action, output: str) -> Iterator[tuple[str, ...]]:
    """Yield the command lines with a bad value in one place, and an output: for files, one for each that is written."""
    words: list[str] = []
    for action in actions:
        positional = not action.option_strings
        if action is bad or (bad.dest != "rule" if positional else action.required):
            name = str(action.metavar)
            value = "{bad}" if action is bad else WORDS[f"{command} {name}" if name == "NAME" else name]
            words += [*action.option_strings[:1], *value.split(" ")]
            words += ["sc"] if action.nargs == 2 else []
    base = (command, *words, *(("--context", "0") if bad.dest == "rule" else EXTRA.get(command, ())))
    into = [action for action in actions if writes(action)]
    if output in ("stdout", "closed") or not into:
        yield base
    for action in into if output in ("file", "full", "read-only") else ():
        folder = action.metavar == "DIR"
        where = {"file": "out/kept", "full": "/dev/full", "read-only": "locked/kept"}[output] + "/" * folder
        yield (*base, action.option_strings[0], where)


def covering(all_cases: Iterable[Case]) -> Iterator[Case]:
    """Yield cases such that every pair of a command, a fault, an output and a place is in one that could be."""
    seen: set[tuple[str, ...]] = set()
    for case in sorted(all_cases, key=lambda case: hashlib.sha256(case.name.encode()).digest()):
        parts = (case.command, case.fault, case.output, f"{case.command} {case.slot}")
        pairs = {*combinations(parts[:3], 2), (*parts[3:],)}
        if not pairs <= seen:
            seen |= pairs
            yield case


# ---------------------------------------------------------------- one case


def content(fault: str, text: str) -> bytes:
    """Return what a file with a fault holds, of a text that has none."""
    good = text.encode()
    comment = b"(* " + b"x" * 60 + b" *)\n" if text is GOOD[".cat"] else b"; " + b"x" * 60 + b"\n"
    made = {
        "empty": b"", "binary": bytes(range(256)) * 8, "nul": good[:20] + b"\0" + good[20:],
        "bom": b"\xef\xbb\xbf" + good,
        "crlf": good.replace(b"\n", b"\r\n"), "large": good + comment * (LARGE // len(comment)),
        "garbage": b"foo bar baz\n" * 1000,
    }  # fmt: skip
    return made.get(fault, good)


@contextmanager
def folder(path: Path) -> Iterator[None]:
    """Make a directory for cases, and work in it."""
    before = Path.cwd()
    path.mkdir()
    path.chmod(0o755)
    (path / "good.litmus").write_text(TEST, encoding="utf-8")
    (path / "kernel.litmus").write_text(KERNEL, encoding="utf-8")
    (path / "good.ll").write_text(GOOD[".ll"], encoding="utf-8")
    for name in ("out", "locked"):
        (path / name / "kept").mkdir(parents=True) if name == "locked" else (path / name).mkdir()
        (path / name / "mine").write_text("mine", encoding="utf-8")
    (path / "locked" / "kept").chmod(0o555)
    (path / "locked").chmod(0o555)
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)
        shutil.rmtree(path, ignore_errors=True)


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("process", ctypes.c_int))


class _Capabilities(ctypes.Structure):
    """Two of these are 64 capabilities (`man 2 capset`)."""

    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


VERSION_3, OVERRIDE = 0x20080522, 0b110
"""The form of capset's argument; CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, by which root may do anything to files."""


@contextmanager
def somebody() -> Iterator[None]:
    """Be a user whom the system keeps from something, if we are the one whom it lets do anything.

    What is ours stays ours, so that sources that only root may read are read.
    """
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, had = _Header(VERSION_3, 0), (_Capabilities * 2)()
    assert libc.capget(ctypes.byref(header), had) == 0, os.strerror(ctypes.get_errno())
    less = type(had).from_buffer_copy(had)
    less[0].effective &= ~OVERRIDE
    assert libc.capset(ctypes.byref(header), less) == 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        assert libc.capset(ctypes.byref(header), had) == 0, os.strerror(ctypes.get_errno())


def end(case: Case) -> str:
    """Run a case in the directory that `folder` made; return what is wrong with how it ends, or nothing."""
    bad = Path(f"bad{case.suffix}")
    text = KERNEL if case.slot == "path" and case.command in ON_KERNELS else GOOD[case.suffix]
    if case.fault == "directory":
        bad.mkdir()
    elif case.fault != "missing":
        bad.write_bytes(content(case.fault, text))
        bad.chmod(0 if case.fault == "unreadable" else 0o644)
    before = contents()
    try:
        code, out, said, problem = ended(case, str(bad))
        after = contents()
    finally:
        bad.rmdir() if case.fault == "directory" else bad.unlink(missing_ok=True)
        clean()
    changed = [name for name in before if after.get(name) != before[name]]
    checks = {
        problem: bool(problem),
        f"exit code {code}": code not in (0, 1, 2, 3),
        "no message": code == 2 and not said and not out,
        "a traceback or an internal error": "Traceback" in said or "internal error" in said,
        f"changed: {', '.join(changed)}": bool(changed),
        f"exit code {code} though the input is no good": code != 2 and case.fault in ("unreadable", "missing", "binary")
        and case.slot in ("path", "paths", "test", "--asm"),
        f"exit code {code} though the output cannot be written": code == 0 and case.output in ("full", "closed")
        and "/dev/full" not in case.arguments and bool(out),
    }  # fmt: skip
    return "; ".join(text for text, wrong in checks.items() if wrong)


def clean() -> None:
    """Remove what a case has written."""
    for made in ("out/kept", "new"):
        shutil.rmtree(made, ignore_errors=True)
    with suppress(OSError):
        os.unlink("out/kept")


def ended(case: Case, bad: str) -> tuple[int | str, str, str, str]:
    """Return the exit code of a case, what it printed on both streams, and the exception that left it."""
    out, err = io.StringIO(), io.StringIO()
    with open("/dev/full", "w", encoding="utf-8") as full, redirect_stderr(err):
        before = sys.stdout
        sys.stdout = {"full": full, "closed": None}.get(case.output, out)
        try:
            with somebody() if case.fault == "unreadable" or case.output == "read-only" else nullcontext():
                code: int | str = main([word.replace("{bad}", bad) for word in case.arguments])
        except SystemExit as left:
            code = left.code or 0
        except BaseException as error:
            return "none", out.getvalue(), err.getvalue(), f"{type(error).__name__}: {error}"
        finally:
            sys.stdout = before
            with suppress(OSError):
                full.close()
    return code, out.getvalue(), err.getvalue(), ""


def contents() -> Mapping[str, bytes | None]:
    """Return what the files in this directory hold; of large ones how long they are."""
    found: dict[str, bytes | None] = {}
    for path in sorted(Path().rglob("*")):
        if path.is_file() and "kept" not in path.parts[1:2]:
            size = path.stat().st_size
            found[str(path)] = path.read_bytes() if size < 100_000 else str(size).encode()
    return found
