"""`python -m tests.long.explanations`: explanations of the corpus and of random tests under llvm and amdgpu, checked.

Of every test of the corpus the condition is explained, of a random test its condition and an outcome with undef. What
is held: the answer is the verdict's, a witness replays, a core is minimal, and each sentence is true: what it says
holds, and what it says of other annotations is so when the program is annotated so, which alters outcomes. The classic
tests are explained under more models: the rules that are named exclude an outcome alone, a cycle that is there is named
for it, and a race has its pair. A condition that is moved one store downstream loses no reason. A failure prints the
test and the sentence.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from random import Random

from axmem.check.results import outcomes
from axmem.explanations.explanation import ExplainedAnswer, explain
from axmem.formats.reading import parse_file
from axmem.model.library import load
from tests.differential.programs import drawn
from tests.explanations.claims import false_sentences, idle_changes
from tests.explanations.downstream import lost
from tests.explanations.explaining import problems
from tests.explanations.forbidden import alone, unasked, unpaired
from tests.paths import CORPUS, CORPUS_TESTS
from tests.spread import ended, spread

MODELS = ("llvm", "amdgpu")
FAMILY = ("llvm", "amdgpu", "rc11", "opencl", "vulkan", "sc", "tso", "aarch64")
"""The models that explain the classic tests."""
CLASSIC = [(path, model) for path in sorted((CORPUS / "classic").glob("*.litmus")) for model in FAMILY]
"""The classic tests with each of these models."""


def main(arguments: list[str] | None = None) -> int:
    """Check; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.long.explanations", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--random", type=int, default=1000, help="random tests (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="the first random test (default 0)")
    options = parser.parse_args(arguments)
    paths = CORPUS_TESTS
    failed = 0
    for path, found in zip(paths, spread(checked, paths, options.jobs), strict=True):
        failed += bool(found)
        for problem in found:
            print(f"{path.relative_to(CORPUS)}: {problem}", flush=True)
    for (path, _), found in zip(CLASSIC, spread(classic_checked, CLASSIC, options.jobs), strict=True):
        failed += bool(found)
        for problem in found:
            print(f"{path.relative_to(CORPUS)}: {problem}", flush=True)
    seeds = range(options.seed, options.seed + options.random)
    for seed, found in zip(seeds, spread(random_checked, seeds, options.jobs), strict=True):
        failed += bool(found)
        for problem in found:
            print(f"random test {seed}: {problem}", flush=True)
    print(f"{len(paths) + len(CLASSIC) + len(seeds) - failed} passed, {failed} failed")
    return 1 if failed else 0


def checked(path: Path) -> list[str]:
    """Return what is wrong with the explanations of a test."""
    test, found = parse_file(path), []
    for model in MODELS:
        idle = idle_changes(test, explain(test, model, repairs=False))
        found += [f"{model}: {problem}" for problem in (*problems(test, model), *lost(test, model), *idle)]
    return found


def classic_checked(asked: tuple[Path, str]) -> list[str]:
    """Return what is wrong with why a model allows or forbids the condition of a classic test."""
    path, name = asked
    test, model = parse_file(path), load(name)
    found = explain(test, model, repairs=False)
    problems = [*unpaired(test, model, found)]
    if found.exhibit is not None and found.sections:
        problems += false_sentences(test, found)
    if found.answer is ExplainedAnswer.FORBIDDEN:
        problems += [*unasked(found), *alone(test, model, found)]
    return [f"{name}: {problem}" for problem in problems]


def random_checked(seed: int) -> list[str]:
    """Return what explanations of a random test say that is not so."""
    test, rng = drawn(seed).test, Random(seed)
    found = []
    for model in MODELS:
        undef = [state for state in outcomes(test, model).states() if "undef" in state]
        questions = [None, *([" /\\ ".join(rng.choice(undef).split())] if undef else [])]
        for question in questions:
            explained = explain(test, model, outcome=question)
            if explained.exhibit is not None:
                found += [f"{model}, {question or 'its condition'}: {p}" for p in false_sentences(test, explained)]
    return found


if __name__ == "__main__":
    sys.exit(ended(main))
