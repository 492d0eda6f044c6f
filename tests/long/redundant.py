"""`python -m tests.long.redundant`: whether what the tables call redundant survives random programs; exit 1 if not.

For each target a table of results/necessity and one of results/strategy say what no program of the bound needs. Random
programs (tests/mapping/drawn_programs.py), each of which contains an operation of such a row, are asked whether the
machine has an outcome without it that the model does not permit. All of a program that is redundant is left out
together, which is more than each alone; if that fails all that the strategy leaves out, and what then fails, and what
the strategy keeps, alone.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice

from axmem.check.results import outcomes
from axmem.codegen.machine.program import ProgramElement
from axmem.codegen.targets import NEWEST_LLVM
from axmem.encoder.solve import Limits
from axmem.front.source import InputError
from axmem.mapping.cases import VerificationCase
from axmem.mapping.matrix import NOTHING, PROGRESS
from axmem.mapping.trials import Prepared
from tests.mapping.drawn_programs import program
from tests.paths import RESULTS
from tests.spread import ended, spread

TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250")
STATES = 20_000
"""States of the machine in each placement; a program with more is not counted."""
SECONDS = 30
"""What the model's outcomes of a program may take; one that takes longer is not counted."""
TRIES = 40
"""How many programs are drawn for one that counts, at most."""
Named = tuple[str, str, int]
"""A rule as a page has it: the operation, what is left out, and which of those that read the same it is, from 0 on."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What one program is asked: which operation it has to contain, and the redundant rules that the page names.

    `states` is how many the machine may have in each placement.
    """

    target: str
    operation: str
    number: int
    redundant: frozenset[Named]
    together: frozenset[Named]
    states: int = STATES


@dataclass(frozen=True, slots=True)
class Survival:
    """What came of a program: the redundant rules that it contains, those that it needs, whether it needs one of what
    may be left out together, its text; `passed` says why programs before it did not count."""

    target: str
    has: tuple[Named, ...] = ()
    needs: tuple[Named, ...] = ()
    together: bool = False
    text: str = ""
    passed: tuple[str, ...] = ()


def main(arguments: list[str] | None = None) -> int:
    """Ask; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.long.redundant", description=__doc__)
    parser.add_argument("targets", nargs="*", default=TARGETS, help="default: all that have tables")
    parser.add_argument("--count", type=int, default=500, help="programs for each target (default 500)")
    parser.add_argument("--start", type=int, default=0, metavar="N", help="the number of the first (default 0)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--states", type=int, default=STATES, metavar="N", help=f"of the machine (default {STATES})")
    options = parser.parse_args(arguments)
    failed = 0
    for target in options.targets:
        questions = islice(asked(target, options.states), options.start, options.start + options.count)
        failed += report(target, list(spread(survival, questions, options.jobs)))
    return 1 if failed else 0


def asked(target: str, states: int = STATES) -> Iterator[Asked]:
    """Yield what is asked about a target: programs for each operation that has redundant rules in turn."""
    redundant = frozenset(redundant_of(target))
    together = frozenset(left_out_of(target)) & redundant
    for number, operation in enumerate(cycle(sorted({operation for operation, *_ in redundant}))):
        yield Asked(target, operation, number, redundant, together, states)


def redundant_of(target: str) -> Iterator[Named]:
    """Yield the rules that the table of a target calls redundant: no promise needs them."""
    return (named for named, verdict in named_of(target).items() if verdict in (NOTHING, PROGRESS))


@cache
def named_of(target: str) -> Mapping[Named, str]:
    """Return the rules of the table of a target with their verdicts, in its order, which is that of the lowering; those
    that read the same and have the same verdict are one."""
    verdicts: dict[tuple[str, str], list[str]] = {}
    for row in rows(f"necessity/{target}.md"):
        if len(row) > 2:
            verdicts.setdefault((row[0], row[1]), []).append(row[2])
    return {
        (*text, number): verdict
        for text, found in verdicts.items()
        for number, verdict in enumerate(found if len(set(found)) > 1 else found[:1])
    }


def left_out_of(target: str) -> Iterator[Named]:
    """Yield the rules that the weakest lowering of a target leaves out, if what they read is theirs alone."""
    alone = Counter(named[:2] for named in named_of(target))
    return ((*row, 0) for row in map(tuple, rows(f"strategy/{target}.md")) if len(row) == 2 and alone[row] == 1)


def rows(page: str) -> Iterator[list[str]]:
    """Yield the cells of the rows of a page's tables, as they were before they were put into Markdown."""
    for line in (RESULTS / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("| "):
            yield [cell.strip().replace("\\_", "_").strip("`") for cell in line.strip("|").split(" | ")]


def survival(question: Asked) -> Survival:
    """Draw programs until one counts: the operation is in it, the model says what it does, and its lowering is sound or
    at least was not found out."""
    passed = []
    for attempt in range(TRIES):
        text = program(question.operation, question.number * TRIES + attempt)
        try:
            tested = Prepared(case(text, question.target, question.states))
        except InputError as error:
            passed.append(error.diagnostics[0].message)
            continue
        there = {element: named for element, named in told(tested, question.target) if named in question.redundant}
        reason = _uncounted(tested, question, there.values())
        if not reason:
            needs, together = _needed(tested, question, there)
            if needs is not None:
                has = tuple(sorted(set(there.values())))
                shown = text if needs or together else ""
                return Survival(question.target, has, needs, together, shown, tuple(passed))
            reason = "too many states, or unsound as it is"
        passed.append(reason)
    return Survival(question.target, passed=tuple(passed))


def told(tested: Prepared, target: str) -> Iterator[tuple[ProgramElement, Named]]:
    """Yield the elements of a program with their rules; none of those of which the program lacks some that read the
    same, as they cannot be told apart."""
    places: dict[tuple[str, str], set[int]] = {}
    for rule in tested.rules.values():
        places.setdefault((rule.operation, rule.what), set()).add(rule.place)
    alike = Counter(named[:2] for named in named_of(target))
    for element, rule in tested.rules.items():
        text = (rule.operation, rule.what)
        if alike[text] == 1:
            yield element, (*text, 0)
        elif len(places[text]) == alike[text]:
            yield element, (*text, sorted(places[text]).index(rule.place))


def case(text: str, target: str, states: int) -> VerificationCase:
    """Return a program as a case on a target, as the tables have them."""
    return VerificationCase(
        name="drawn", text=text, target=target, mode="", profile=NEWEST_LLVM, model="amdgpu", placement="all",
        switches=(), divergent=False, format="text", limit=states,
    )  # fmt: skip


def _uncounted(tested: Prepared, question: Asked, there: Iterable[Named]) -> str:
    if question.operation not in {operation for operation, *_ in there}:
        return "the operation is not in it"
    tested.permitted = outcomes(tested.test, tested.model, limits=Limits(SECONDS))
    if tested.permitted.undefined:
        return "undefined"
    return "the model's outcomes are not complete" if tested.permitted.incomplete else ""


def _needed(
    tested: Prepared, question: Asked, there: dict[ProgramElement, Named]
) -> tuple[tuple[Named, ...] | None, bool]:
    """Return the rules without which a program is not sound, and whether that is so of those left out together; None
    if it was not decided or is not sound as it is."""
    if tested.judged(there).verdict == "sound":
        return (), False
    several = [element for element, named in there.items() if named in question.together]
    verdict = tested.judged(several).verdict if several else "sound"
    alone = [element for element, named in there.items() if named not in question.together or verdict != "sound"]
    verdicts = {element: tested.judged((element,)).verdict for element in alone}
    if (verdict != "sound" or "unsound" in verdicts.values()) and tested.judged().verdict != "sound":
        return None, False
    if "unknown" in (verdict, *verdicts.values()):
        return None, False
    return tuple(sorted({there[element] for element in alone if verdicts[element] == "unsound"})), verdict != "sound"


def worded(named: Named) -> str:
    """Return a rule in words."""
    return f"{named[0]} {named[1]}" + f" ({named[2] + 1})" * bool(named[2])


def report(target: str, found: list[Survival]) -> int:
    """Print what came of the programs for a target; return how many need what is called redundant."""
    counted = [one for one in found if one.has]
    reasons = Counter(reason for one in found for reason in one.passed)
    with_rule = Counter(named for one in counted for named in one.has)
    needed = Counter(named for one in counted for named in one.needs)
    failing = [one for one in counted if one.needs]
    shown: set[Named] = set()
    for one in failing:
        if set(one.needs) - shown:
            shown |= set(one.needs)
            print(f"{target}: needs {', '.join(map(worded, one.needs))}\n{one.text}")
    for named, count in sorted(needed.items()):
        print(f"{target}: {worded(named)}: {count} of {with_rule[named]} programs need it")
    jointly = [one for one in counted if one.together and not one.needs]
    if jointly:
        print(f"{target}: {len(jointly)} programs need one of several, but none alone, as\n{jointly[0].text}")
    every = frozenset(redundant_of(target))
    least = min((with_rule[named] for named in every), default=0)
    print(f"{target}: {len(counted)} programs of {len(found)}, {len(every)} redundant rules, each in {least} programs "
          f"or more; {len(failing)} programs need {len(needed)} of them; passed over: {dict(reasons)}",
          flush=True)  # fmt: skip
    return len(failing)


if __name__ == "__main__":
    sys.exit(ended(main))
