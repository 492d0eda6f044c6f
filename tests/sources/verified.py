"""`python -m tests.sources.verified`: what `axmem verify` answers of sources as clang compiles them, for five targets.

What goes in: the sources of this folder, each as it is right, levels of clang's optimisation, a limit of CPU seconds.
What comes out: an answer for each source, target and level, kept in build/sources, so that a run of the same program
with the same limit goes on where another was interrupted; with `--results` a page of them, results/sources.md. The
seconds are those of one process without its start, clang's among them. Without `--results` the exit code is 1 if a
right source is called unsound, or is said not to end where nobody expects that.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from axmem.check.run.fingerprint import digest_of, program_digest
from axmem.codegen.targets import REPAIRED
from axmem.formats.forms import LANGUAGES
from axmem.formats.sources import found_clang
from axmem.front.garbage import collect_rarely
from axmem.front.settings import CLANG
from axmem.front.source import InputError
from axmem.mapping.built import is_program, profile_of_clang
from axmem.mapping.cases import VerificationCase
from axmem.report.verification import answer
from tests.paths import RESULTS, ROOT
from tests.sources.trial import SOURCES, forms

TARGETS = ("gfx90a", "gfx942", "gfx1100", "gfx1200", "gfx1250")
LEVELS = {"2": TARGETS, "0": ("gfx942", "gfx1200")}
"""Levels of clang's optimisation, with the targets that are asked about at each."""
SECONDS = 60
KEPT = ROOT / "build" / "sources"
ANSWERS = ("sound", "unsound", "does not end")
"""How verdicts begin that are answers."""
SHARE = 0.9
REFUSED, LATE = "refused", "no answer"
KNOWN = ", known"
"""How a verdict ends that a fault of LLVM explains which has a page."""


class Verified(NamedTuple):
    """What was said of a source: the verdict, why it is none, CPU seconds."""

    source: str
    target: str
    level: str
    verdict: str
    why: str
    seconds: float

    @property
    def answered(self) -> bool:
        """Whether it is an answer; that an access is outside every location is one, too."""
        return self.verdict.startswith(ANSWERS) or (self.verdict == REFUSED and "outside every location" in self.why)

    @property
    def text(self) -> str:
        """The verdict with its time, and whether it is not known what it rests on."""
        open_ = self.why and self.verdict.startswith(ANSWERS) and not self.verdict.endswith(KNOWN)
        return f"{self.verdict}, {self.seconds} s{'*' if open_ else ''}"


def case(path: Path, target: str, seconds: float | None = None) -> VerificationCase:
    """Return what `axmem verify` asks of a source; `seconds` are those of a processor."""
    name, text = str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    profile = profile_of_clang() if is_program(name, text, "") else REPAIRED
    return VerificationCase(
        name=name, text=text, target=target, mode="", profile=profile, model="amdgpu", placement="all", switches=(),
        divergent=False, format="text", limit=2_000_000, seconds=seconds,
    )  # fmt: skip


def asked(path: Path, target: str, level: str, seconds: int) -> Verified:
    """Ask in a process of its own, which may take so many CPU seconds; the last tenth of them is for saying so.

    The system ends it after twice as many, which it counts by its clock's ticks: up to a fifth more than were worked.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (2 * seconds, 2 * seconds + 1))
        os.environ[CLANG] = f"{found_clang()} -O{level}"
        os.write(writing, json.dumps(_said(path, target, SHARE * seconds)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, _, used = os.wait4(child, 0)
    taken = used.ru_utime + used.ru_stime
    verdict, why = json.loads(text) if text and taken <= seconds else (LATE, f"in {seconds} s")
    return Verified(path.name, target, level, verdict, why, round(taken, 1))


def _said(path: Path, target: str, seconds: float | None = None) -> tuple[str, str]:
    """Return the verdict of a source, and why it is none."""
    try:
        said = answer(case(path, target, seconds))
    except InputError as error:
        return REFUSED, error.diagnostics[0].message
    if said.pages:
        return f"{said.word}{KNOWN}", ", ".join(said.pages)
    why = next((line.strip() for line in said.text.splitlines() if "incomplete: " in line), "")
    return said.word, why.removeprefix("incomplete: ")


def place(paths: Sequence[Path], seconds: int) -> Path:
    """Return where answers are kept, by what they depend on: the program, the sources, clang and the limit."""
    texts = [each.read_text(encoding="utf-8") for each in paths]
    digest = digest_of(
        "\n".join((program_digest("axmem.codegen", "axmem.mapping"), str(found_clang()), *map(digest_of, texts)))
    )
    return KEPT / f"verified-{digest[:12]}-{seconds}.jsonl"


def kept(path: Path) -> Iterator[Verified]:
    """Yield the answers that are kept."""
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        yield Verified(*json.loads(line))


def alarm(each: Verified) -> bool:
    """Say whether something is said to be wrong with a source that is right, at its level."""
    waits = (f.path.name for f in forms() if not f.form and each.level in f.levels and "goes on for ever" in f.words)
    if each.verdict.endswith(KNOWN):
        return False
    return each.verdict.startswith("unsound") or (each.verdict.startswith("does not end") and each.source not in waits)


def page(found: Sequence[Verified], seconds: int) -> str:
    """Return the page."""
    levels = " and ".join(dict.fromkeys(f"-O{each.level}" for each in found))
    lines = [
        "<!-- Generated by `make verified-sources`; change `tests/sources/`, not this page. -->",
        "# Sources, verified as clang compiles them", "",
        "What `axmem verify SOURCE --target T` answers of the sources in `tests/sources`, HIP, OpenCL, C and C++ after",
        f"published algorithms, each as it is right, by clang at {levels}. {seconds} CPU seconds are the limit of an",
        "answer. One that names an access outside every location is an answer: the source has it. So is `does not end`",
        "where lanes of a wave wait for each other, as `axmem check` says; elsewhere it is a false alarm, as `unsound`",
        "is. What is `known` is a fault of LLVM that has a page. Of those that end with `*` time or states were",
        "over before it was known which switches they rest on.", "",
        "| Level | Target | Sources | Answered | Share | Median CPU s | Longest | False alarms |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]  # fmt: skip
    for level in dict.fromkeys(each.level for each in found):
        for target in TARGETS:
            some = [each for each in found if (each.level, each.target) == (level, target)]
            if not some:
                continue
            good = [each for each in some if each.answered]
            unsound = sum(map(alarm, some))
            times = sorted(each.seconds for each in some)
            lines.append(
                f"| -O{level} | {target} | {len(some)} | {len(good)} | {100 * len(good) // len(some)} % "
                f"| {median(times):.1f} | {times[-1]:.1f} | {unsound} |"
            )
    for level in dict.fromkeys(each.level for each in found):
        lines += _table([each for each in found if each.level == level], level)
    lines += ["", "## Why there is no answer", "", "| Answers | Reason |", "| ---: | --- |"]
    reasons = Counter(_reason(each) for each in found if not each.answered)
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    lines += (f"| {count} | {reason} |" for reason, count in ordered)
    return "\n".join([*lines, ""])


def _reason(each: Verified) -> str:
    """Return why there is no answer, without the places in code that differ from source to source."""
    why = " ".join("…" if ":" in word and word[-1].isdecimal() else word for word in each.why.split())
    if " is followed for " in why or "goes on beyond" in why:
        why = "a loop goes on beyond its bound of iterations"
    return f"{each.verdict}: {why}"


def _table(found: Sequence[Verified], level: str) -> Iterator[str]:
    targets = [target for target in TARGETS if any(each.target == target for each in found)]
    yield from ("", f"## -O{level}", "", f"| Source | {' | '.join(targets)} |", f"| --- |{' --- |' * len(targets)}")
    for source in dict.fromkeys(each.source for each in found):
        said = {each.target: each.text for each in found if each.source == source}
        yield f"| {source} | {' | '.join(said.get(target, '') for target in targets)} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--levels", default="".join(LEVELS), help="of clang's optimisation: 20")
    parser.add_argument("--targets", help="instead of those of a level")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="of CPU time for each")
    parser.add_argument("--results", action="store_true", help="write results/sources.md")
    given = parser.parse_args(arguments)
    collect_rarely()  # as the command does
    paths = sorted(each for each in SOURCES.iterdir() if each.suffix in LANGUAGES)
    answers = place(paths, given.seconds)
    answers.parent.mkdir(parents=True, exist_ok=True)
    known = {each[:3]: each for each in kept(answers)}
    _said(paths[0], TARGETS[0])  # loads what every child has
    found = []
    for level in given.levels:
        for target in given.targets.split(",") if given.targets else LEVELS.get(level, TARGETS):
            for path in paths:
                each = known.get((path.name, target, level))
                if each is None:
                    each = asked(path, target, level, given.seconds)
                    with answers.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(each) + "\n")
                    print(f"-O{level} {target} {path.name}: {each.verdict} {each.seconds} s  {each.why}", flush=True)
                found.append(each)
    if given.results:
        (RESULTS / "sources.md").write_text(page(found, given.seconds), encoding="utf-8")
        answers.unlink()
        return 0
    return int(any(map(alarm, found)))


if __name__ == "__main__":
    sys.exit(main())
