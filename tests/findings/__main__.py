"""`python -m tests.findings`: run the LLVM commands of the pages of findings, and verify what they say of versions.

Prints of each page which version still shows the fault. Commands of LLVM 24 are run with `--next`, the path of an
llc-24 with an opt-24 beside it. What passes did to a page's functions must be unsound by `axmem refine`. Exit 1 if
anything is not what a page shows. The tests beside the pages must fail with the versions that are wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from axmem.formats.reading import parse_file
from axmem.mapping.verification import CodeSource, verify
from tests.exploring import VERDICT_ALONE
from tests.findings.pages import FINDINGS, Claim, Repro, Shown, claims, pages, ran, repro, shown
from tests.findings.refined import REFINED, not_refined
from tests.findings.regressions import failing, faults
from tests.spread import ended, spread

NEXT = "24"


def main(arguments: list[str] | None = None) -> int:
    """Run and compare; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.findings", description=__doc__)
    parser.add_argument("--next", default="", metavar="LLC", help="the path of an llc-24; without it LLVM 22 alone")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    options = parser.parse_args(arguments)
    if options.next:
        os.environ["PATH"] = f"{Path(options.next).resolve().parent}{os.pathsep}{os.environ['PATH']}"
    known = dict(pages())
    versions = ["22", NEXT] if options.next else ["22"]
    repros = [each for page in known.items() if (each := repro(*page)) is not None]
    commands = [each for page in known.items() for each in shown(*page)]
    said = [each for page in known.items() for each in claims(*page)]
    if not options.next:
        commands = [each for each in commands if f"-{NEXT}" not in each.command]
        said = [each for each in said if not each.compiler.endswith(NEXT)]
    wrong = [problem for each in repros for version in versions for problem in unlike(each, version)]
    wrong += [problem for each in commands for problem in differing(each)]
    wrong += [problem for found in spread(mistaken, said, options.jobs) for problem in found]
    wrong += [problem for each in REFINED for problem in not_refined(each)]
    tests = [*faults()]
    wrong += [problem for each in tests for version in versions for problem in failing(*each, version)]
    for each in repros:
        print(f"{each.page}: " + ", ".join(f"LLVM {version} {each.versions[version]}" for version in versions))
    print(*wrong, sep="\n", end="\n" * bool(wrong))
    ran = len(repros) * len(versions) + len(commands)
    print(f"{len(known)} findings: {ran} commands run, {len(tests)} tests of LLVM, {len(said)} verdicts, "
          f"{len(wrong)} not as shown")  # fmt: skip
    return 1 if wrong else 0


def unlike(one: Repro, version: str) -> list[str]:
    """Return what a version prints, if that is not what the page says of it."""
    said = one.versions[version]
    printed, errors = _printed(one.of(version))
    does = [name for name, shows in (("right", one.right), ("wrong", one.wrong)) if shows.get(version) == printed]
    if does == [said]:
        return []
    return [f"{one.page}: LLVM {version} is said to be {said}, and is {' and '.join(does) or 'neither'}\n"
            f"$ {one.of(version)}\n{printed}{errors}"]  # fmt: skip


def differing(one: Shown) -> list[str]:
    """Return what a command prints, if that is not what the page shows."""
    printed, errors = _printed(one.command)
    if printed == one.output:
        return []
    return [f"{one.page}: $ {one.command}\n{printed}{errors}shown:\n{one.output}"]


def _printed(command: str) -> tuple[str, str]:
    """Return what a command prints, and its errors; tabs are blanks on pages."""
    done = ran(command)
    return done.stdout.expandtabs(8), done.stderr


def mistaken(claim: Claim) -> list[str]:
    """Return the verdict on a test, if it is not the page's."""
    test = parse_file((FINDINGS / claim.page).parent / claim.test)
    verdict = verify(test, claim.target, code=CodeSource(llc=claim.compiler), exploration=VERDICT_ALONE).verdict
    where = f"{claim.page}: {claim.test} on {claim.target} with {claim.compiler}"
    return [] if verdict == claim.verdict else [f"{where}: {verdict}, shown: {claim.verdict}"]


if __name__ == "__main__":
    sys.exit(ended(main))
