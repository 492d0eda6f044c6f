"""`python -m tests.long.fuzzing`: damaged files of every kind that is read, and random options, for as long as is said.

What goes in: how many minutes, and a seed. What comes out: a line with the numbers, and each case that ends badly; exit
1 if there is one. A case is a command line of `tests.faults` with further options drawn from the parser, whose one file
is a test, a model, a rule, a proof, a module or assembly of this repository with some damage, or whose one value is a
random word. It ends badly if an exception leaves the command, its exit code is not documented, an error has no message
or is internal, or a limit of time is overrun by more than a second, of the processor's time, so that a busy machine
decides nothing. What takes long without a limit is cut off and counted.

Cases run one after the other in a process of its own: one that dies or hangs is a case that ends badly, and another
process goes on behind it. A case is told by the seed and its number: `--case N` runs it alone, and shows it.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from types import TracebackType

from axmem.cli import build_parser
from axmem.front import clock
from tests.assembly.record import read
from tests.faults import Case, cases, clean, contents, ended, folder, writes
from tests.paths import ROOT

LIMIT, LATE = 1.0, 1.0
"""The seconds of `--timeout`, and by how many of the processor's a block may overrun its limit."""
CUT = 20.0
"""After so many seconds a case without a limit is cut off."""
HANGS = 180.0
"""After so many seconds without an end a case is said to hang."""
MEMORY = 8 << 30
PLACES = {
    ".litmus": ("litmus", "tests/formats", "tests/malformed/litmus", "docs/findings", "tests/assembly"),
    ".cat": ("model", "tests/models", "tests/malformed/cat"),
    ".rule": ("litmus", "docs"),
    ".proof": ("axmem/refinement/proofs",),
    ".ll": ("litmus", "tests/ir", "docs", "tests/malformed/llvm-ir"),
}
"""Where files of each kind are. Assembly is that of the record of `tests/assembly`."""
ENDINGS = {".litmus": (".litmus", ".test")}
READING = {
    ".litmus": (
        "run {bad}", "run {bad} --model amdgpu", "run {bad} --model sc --oracle", "check {bad}", "fmt {bad}",
        "explain {bad} --model amdgpu", "graph {bad} --model llvm", "trace {bad}", "table {bad} --outcomes",
        "compare {bad} --models llvm,amdgpu", "convert {bad}", "convert {bad} --to herd-c",
        "lower {bad} --target gfx1200",
        "verify {bad} --target gfx942", "verify {bad} --target gfx1250", "repair {bad}", "refine {bad} good.litmus",
        "refine {bad} {bad}", "run {bad} --model vulkan", "run {bad} --model ptx",
    ),
    "kernel": (
        "conv {bad}", "uniform {bad}", "uniform {bad} --loads", "progress {bad}", "progress {bad} --model wave",
        "loopmd {bad}", "transform {bad} --apply unroll(h,2)", "run {bad} --model amdgpu", "explain {bad} --model llvm",
        "fmt {bad}", "convert {bad}", "progress {bad} --memory llvm",
    ),
    ".cat": ("check {bad}", "models {bad}", "run good.litmus --model {bad}", "explain good.litmus --model {bad}",
             "diff sc {bad} --events 2", "run good.litmus --model {bad} --cat-dialect herd"),
    ".rule": ("refine --rule {bad} --context 0", "refine --rule {bad} --context 1"),
    ".proof": ("prove {bad}", "prove {bad} --list"),
    ".ll": ("run {bad}", "run {bad} --model amdgpu", "check {bad}", "explain {bad}", "extract {bad}", "table {bad}"),
}  # fmt: skip
"""The command lines to which a file of a kind is given, besides those of `tests.faults`."""
NUMBERS = ("0", "1", "-1", "2", "3", "07", "255", "4294967295", "18446744073709551616", "1e9", "0x10", "")
WORDS = ("llvm", "sc", "x", "y", "P0", "r0", "@corpus", "@examples/MP", "gfx942", "gfx9", "a,b", "=", ",", "é", "%s",
         "P0:r0=1", "agent", "acquire", "h", "K", "unroll(h,2)", "h:1", "PodWW Rfe", "*", "..", "\t", "{}")  # fmt: skip
MODELS = ("sc", "llvm", "amdgpu", "sc,llvm", "model=llvm")
LEFT_OUT = ("--help", "--llc", "--scheduler", "--cluster", "--memory", "--jobs", "--suite", "--by", "--strategy",
            "--savings", "--robust", "--exhaustive")  # fmt: skip
"""Options that start other programs or workers, or are long by design."""


def main(arguments: list[str] | None = None) -> int:
    """Try cases until the time is over; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.long.fuzzing", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--case", type=int, help="run this case alone and show it")
    parser.add_argument("--until", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.case is not None:
        return alone(options.seed, options.case)
    if options.until is not None:
        return worker(options.seed, options.first, options.until)
    end, first, total, bad = time.time() + 60 * options.minutes, options.first, Counter[str](), 0
    while time.time() < end:
        command = [sys.executable, "-m", "tests.long.fuzzing", "--seed", str(options.seed), "--until", str(end)]
        reader = Reader([*command, "--first", str(first)])
        for number, ending, said in reader.lines():
            total[ending] += 1
            if ending == "bad":
                bad += 1
                print(f"case {number}: {said}", flush=True)
            first = number + 1
        if reader.died:
            total["bad"], bad = total["bad"] + 1, bad + 1
            print(f"case {first}: {reader.died}", flush=True)
            first += 1
    print(f"{sum(total.values())} cases: {', '.join(f'{n} {ending}' for ending, n in sorted(total.items()))}")
    return 1 if bad else 0


class Reader:
    """Reads what a worker says of its cases; `died` says how it ended before its time, if it did."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        self.died = ""

    def lines(self) -> Iterator[tuple[int, str, str]]:
        """Yield the number of each case, how it ended, and what is to be said of it."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            number, ending, said = line.rstrip("\n").split("\t", 2)
            yield int(number), ending, said
        if self.process.wait():
            self.died = f"the process ended with {self.process.returncode}"


def worker(seed: int, first: int, until: float) -> int:
    """Run cases until a time, and print of each its number, how it ended, and what it was if it ended badly."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal_at(HANGS)
    say = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    with tempfile.TemporaryDirectory() as directory, folder(Path(directory) / "cases"):
        for number in count(first):
            if time.time() > until:
                return 0
            signal_at(HANGS)
            case, value = drawn(seed, number)
            ending, problem = tried(case, value)
            said = f"{' '.join(case.arguments)!r} {case.suffix if is_file(case) else value!r}: {problem}"
            print(number, ending, said.replace("\n", "\\n") if ending == "bad" else "", sep="\t", file=say)
    return 0


def signal_at(seconds: float) -> None:
    """Have this process ended by the system if it does not ask for more time."""
    signal.setitimer(signal.ITIMER_REAL, seconds)


def alone(seed: int, number: int) -> int:
    """Run one case and show it."""
    case, value = drawn(seed, number)
    print(case.arguments, value, sep="\n")
    with tempfile.TemporaryDirectory() as directory, folder(Path(directory) / "cases"):
        ending, problem = tried(case, value)
    print(ending, problem)
    return 1 if ending == "bad" else 0


def is_file(case: Case) -> bool:
    """Say whether what is drawn is a file, not the value of an option."""
    return not case.slot.startswith("--") or case.suffix != ".litmus"


def tried(case: Case, value: str) -> tuple[str, str]:
    """Run a case; return how it ended, and what is wrong with that."""
    file = Path(f"bad{case.suffix}")
    if is_file(case):
        file.write_text(value, encoding="utf-8", errors="surrogateescape")
    with Overruns() as overruns:
        try:
            with clock.within(CUT):
                code, out, said, problem = ended(case, str(file) if is_file(case) else value)
        except clock.OutOfTime:
            return ("bad", "no end in time") if "--timeout" in case.arguments else ("cut off", "")
        finally:
            said_there = contents().get("out/kept")
            clean()
    if problem.startswith("OutOfTime") or overruns.cut:
        return "cut off", ""
    checks = {
        problem: bool(problem),
        f"exit code {code}": code not in (0, 1, 2, 3),
        "no message": code == 2 and not said and not out and not said_there,
        f"a traceback or an internal error: {said[-1500:]}": "Traceback" in said or "internal error" in said,
        f"late by {overruns.most:.1f} s": overruns.most > LATE,
    }
    wrong = "; ".join(text for text, is_wrong in checks.items() if is_wrong)
    return ("bad", wrong) if wrong else (f"exit {code}", "")


class Overruns:
    """By how much of the processor's time blocks overrun their own limits, while this is entered."""

    def __init__(self) -> None:
        self.most = 0.0
        self.cut = False
        self._began: dict[int, float] = {}

    def __enter__(self) -> Overruns:
        enter, leave = clock.within.__enter__, clock.within.__exit__
        self._before = enter, leave

        def entered(block: clock.within) -> None:
            self._began[id(block)] = time.process_time()
            enter(block)

        def left(
            block: clock.within, kind: type[BaseException] | None, error: BaseException | None,
            trace: TracebackType | None,
        ) -> None:  # fmt: skip
            began = self._began.pop(id(block), None)
            if began is not None and block.seconds == CUT:
                self.cut = kind is not None
            elif began is not None and block.seconds is not None:
                self.most = max(self.most, time.process_time() - began - block.seconds)
            leave(block, kind, error, trace)

        clock.within.__enter__, clock.within.__exit__ = entered, left  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        clock.within.__enter__, clock.within.__exit__ = self._before  # type: ignore[method-assign]


# ---------------------------------------------------------------- what is drawn


def drawn(seed: int, number: int) -> tuple[Case, str]:
    """Return a case, and the text of its file or the word that is its value."""
    random = Random(f"{seed} {number}")
    kind = random.choice(["word", "faults", ".s", ".s", ".litmus", ".litmus", ".litmus", "kernel", *READING])
    if kind in ("word", "faults"):
        case = random.choice(others()[kind == "word"])
        if kind == "word":
            value = random.choice([*WORDS, *NUMBERS, "".join(random.choices([*WORDS, *NUMBERS], k=3))])
        else:
            value = damaged(random, case.suffix)
        return replace(case, arguments=options(random, case)), value
    if kind == ".s":
        key = random.choice([key for key in read() if not key[1]])
        line: tuple[str, ...] = ("verify", str(ROOT / key[2]), "--target", key[0], "--asm", "{bad}")
        case = Case("verify", "--asm", line, ".s", "", "stdout")
        return replace(case, arguments=options(random, case)), damaged(random, kind, read()[key])
    line = tuple(random.choice(READING[kind]).split())
    case = Case(line[0], "path", line, ".litmus" if kind == "kernel" else kind, "", "stdout")
    return replace(case, arguments=options(random, case)), damaged(random, kind)


@cache
def others() -> tuple[list[Case], list[Case]]:
    """Return the command lines of `tests.faults` in which a file is bad, and those in which a value of an option is."""
    found: tuple[list[Case], list[Case]] = [], []
    for case in cases():
        if case.output == "stdout" and case.fault == "missing" and case.slot not in LEFT_OUT:
            found[not is_file(case)].append(case)
    return found


@cache
def actions(command: str) -> tuple[argparse.Action, ...]:
    """Return the options that may be drawn for a command."""
    parser = build_parser((command,))[1].choices[command]
    return tuple(
        action
        for action in parser._actions
        if action.option_strings and action.nargs != 2 and not set(action.option_strings) & set(LEFT_OUT)
    )


def options(random: Random, case: Case) -> tuple[str, ...]:
    """Return the command line of a case with some more options, and a limit of time if there is one."""
    words, known = list(case.arguments), actions(case.command)
    for action in random.sample(known, k=min(random.choice([0, 0, 0, 1, 1, 2, 3]), len(known))):
        name = random.choice(action.option_strings)
        if name in words or "--timeout" in action.option_strings or set(action.option_strings) & set(words):
            continue
        words.append(name)
        if action.nargs == 0:
            continue
        if action.choices:
            words.append(str(random.choice(list(action.choices))))
        elif writes(action):
            words.append("out/kept/" if action.metavar == "DIR" else "out/kept")
        else:
            words.append(random.choice(["1", "2", *NUMBERS[:5]] if action.type is not None else [*MODELS, *WORDS]))
    if any("--timeout" in action.option_strings for action in known):
        words += ["--timeout", str(LIMIT)]
    return tuple(words)


@cache
def texts(kind: str) -> tuple[str, ...]:
    """Return the texts of one kind."""
    if kind == ".s":
        return tuple(read().values())
    if kind == "kernel":
        return tuple(text for text in texts(".litmus") if "\nkernel " in text)
    endings = ENDINGS.get(kind, (kind,))
    paths = {p for place in PLACES[kind] for ending in endings for p in (ROOT / place).rglob(f"*{ending}")}
    return tuple(p.read_text(encoding="utf-8", errors="surrogateescape") for p in sorted(paths) if p.is_file())


def damaged(random: Random, kind: str, text: str | None = None) -> str:
    """Return a text of one kind with some damage, now and then none."""
    text = random.choice(texts(kind)) if text is None else text
    for _ in range(random.choice([0, 1, 1, 1, 1, 2, 2, 3, 5])):
        text = random.choice([_lines, _lines, _words, _words, _words, _numbers, _characters])(random, text, kind)
    return text


def _lines(random: Random, text: str, suffix: str) -> str:
    """Take a line out, put one in twice or from another text of the kind, or exchange two."""
    lines = text.splitlines(keepends=True) or ["\n"]
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            del lines[one]
        case 1:
            lines.insert(other, lines[one])
        case 2:
            lines[one], lines[other] = lines[other], lines[one]
        case 3:
            lines.insert(one, random.choice(random.choice(texts(suffix)).splitlines(keepends=True) or ["\n"]))
    return "".join(lines)


def _words(random: Random, text: str, suffix: str) -> str:
    """Take a word out, or put one of this text or another in its place or beside it."""
    words = re.findall(r"\w+|\s+|[^\w\s]", text) or [" "]
    others = re.findall(r"\w+|[^\w\s]", random.choice([text, random.choice(texts(suffix))])) or ["x"]
    place = random.randrange(len(words))
    new = random.choice(["", random.choice(others), f"{random.choice(others)} {words[place]}", words[place] * 2])
    return "".join([*words[:place], new, *words[place + 1 :]])


def _numbers(random: Random, text: str, _: str) -> str:
    """Put another number in the place of one."""
    found = list(re.finditer(r"\d+", text))
    if not found:
        return text
    match = random.choice(found)
    return text[: match.start()] + random.choice(NUMBERS) + text[match.end() :]


def _characters(random: Random, text: str, _: str) -> str:
    """Take some characters out, or put some in."""
    place = random.randrange(len(text) + 1)
    new = random.choice(["", "(", ")", "{", "}", '"', "\0", "é", "\u202e", "\t", ";", "(" * 2000, "-" * 2000])
    return text[:place] + new + text[place + random.randrange(4) :]


if __name__ == "__main__":
    sys.exit(main())
