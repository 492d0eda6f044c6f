"""What `axmem refine` answers of a pair.

What goes in: a pair, a model, a limit of seconds. What comes out: an `Answer`: the verdict, of which contexts it is
said, and how long it took. The command runs in a process of its own, so that a limit is one, whatever the solver does.
"""

from __future__ import annotations

import json
import math
import re
import resource
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from axmem.refinement.inclusion import HELD
from tests.refinement.known.library import MODELS, SEQUENTIAL, SOUND, UNSOUND, Pair

UNKNOWN, REFUSED, CRASHED = "unknown", "refused", "crashed"
VERDICTS = {0: SOUND, 1: UNSOUND, 2: REFUSED, 3: UNKNOWN}


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict, the operations of the contexts of which it is said, in seconds; `said` is the first line."""

    verdict: str
    context: int
    seconds: float
    said: str


def needed(pair: Pair) -> int:
    """Return how many operations a context needs: those of the one that the head has, or two."""
    if "context" not in pair.head:
        return 2
    lines = (line.strip() for line in pair.head["context"].splitlines())
    accesses = [line for line in lines if re.search(r"\b(load|store|fence|atomicrmw|cmpxchg)\b", line)]
    return len(accesses)


def judge(pair: Pair, model: str, limit: float) -> Answer:
    """Return what is answered of a pair within a limit of seconds."""
    begun, context = _spent(), needed(pair)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{pair.name}.ll"
        path.write_text(pair.text)
        verdict, said = _asked(path, model, context, limit)
    return Answer(verdict, context, _spent() - begun, said)


def _spent() -> float:
    """Return the seconds of a processor that processes begun here have taken, whatever else the machine does."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _asked(path: Path, model: str, context: int, limit: float) -> tuple[str, str]:
    """Return what the command says of the functions of a file."""
    limited = ["prlimit", f"--cpu={math.ceil(limit)}", sys.executable, "-m", "axmem", "refine", str(path)]
    options = ["--model", model, "--context", str(context), "--timeout", "3600", "--format", "json"]
    ran = subprocess.run([*limited, *options], capture_output=True, text=True, check=False)
    if ran.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
        return UNKNOWN, "limit"
    if ran.returncode not in VERDICTS:
        return CRASHED, (ran.stderr.strip().splitlines() or [""])[-1]
    if ran.returncode == 2:
        return REFUSED, next(iter(ran.stderr.splitlines()), "")
    found = json.loads(ran.stdout)["refinements"][0]
    said = "; ".join((found["how"], *found["without"], *found["reasons"]))
    verdict = SOUND if found["verdict"] in HELD else VERDICTS[ran.returncode]
    if verdict == SOUND and found["context"] is not None and found["context"] < context:
        return UNKNOWN, f"no counterexample in contexts of up to {found['context']}: {said}"
    return SEQUENTIAL if verdict == UNKNOWN and "not decided here" in said else verdict, said


def asked(pair: Pair, limit: float) -> tuple[Answer, ...]:
    """Return what is answered of a pair under each of `MODELS`."""
    return tuple(judge(pair, model, limit) for model in MODELS)
