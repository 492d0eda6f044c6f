"""What is known of a change of a program, as a section that fits on a screen, and as JSON.

What goes in: a `Judgement`, and how its functions are written where they are LLVM IR. What comes out: a section,
or a record whose keys keep their order. An unsound change is shown as a difference, with the context, the new outcome,
and one sentence each why it is allowed after the change and forbidden before. Nothing depends on time or place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import Any

from axmem.encoder.solve import Limits
from axmem.explanations.explanation import Explanation
from axmem.explanations.impossible import IMPOSSIBLE
from axmem.front.output import counted, tally
from axmem.front.records import dataclass
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest, ModelChoice
from axmem.refinement.functions import UNCHANGED
from axmem.refinement.handlers import IS_HANDLER
from axmem.refinement.inclusion import BOUNDED, SOUND, UNSOUND, VERDICTS
from axmem.refinement.judging import Judgement
from axmem.refinement.marked import marked
from axmem.refinement.pairs import refine
from axmem.refinement.volatile import ORDER, RULE
from axmem.report.explanation import record, section
from axmem.report.listing_of_change import Listing, function_lines, test_lines
from axmem.report.sentences import allowed, forbidden, subject
from axmem.report.tree import Block, Paragraph, Program, Section

ORDERS = re.compile(rf"(\S+:)?{re.escape(ORDER)}=\S+ *")
"""What an outcome says of volatile accesses, which a sentence says better."""
SECONDS = 30.0
"""How long it may take to explain an outcome; without an explanation it stands alone."""
WIDTH = 100
"""How many characters a line of a sentence has at most."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A counterexample with letters, and why its outcome is allowed after the change and forbidden before."""

    before: LitmusTest
    after: LitmusTest
    outcome: str
    explanations: tuple[Explanation, ...]


def shown(found: Judgement, model: ModelChoice) -> Shown | None:
    """Return the counterexample of a judgement, if it has one."""
    if found.counterexample is None:
        return None
    tests = marked(*(parse(text) for text in (found.counterexample.before, found.counterexample.after)))
    refinement = refine(*tests, model, limits=Limits(seconds=SECONDS))
    return Shown(*tests, (refinement.new or (found.counterexample.outcome,))[0], refinement.explanations)


def judgement_section(
    found: Judgement, counterexample: Shown | None, listings: Sequence[Listing] = (), *, verbose: bool = False
) -> Section:
    """Return a judgement; of an unsound one with `verbose` everything that there is to say."""
    said = [f"assumed: {text}" for text in found.assumed]
    said += [f"parameters: {'; '.join(found.parameters)}"] if found.parameters else []
    said += _compared(found, verbose=verbose)
    if found.verdict != UNSOUND or verbose:
        said += found.reasons
    if found.verdict == BOUNDED and found.context:
        said.append(f"contexts have {found.space.partition('; ')[2]}")
    blocks: list[Block] = [Paragraph(line, aside=True) for line in said]
    if counterexample is not None:
        blocks += _difference(counterexample, listings, handled=IS_HANDLER in found.assumed)
        if verbose:
            blocks += [Program(print_test(test)) for test in (counterexample.before, counterexample.after)]
            blocks += map(section, counterexample.explanations)
    title = found.before if found.before == found.after else f"{found.before} -> {found.after}"
    return Section(f"{title}  {found.model}  {verdict_words(found)}", tuple(blocks))


def _difference(counterexample: Shown, listings: Sequence[Listing], *, handled: bool) -> Iterator[Block]:
    """Yield both programs as one, the outcome that is new, and why it is."""
    tests = counterexample.before, counterexample.after
    lines = [*(function_lines(listings, *tests, handled=handled) if listings else test_lines(*tests))]
    yield Program("\n".join(lines), "diff")
    outcome = ORDERS.sub("", counterexample.outcome) or "(no values)"
    yield Paragraph(f"+ {outcome.replace(f'{listings[0].thread}:', '') if listings else outcome}")
    for head, sentence in _sentences(counterexample):
        yield Paragraph(fill(f"{head}: {sentence}", WIDTH - 2, subsequent_indent="    "))


def verdict_words(found: Judgement) -> str:
    """Return a verdict with how far it goes; what contexts lack stands before the word sound."""
    if found.closed or (found.verdict == SOUND and not found.context and found.context is not None):
        return f"{found.verdict} if no other thread runs"
    without = f"if contexts have none of {', '.join(found.without)}: " if found.without else ""
    if found.context is None and found.verdict == BOUNDED:
        return f"{without}{BOUNDED} {found.how}"
    if found.context is None:
        size = " of any size" if found.without else ""
        return f"{without}{found.verdict} in every context{size}: {found.how}"
    number = counted(found.context, "operation")
    if found.verdict == BOUNDED:
        return f"{without}{BOUNDED} in contexts of up to {number} (space: {found.space.partition('; ')[0]})"
    if found.verdict == UNSOUND:
        return f"{UNSOUND} in a context of {number}" if found.context else f"{UNSOUND} even if no other thread runs"
    return found.verdict


def _compared(found: Judgement, *, verbose: bool) -> Iterator[str]:
    """Yield what is compared: what was guessed and what was not always, the rest if it is asked for."""
    guessed = {(guess.before, guess.after) for guess in found.guessed}
    names = [f"{g.before} with {g.after} ({g.why})" for g in found.guessed]
    if verbose or guessed:
        names += [b if a == b else f"{b} with {a}" for b, a in found.compared if (b, a) not in guessed]
    if names:
        yield f"compared: {', '.join(names)}, and memory"
    if found.left_out:
        yield f"not compared: {', '.join(found.left_out)}"


def _sentences(counterexample: Shown) -> Iterator[tuple[str, str]]:
    """Yield why an outcome is allowed after a change, and why it is forbidden before."""
    explanations = counterexample.explanations
    if explanations:
        yield "allowed after", allowed(explanations[0], subject(explanations[-1]))
    if len(explanations) > 1:
        volatile = explanations[1].reason.startswith(IMPOSSIBLE) and ORDERS.search(counterexample.outcome)
        yield "forbidden before", RULE if volatile else forbidden(explanations[1])


def summary(found: Sequence[Judgement], unread: int = 0) -> str:
    """Return the counts: `12 pairs: 11 sound, 1 unsound; 7 have the same instructions; 1 without an answer`."""
    same = sum(each.how == UNCHANGED for each in found)
    said = f"; {same} {'has' if same == 1 else 'have'} {UNCHANGED}" if same else ""
    return (
        tally((each.verdict for each in found), VERDICTS, "nothing compared", "pair")
        + said
        + f"; {unread} without an answer" * bool(unread)
    )


def judgement_record(found: Judgement, counterexample: Shown | None) -> dict[str, Any]:
    """Return a judgement as JSON."""
    return {
        "before": found.before,
        "after": found.after,
        "model": found.model,
        "verdict": found.verdict,
        "closed": found.closed,
        "context": found.context,
        "how": found.how,
        "space": found.space,
        "without": list(found.without),
        "compared": [list(pair) for pair in found.compared],
        "guessed": [{"before": g.before, "after": g.after, "why": g.why} for g in found.guessed],
        "left_out": list(found.left_out),
        "assumed": list(found.assumed),
        "parameters": list(found.parameters),
        "reasons": list(found.reasons),
        "counterexample": None
        if counterexample is None
        else {
            "before": print_test(counterexample.before),
            "after": print_test(counterexample.after),
            "outcome": counterexample.outcome,
            "explanations": [record(e) for e in counterexample.explanations],
        },
    }
