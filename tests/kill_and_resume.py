"""`python -m tests.kill_and_resume`: kill a run again and again; its results are those of a run that nobody disturbs.

What goes in: how many tests, kills and workers. What comes out: exit code 0 if after the last kill the run directory
answers as one that was never disturbed, byte for byte but for what the answers cost, and no answer was worked out
twice; else 1, with what differs.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from tests.long.suite import many_tests
from tests.paths import ROOT

MODELS = ("llvm", "amdgpu")
PATIENCE = 7200.0


def main(arguments: list[str] | None = None) -> int:
    """Kill and compare; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.kill_and_resume", description=__doc__)
    parser.add_argument("--tests", type=int, default=400, help="tests in the suite (default 400)")
    parser.add_argument("--kills", type=int, default=25, help="how often to kill the run (default 25)")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes (default 2)")
    parser.add_argument("--seed", type=int, default=1, help="of the points at which it is killed (default 1)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        found = list(differences(Path(folder), options.tests, options.kills, options.jobs, options.seed))
    for line in found:
        print(line)
    print(f"{options.tests} tests, {options.kills} kills, {len(found)} differences")
    return 1 if found else 0


def differences(folder: Path, tests: int, kills: int, jobs: int, seed: int) -> Iterator[str]:
    """Yield what differs between an undisturbed run and one that was killed and resumed."""
    suite = folder / "suite"
    suite.mkdir()
    for index, generated in enumerate(islice(many_tests(), tests)):
        (suite / f"{index:05}.litmus").write_text(generated.text, encoding="utf-8")
    whole, broken = folder / "whole", folder / "broken"
    assert finished(started(suite, whole, jobs)) in (0, 1)
    yield from killed_again_and_again(suite, broken, kills, jobs, random.Random(seed), len(answers(whole)))
    before = stamps(broken)
    assert finished(started(suite, broken, jobs)) in (0, 1)
    yield from changed(before, stamps(broken))
    if (whole / "results.jsonl").read_bytes() != (broken / "results.jsonl").read_bytes():
        yield "results.jsonl differs"
    one, other = answers(whole), answers(broken)
    yield from (f"{name} is in one directory only" for name in sorted(one.keys() ^ other.keys()))
    yield from (f"{name} differs" for name in sorted(one.keys() & other.keys()) if one[name] != other[name])
    yield from (f"{path} was left" for path in (broken / "parts").iterdir())


def killed_again_and_again(
    suite: Path, directory: Path, kills: int, jobs: int, chance: random.Random, total: int
) -> Iterator[str]:
    """Kill the run at random points, some before anything is answered; yield what was worked out twice."""
    before: dict[str, tuple[int, int]] = {}
    for left in range(kills, 0, -1):
        process = started(suite, directory, jobs)
        wanted = len(before) + chance.randint(0, max(0, total - len(before)) // left)
        until = time.monotonic() + (chance.uniform(0, 0.6) if wanted == len(before) else PATIENCE)
        while process.poll() is None and time.monotonic() < until:
            if wanted > len(before) and len(stamps(directory)) >= wanted:
                break
            time.sleep(chance.uniform(0, 0.01))
        process.kill()
        process.wait()
        after = stamps(directory)
        yield from changed(before, after)
        before = after


def started(suite: Path, directory: Path, jobs: int) -> subprocess.Popen[bytes]:
    """Begin a run, or go on with it."""
    models = [part for model in MODELS for part in ("--model", model)]
    command = [sys.executable, "-m", "axmem", "run", str(suite), *models, "--run", str(directory), "-j", str(jobs)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def finished(process: subprocess.Popen[bytes]) -> int:
    """Wait for a run to end; return its exit code."""
    return process.wait(timeout=PATIENCE)


def stamps(directory: Path) -> dict[str, tuple[int, int]]:
    """Return which file each answer is and when it was written; a file that is replaced is another."""
    found = {}
    for path in directory.glob("answers/*/*.json"):
        about = path.stat()
        found[path.name] = (about.st_ino, about.st_mtime_ns)
    return found


def changed(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> Iterator[str]:
    """Yield a line for each answer that was worked out again, or lost."""
    return (f"{name} was written again" for name, stamp in before.items() if after.get(name) != stamp)


def answers(directory: Path) -> dict[str, dict[str, Any]]:
    """Return the answers of a directory by file, without what they cost."""
    found = {}
    for path in directory.glob("answers/*/*.json"):
        found[path.name] = json.loads(path.read_bytes())["entry"]["answer"]
        del found[path.name]["work"]
    return found


if __name__ == "__main__":
    sys.exit(main())
