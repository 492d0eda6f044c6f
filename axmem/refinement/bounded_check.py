"""A rule in every context, or two models on every program, up to a bound.

What goes in: a `Claim` and a number of operations: those of the program, or of a rule those of the context, which the
rule's own are no part of. What comes out: a `Finding`: it holds up to so many operations, or there is a counterexample,
with its outcome, or it is not known, and why. Programs are tried from the smallest. A counterexample is one only if the
checker of concrete tests says so of its two programs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product

from axmem.check.results import Result, format_lanes, outcomes
from axmem.check.run.jobs import HERE, Job, Workers, answers, faultless
from axmem.check.selection import loaded
from axmem.encoder.circuit import TRUE, Circuit
from axmem.encoder.limits import Limit
from axmem.encoder.solver import Session
from axmem.front.output import counted
from axmem.front.records import dataclass, replace
from axmem.front.source import InputError, Source
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.model.library import load_text, source
from axmem.model.model import Model
from axmem.refinement.bounded.bound import MAKES, Bound
from axmem.refinement.bounded.changes import ProgramPair, unchanged
from axmem.refinement.bounded.constructs import named_tags, widest
from axmem.refinement.bounded.inclusion import FailedSteps, Search, Undecided, follows, suspects, violations
from axmem.refinement.bounded.left_out_constructs import refuse_difference
from axmem.refinement.bounded.literals import UnsupportedModel
from axmem.refinement.bounded.printed import printed
from axmem.refinement.bounded.query import CircuitQuery
from axmem.refinement.bounded.skeleton import Skeleton, shapes
from axmem.refinement.bounded.symmetry import without_renamings
from axmem.refinement.contexts.families import memories, separating
from axmem.refinement.contexts.game import Open
from axmem.refinement.inclusion import BOUNDED, SOUND, UNSOUND, inclusion
from axmem.refinement.inclusion import UNKNOWN as NOT_KNOWN
from axmem.refinement.markings import changing
from axmem.refinement.matching import matching, name_of
from axmem.refinement.patterns import Pattern, change_of
from axmem.refinement.rules import BY_NAME, FULL, Rule
from axmem.refinement.uninitialised import initialised

HOLDS, REFUTED, UNKNOWN = "holds", "refuted", "unknown"
VERDICT_OF = {HOLDS: SOUND, REFUTED: UNSOUND, UNKNOWN: NOT_KNOWN}
"""The verdict that a finding is, of a claim that one side refines the other."""
NOT_CONFIRMED = "a difference is found that the engine for single tests does not confirm"
HINT = "axmem refine --models A B PATH… compares models on tests of your own"


@dataclass(frozen=True, slots=True)
class Claim:
    """What is to be checked: a rule by its name (or none), the models before and after, the space, and more.

    `pattern` is the rule if it is one of the user's. `deny` is cat text that asserts the contrary of a property of
    executions; then there is one model, and no rule. `alike` pairs definitions of the models that correspond.
    `overrides` replace definitions of the model on one `side`, for a wording that no variant has. `threads`: programs
    of so many threads at most (None: of any number). `whole`: the space is the widest there is, so that nobody chose
    what it leaves out. A claim with `lost` is of executions of any size instead, without a space: no rule changes as
    these primitives lose facts, but that the axioms `weaker` hold more often.
    """

    space: Bound
    before: ModelChoice
    after: ModelChoice
    rule: str = ""
    deny: str = ""
    alike: tuple[tuple[str, str], ...] = ()
    one_wave: bool = False
    overrides: str = ""
    side: str = ""
    threads: int | None = None
    pattern: Pattern | None = None
    whole: bool = False
    lost: frozenset[str] = frozenset()
    weaker: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many operations a rule itself has, in the rows before and after together; 0 without a rule."""
        if self.pattern is not None:
            return len(self.pattern.slots)
        return BY_NAME[self.rule].size if self.rule else 0

    @property
    def gaps(self) -> int:
        """At how many places operations of the context may stand between those of the rule."""
        return self.pattern.gaps if self.pattern is not None else 0


def rule_claim(rule: Rule, model: ModelChoice, space: Bound | None = None, threads: int | None = None) -> Claim:
    """Return the claim that a rule is sound under a model, in contexts of the rule's space if no other is given."""
    chosen = initialised(space or rule.space, model)
    return Claim(chosen, model, model, rule=rule.name, one_wave=rule.one_wave, pattern=rule.pattern, threads=threads)


def models_claim(
    first: ModelChoice, second: ModelChoice, space: Bound | None = None, threads: int | None = None
) -> Claim:
    """Return the claim that every outcome of the first model is one of the second, in the widest space or another."""
    names = [{d.name for d in loaded(choice).definitions} for choice in (second, first)]
    common = tuple((name, name) for name in sorted(names[0] & names[1]))
    full = replace(FULL, tags=named_tags([loaded(first), loaded(second)]), finals=True)
    chosen = initialised(space or full, first, second)
    return Claim(chosen, second, first, alike=common, threads=threads, whole=space is None and not threads)


def space_text(claim: Claim) -> str:
    """Return which programs a claim is about."""
    if claim.lost:
        return "executions of any size, of kernels too, under every variant"
    threads = f"; {counted(claim.threads, 'thread')}" if claim.threads else ""
    return claim.space.words() + threads + "; a workgroup is one wavefront" * claim.one_wave


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A program before and after a change (or one program, where there is no change) and an outcome that is new.

    `given` are the numbers of parameters of a function that were open, by place: `0=4096 2=7`. `size` is how many
    operations the context has, where there is one.
    """

    before: str
    after: str
    outcome: str
    given: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known: `holds` up to `events` operations, `refuted` with so many, or `unknown` from so many on.

    The operations are those of the context if the claim is of a rule, of the program otherwise. `reasons` say what is
    not known, of smaller programs too if it is refuted; of a claim without a space, what refutes it. `families` counts
    the families of programs that were decided, `seconds` is the time that it took.
    """

    status: str
    events: int
    counterexample: Counterexample | None = None
    reasons: tuple[str, ...] = ()
    families: int = 0
    seconds: float = 0.0


def verdict_of(found: Finding) -> str:
    """Return the verdict that a finding is: a search up to a number of operations finds no counterexample."""
    return BOUNDED if found.status == HOLDS and found.events else VERDICT_OF[found.status]


@dataclass(frozen=True, slots=True)
class Family:
    """One query: the sizes of the threads, at which operation the rule begins, and how many are in each of its gaps."""

    claim: Claim
    threads: tuple[int, ...]
    slot: int
    gaps: tuple[int, ...]
    seconds: float | None

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"threads of {'+'.join(map(str, self.threads))} operations"


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyAnswer:
    """What became of one family; `capped`: all that kept it from being decided is how many suspects are tried."""

    applies: bool
    counterexample: Counterexample | None = None
    reason: str = ""
    capped: bool = False


def families(claim: Claim, operations: int, seconds: float | None) -> Iterator[Family]:
    """Yield the families of programs of so many operations, of a rule besides its own; none that differs from another
    by the names of threads."""
    for threads in sorted(shapes(operations + claim.size, claim.threads), reverse=True):
        if not claim.rule:
            yield Family(claim, threads, 0, (), seconds)
            continue
        begins = 0
        for thread, size in enumerate(threads):
            if threads.index(size) == thread:
                for slot in range(size - claim.size + 1):
                    for gaps in _gaps(claim.gaps, size - claim.size - slot):
                        yield Family(claim, threads, begins + slot, gaps, seconds)
            begins += size


def _gaps(count: int, room: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to have operations in so many gaps, at most as many in all as there is room for."""
    return (found for found in product(range(room + 1), repeat=count) if sum(found) <= room)


def sizes(claim: Claim, events: int) -> range:
    """Return the numbers of operations up to one: a context may be empty, a program may not."""
    return range(0 if claim.rule else 1, events + 1)


def family_count(claim: Claim, events: int) -> int:
    """Return how many families there are up to a number of operations."""
    return sum(1 for operations in sizes(claim, events) for _ in families(claim, operations, None))


def check(
    claim: Claim,
    events: int,
    seconds: float | None = None,
    workers: Workers = HERE,
    told: Callable[[str], None] = lambda name: None,
) -> Finding:
    """Return what is known of a claim up to a number of operations, the smallest programs first.

    Programs that were left undecided because all suspects tried were none do not end the search: larger ones may refute
    the claim. Raise InputError if it holds, but the models say different things of what the space leaves out.
    `seconds` limits each question to the solver; `told` hears of each family that is done.
    """
    begun = time.perf_counter()
    decided = 0
    reasons: dict[str, None] = {}
    if claim.lost:
        reasons.update(dict.fromkeys(changing(claim.after, claim.lost, claim.weaker)))
        return Finding(REFUTED if reasons else HOLDS, 0, None, tuple(reasons), 0, time.perf_counter() - begun)
    unknown, ended = events, False
    for operations in sizes(claim, events):
        jobs = (Job(family.name, family, decide_family) for family in families(claim, operations, seconds))
        for done in faultless(answers(jobs, workers)):
            told(done.name)
            if done.diagnostics:
                raise InputError(done.diagnostics)
            part = done.answer or FamilyAnswer(applies=True, reason=done.lost)
            if part.counterexample is not None:
                spent = time.perf_counter() - begun
                return Finding(REFUTED, operations, part.counterexample, tuple(reasons), decided, spent)
            if part.reason:
                reasons.setdefault(f"{done.name}: {part.reason}")
                unknown, ended = min(unknown, operations), ended or not part.capped
            decided += part.applies and not part.reason
        if ended:
            break
    spent = time.perf_counter() - begun
    if not reasons and claim.whole:
        old, new = model_of(claim, "before"), model_of(claim, "after")
        refuse_difference(old, new, claim.space.without, "axmem refine", HINT)
    status, events = (UNKNOWN, unknown) if reasons else (HOLDS, events)
    return Finding(status, events, reasons=tuple(reasons), families=decided, seconds=spent)


def decide_family(family: Family) -> FamilyAnswer:
    """Decide one family; the suspects that the solver finds are judged as concrete tests.

    If that leads nowhere, every step of the proof is tried that failed in smaller programs.
    """
    part = _decided(family)
    if part.reason and _failed_steps(family.claim).lost(sum(family.threads)):
        _failed_steps(family.claim).clear()
        part = _decided(family)
    return part


def _decided(family: Family) -> FamilyAnswer:
    skeleton = Skeleton(family.claim.space, family.threads, Circuit())
    if family.claim.one_wave:
        skeleton.in_one_wave()
    try:
        pair = _change(family)(skeleton, family.slot)
        if pair is None:
            return FamilyAnswer(applies=False)
        if family.claim.rule and not _is_somewhere(skeleton):
            return FamilyAnswer(applies=False)
        apart = family.slot if family.claim.rule else None
        without_renamings(skeleton, pair.before.slots, apart, falling=True)
        if family.claim.rule or family.claim.deny or set(MAKES) & set(family.claim.space.kinds):
            return _judged(family, _search(family, pair))
        return _of_models(family, pair)
    except UnsupportedModel as reason:
        return FamilyAnswer(applies=True, reason=str(reason))


def _is_somewhere(skeleton: Skeleton) -> bool:
    """Tell whether there is a program to which a rule applies."""
    return CircuitQuery(skeleton.circuit, Session()).possible(TRUE)


def _of_models(family: Family, pair: ProgramPair) -> FamilyAnswer:
    """Decide a family of two models: executions follow those of the other term by term, or their game decides."""
    claim = family.claim
    models = model_of(claim, "before"), model_of(claim, "after")
    if follows(pair, models, Session(), family.seconds, dict(claim.alike), _failed_steps(claim)):
        return FamilyAnswer(applies=True)
    # Of what neither model speaks, one of each kind stands for all.
    space = replace(widest(models, claim.space.locations), finals=claim.space.finals) if claim.whole else claim.space
    kinds = memories(claim.space, sum(family.threads), models)
    found = separating(space, kinds, family.threads, models, family.seconds)
    if isinstance(found, Open):
        return FamilyAnswer(applies=True, reason=found.reason)
    if found is None:
        return FamilyAnswer(applies=True)
    shown = judge(claim, *found)
    return FamilyAnswer(applies=True, counterexample=_shown(shown), reason="" if shown else NOT_CONFIRMED)


def _search(family: Family, pair: ProgramPair) -> Search:
    claim = family.claim
    old, new = model_of(claim, "before"), model_of(claim, "after")
    if claim.deny:
        return violations(pair, new, Session(), family.seconds)
    return suspects(pair, (old, new), Session(), family.seconds, alike=dict(claim.alike), failed=_failed_steps(claim))


@lru_cache(maxsize=8)
def _failed_steps(claim: Claim) -> FailedSteps:
    """Return what this process knows of failed steps in the proof of a claim."""
    return FailedSteps()


def _judged(family: Family, found: Search) -> FamilyAnswer:
    """Judge suspects until one is a counterexample, then the simpler ones that the search offers instead of it."""
    best: Counterexample | None = None
    suspect = next(found, None)
    while suspect is not None:
        if isinstance(suspect, Undecided):
            left = "" if best else suspect.reason
            return FamilyAnswer(applies=True, counterexample=_shown(best), reason=left, capped=suspect.capped)
        judged = judge(family.claim, suspect.before, suspect.after)
        best = judged or best
        try:
            suspect = found.send(judged is not None)
        except StopIteration:
            break
    return FamilyAnswer(applies=True, counterexample=_shown(best))


def _shown(found: Counterexample | None) -> Counterexample | None:
    """Return a counterexample whose texts `axmem check` does not warn of; raise Misprinted."""
    return found and replace(found, before=printed(found.before), after=printed(found.after))


def _change(family: Family) -> Callable[[Skeleton, int], ProgramPair | None]:
    claim = family.claim
    if claim.pattern is not None:
        return change_of(claim.pattern, family.gaps)
    return BY_NAME[claim.rule].change if claim.rule else unchanged


def model_of(claim: Claim, side: str) -> Model:
    """Return the model of a claim `before` or `after` the change, with the property denied if that is the claim."""
    choice = claim.before if side == "before" else claim.after
    if not claim.deny and not (claim.overrides and claim.side == side):
        return loaded(choice)
    return load_text(source_of(claim, side), dict(choice.variants))


def source_of(claim: Claim, side: str) -> Source:
    """Return the text of that model: that of the choice, overrides below its title, and what denies the property."""
    choice = claim.before if side == "before" else claim.after
    base = source(choice.model)
    title, _, rest = base.text.partition("\n")
    overrides = f"{claim.overrides}\n" if claim.side == side and claim.overrides else ""
    denied = f"\n{claim.deny}\n" if claim.deny else ""
    return replace(base, text=f"{title}\n{overrides}{rest}{denied}")


def judge(claim: Claim, before: str, after: str) -> Counterexample | None:
    """Return the counterexample that two programs are, if the checker of concrete tests finds one."""
    first, second = parse(before, "before"), parse(after, "after")
    old, new = model_of(claim, "before"), model_of(claim, "after")
    if claim.deny:
        found = outcomes(second, new)
        return Counterexample(before, after, found.states()[0]) if found.outcomes else None
    pairs = [(b, a) for b, a in matching(first, second).pairs if claim.space.finals or ":" in name_of(b)]
    shown = [replace(t, observe=tuple(p[k] for p in pairs)) for k, t in enumerate((first, second))]
    results = [outcomes(shown[0], old), outcomes(shown[1], new)]
    places = [{c.name: k for k, c in enumerate(r.columns)} for r in results]
    columns = [(places[0][name_of(b)], places[1][name_of(a)]) for b, a in pairs]
    found_ = inclusion(results[0], results[1], columns)
    if found_.verdict == UNSOUND:
        row = found_.new[0]
    elif results[1].outcomes and _permits_nothing(results[0]):
        row = tuple(results[1].outcomes[0][k] for _, k in columns)
    else:
        return None
    types = [results[1].columns[a].type for _, a in columns]
    texts = [format_lanes(lanes, t, results[1].locations) for lanes, t in zip(row, types, strict=True)]
    return Counterexample(before, after, "  ".join(f"{name_of(a)}={v}" for (_, a), v in zip(pairs, texts, strict=True)))


def _permits_nothing(found: Result) -> bool:
    """Tell whether a test has no consistent execution, and nothing else keeps that from being an answer."""
    return not found.consistent and all(reason.limit is Limit.NOTHING for reason in found.incomplete)
