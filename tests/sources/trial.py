"""Every source in every form at levels of clang's optimisation: what `axmem check` says, and what was expected.

`python -m tests.sources.trial --levels 02 NAME...` prints a line for each answer that is not right, and one for each
level. The lines `// expect FORM: CODE WORDS`, or `// expect FORM at -O12: …`, of a source say what is expected with
`-DBROKEN=FORM`: the exit code, and words of the answer; behind them may stand `(open: why)` where the answer is not
known yet. The exit code is 1 if an answer is wrong.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from axmem.formats.forms import LANGUAGES
from axmem.formats.sources import found_clang
from axmem.front.exits import OK, UNKNOWN
from axmem.front.records import dataclass
from axmem.front.settings import CLANG
from axmem.front.typing import override

SOURCES = Path(__file__).parent
EXPECTED = re.compile(
    r"^// expect (?P<form>\d)(?: at -O(?P<levels>\d+))?: (?P<code>\d) (?P<words>.+?)(?: \(open: (?P<open>.+)\))?$",
    re.MULTILINE,
)
LONGEST = 60
"""Seconds of a processor that an answer may take."""
LEVELS = "0123"


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a source, and what is expected of it."""

    path: Path
    form: int
    code: int
    words: str
    levels: str
    open: str = ""
    """Why an answer is not expected yet."""

    @override
    def __str__(self) -> str:
        return f"{self.path.name}:{self.form}"


@dataclass(frozen=True, slots=True)
class Answered:
    """What was said of a form: `kind` is right, wrong, refused or unknown, `why` the reason or the answer.

    `seconds` are those of a processor.
    """

    kind: str
    why: str
    seconds: float


def forms() -> Iterator[Form]:
    """Yield every form of every source."""
    for path in sorted(each for each in SOURCES.iterdir() if each.suffix in LANGUAGES):
        for match in EXPECTED.finditer(path.read_text(encoding="utf-8")):
            levels = match["levels"] or LEVELS
            yield Form(path, int(match["form"]), int(match["code"]), match["words"], levels, match["open"] or "")


def options(form: Form, level: str) -> str:
    """Return what the environment says of the clang that compiles a form."""
    return f"{found_clang()} -O{level} -DBROKEN={form.form}"


def asked(form: Form, level: str) -> Answered:
    """Return what `axmem check` says of a form."""
    began = _seconds()
    command = [sys.executable, "-m", "axmem", "check", str(form.path)]
    environment = os.environ | {CLANG: options(form, level)}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=6 * LONGEST
        )
    except subprocess.TimeoutExpired:
        return Answered("unknown", f"no answer in {6 * LONGEST} s", _seconds() - began)
    seconds = _seconds() - began
    said = [line.strip() for line in done.stdout.splitlines() if line.startswith("  ")]
    if done.returncode == form.code and form.words in done.stdout:
        return Answered("right", "", seconds)
    if done.returncode in (OK, 1):
        return Answered("wrong", "; ".join(said[:4]), seconds)
    if done.returncode == UNKNOWN:
        return Answered("unknown", next((line for line in said if "none ruled out" in line), said[-1]), seconds)
    return Answered("refused", next((e for e in done.stderr.splitlines() if "error" in e), done.stderr[:200]), seconds)


def _seconds() -> float:
    """Return how long a processor has worked for the programs that were asked."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of NAME:FORM; all without one")
    parser.add_argument("--levels", default=LEVELS, help="of clang's optimisation: 02")
    given = parser.parse_args(arguments)
    chosen = [form for form in forms() if not given.names or any(name in str(form) for name in given.names)]
    wrong = False
    for level in given.levels:
        found = []
        for form in (each for each in chosen if level in each.levels):
            answered = asked(form, level)
            found.append(answered)
            if answered.kind != "right" or answered.seconds > LONGEST / 4:
                print(f"-O{level} {form} {answered.kind} {answered.seconds:.1f} s  {answered.why}", flush=True)
        counts = Counter(each.kind for each in found)
        shown = ", ".join(f"{counts[kind]} {kind}" for kind in ("right", "wrong", "unknown", "refused"))
        longest = max(each.seconds for each in found)
        print(f"-O{level}: {len(found)} forms, {shown}; {sum(e.seconds for e in found):.0f} s, longest {longest:.1f} s")
        wrong |= bool(counts["wrong"])
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
