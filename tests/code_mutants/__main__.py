"""`python -m tests.code_mutants`: 60 mutants of central modules, each against the tests of its room.

What comes out: `results/code-mutants.md` with `--results`, else its table: each mutant, and whether a test failed. Exit
code 1 if fewer than 55 of 60 are killed, or one survives that `EXPLAINED` has no reason for. What was tried is kept in
`build/code-mutants`; an interrupt ends the run with the table of what was found.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from hashlib import sha256
from pathlib import Path

from tests.code_mutants.laboratory import KILLED, ROOMS, SURVIVED, CodeMutant, Laboratory, mutants
from tests.paths import RESULTS, ROOT
from tests.spread import ended

COUNT, SHARE, SEED = 60, 55 / 60, 1
KEPT = ROOT / "build" / "code-mutants"
EXPLAINED: dict[tuple[str, str], str] = {
    ("codegen/assembly/scoreboard.py", "if request is None or one.line == CALLER:"):
        "an access without a result writes no register, and of what a line reads this is not asked",
    ("codegen/machine/replays.py", "for later in row[op.number - 1 :] if left else ():"):
        "what is asked before the operation too is what its mask was made of, and so changes nothing; "
        "the first operation has an empty one",
    ("axmem/refinement/bounded/inclusion.py", "-truth_of(follower.literals, a) for a in old.axioms if not a.flag"):
        "an axiom that is proved to follow is broken by no execution, so to ask for it costs time alone",
    ("events/values.py", "if masks and len(masks) == len(known[0]) and all(m.bit_count() <= 5 for m in masks):"):
        "from how many bits on a mask bounds nothing decides no answer, but how many values are listed",
    ("events/values.py", "if len(tuples) > 257:"):
        "from how many values on a set is given up decides no answer, but how long it takes",
    ("events/values.py", "if not one < found:"):
        "of equal sets the one or the other is returned",
}  # fmt: skip
"""Why no test can tell: by module and by the line as it is with the change."""
HEAD = """\
# Mutants of the program

Central modules are changed in one place: a comparison turned round, a clause or a negation dropped, a mask or a number
off by one. The tests of the room are to notice it. `make code-mutants` writes this page.
"""


def main(arguments: list[str] | None = None) -> int:
    """Try mutants, write the table, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", action="store_true", help="write results/code-mutants.md")
    options = parser.parse_args(arguments)
    chosen = mutants(options.count, options.seed)
    found = recalled(chosen)
    interrupt: KeyboardInterrupt | None = None
    try:
        tried(chosen, found, options.jobs)
    except KeyboardInterrupt as interrupted:
        interrupt = interrupted
    text = page(chosen, found)
    if options.results and interrupt is None:
        (RESULTS / "code-mutants.md").write_text(text, encoding="utf-8")
    print(text, end="")
    if interrupt is not None:
        raise interrupt
    return judged(chosen, found)


def tried(chosen: Sequence[CodeMutant], found: dict[str, str], jobs: int) -> None:
    """Try what is not known yet, in as many copies of the tree as there are jobs; keep each answer as it comes."""
    left = [each for each in chosen if key(each) not in found]
    if not left:
        return
    laboratories = [Laboratory(KEPT / f"tree-{number}") for number in range(min(jobs, len(left)))]
    queue, passing = list(reversed(left)), set[str]()

    def work(laboratory: Laboratory) -> None:
        while queue:
            mutant = queue.pop()
            answer = laboratory.tried(mutant)
            # Tests that fail without a change would kill anything.
            if answer == KILLED and mutant.module not in passing and not laboratory.passes(mutant.tests):
                queue.clear()
                raise SystemExit(f"tests of {mutant.module} fail without a change: {', '.join(mutant.tests)}")
            passing.add(mutant.module)
            found[key(mutant)] = answer
            print(f"{answer}  {mutant.module}:{mutant.mutation.line}  {mutant.text}", file=sys.stderr, flush=True)
            (KEPT / "kept.json").write_text(json.dumps(found, indent=1, sort_keys=True), encoding="utf-8")

    with ThreadPoolExecutor(len(laboratories)) as pool:
        try:
            for done in as_completed([pool.submit(work, laboratory) for laboratory in laboratories]):
                done.result()
        except KeyboardInterrupt:
            queue.clear()
            raise


def key(mutant: CodeMutant) -> str:
    """Return what an answer depends on: the mutant, its module, and the tests."""
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in (mutant.module, *mutant.tests)]
    return sha256(json.dumps([mutant.mutation.start, mutant.mutation.after, *texts]).encode()).hexdigest()[:16]


def recalled(chosen: Sequence[CodeMutant]) -> dict[str, str]:
    """Return what earlier runs found of these mutants."""
    file: Path = KEPT / "kept.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {each: known[each] for each in map(key, chosen) if each in known}


def page(chosen: Sequence[CodeMutant], found: dict[str, str]) -> str:
    """Return the page: how many are killed, and each mutant."""
    known = [(each, found[key(each)]) for each in chosen if key(each) in found]
    killed = sum(answer == KILLED for _, answer in known)
    lines = [HEAD, f"Of {len(known)} mutants {killed} are killed.", "", "| Module | Line | Change | |", "|-|-|-|-|"]
    for mutant, answer in sorted(known, key=lambda pair: (pair[0].module, pair[0].mutation.line)):
        why = EXPLAINED.get((mutant.module, mutant.text), "") if answer == SURVIVED else ""
        said = f"{answer}: {why}" if why else answer
        text = mutant.text.replace("|", "\\|")
        lines.append(f"| `{mutant.module}` | `{text}` | {mutant.mutation.kind} | {said} |")
    lines += ["", "Tests that are asked:", ""]
    lines += [f"- `{module}`: {', '.join(tests)}" for module, tests in ROOMS.items()]
    return "\n".join(lines) + "\n"


def judged(chosen: Sequence[CodeMutant], found: dict[str, str]) -> int:
    """Return the exit code; print which mutants survive without a reason."""
    survived = [each for each in chosen if found[key(each)] == SURVIVED]
    unknown = [each for each in survived if (each.module, each.text) not in EXPLAINED]
    for each in unknown:
        print(f"not explained: {each.module}:{each.mutation.line}: {each.text}", file=sys.stderr)
    few = len(chosen) - len(survived) < SHARE * len(chosen)
    return 1 if unknown or few else 0


if __name__ == "__main__":
    sys.exit(ended(main))
