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
    """A verdict, the operations of the contexts of which it was asked, in seconds; `said` is the first line.

    `proved`: it is said of contexts of any size.
    """

    verdict: str
    context: int
    seconds: float
    said: str
    proved: bool = False

    @property
    def words(self) -> str:
        """What is answered: that a change is proved or refuted, or that no context of so many operations refutes it."""
        if self.verdict == SOUND:
            return "proved" if self.proved else f"bounded: {self.context}"
        return "refuted" if self.verdict == UNSOUND else self.verdict


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
        verdict, said, proved = _asked(path, model, context, limit)
    return Answer(verdict, context, _spent() - begun, said, proved)


def _spent() -> float:
    """Return the seconds of a processor that processes begun here have taken, whatever else the machine does."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _asked(path: Path, model: str, context: int, limit: float) -> tuple[str, str, bool]:
    """Return what the command says of the functions of a file, and whether of contexts of any size.

    It divides its limit among what it asks; twice that ends it.
    """
    limited = ["prlimit", f"--cpu={math.ceil(2 * limit)}", sys.executable, "-m", "axmem", "refine", str(path)]
    options = ["--model", model, "--context", str(context), "--timeout", str(limit), "--format", "json"]
    ran = subprocess.run([*limited, *options], capture_output=True, text=True, check=False)
    if ran.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
        return UNKNOWN, "limit", False
    if ran.returncode not in VERDICTS:
        return CRASHED, (ran.stderr.strip().splitlines() or [""])[-1], False
    if ran.returncode == 2:
        return REFUSED, next(iter(ran.stderr.splitlines()), ""), False
    found = json.loads(ran.stdout)["refinements"][0]
    said = "; ".join((found["how"], *found["without"], *found["reasons"]))
    verdict = SOUND if found["verdict"] in HELD else VERDICTS[ran.returncode]
    if verdict == SOUND and found["context"] is not None and found["context"] < context:
        return UNKNOWN, f"no counterexample in contexts of up to {found['context']}: {said}", False
    undecided = verdict == UNKNOWN and "not decided here" in said
    return SEQUENTIAL if undecided else verdict, said, found["context"] is None


def asked(pair: Pair, limit: float) -> tuple[Answer, ...]:
    """Return what is answered of a pair under each of `MODELS`."""
    return tuple(judge(pair, model, limit) for model in MODELS)
