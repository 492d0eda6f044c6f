"""Is a transformation of a kernel sound? Everything that is asked of it.

What goes in: a test, one of its kernels, what a transformation made of it (`axmem.transform`), models. What comes out:
a `Soundness` for each model: outcomes in every context up to a bound, how that was found out, participants of
convergent operations; and, apart, whether what ended before ends after.
"""

from __future__ import annotations

from collections.abc import Iterable

from axmem.check.selection import loaded
from axmem.encoder.solve import UNLIMITED, Limits
from axmem.encoder.unroll import event_graph
from axmem.families.bound import Bound
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError, Span
from axmem.litmus import syntax as ast
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import AMDGPU, PLACED, OperationKind, Ordering
from axmem.progress.answers import Answer, progress
from axmem.progress.models import Progress, Verdict
from axmem.refinement.changed import Change, numbered, only_on_one_side, same_events
from axmem.refinement.contexts import HOLDS, Finding
from axmem.refinement.inclusion import SOUND, UNKNOWN, UNSOUND
from axmem.refinement.rows import Winding
from axmem.refinement.rules import FULL
from axmem.refinement.transformed import paired_rows, sound_in_contexts, sound_in_families, sound_on_paths
from axmem.transform.applying import Transformed
from axmem.transform.rewrite import kernel_of

SMALL = Bound(
    kinds=(OperationKind.LOAD, OperationKind.STORE, OperationKind.FENCE),
    orderings=(Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.RELEASE),
    apart=True,
    finals=False,
)
"""The contexts that are tried one after the other, of a test at system scope: few operations, and every thread in an
agent of its own."""


def tried(change: Change) -> Bound:
    """Return the contexts that are tried of a change, one after the other.

    Further threads are together with those of the test, or not, at every level of which it has a scope; who is in
    every scope of system sees the same of it wherever he is. They exchange, and they are seq_cst, if the test does.
    """
    graphs = [event_graph(test) for test in (change.before, change.after)]
    events = [event for graph in graphs for event in graph.events if event.thread >= 0]
    scopes = {e.scope for e in events if e.ordering is not Ordering.NOT_ATOMIC or e.av or e.cell < 0}
    kinds, orderings = [*SMALL.kinds], [*SMALL.orderings]
    if any(event.rmw for event in events):
        kinds.append(OperationKind.RMW)
        orderings.append(Ordering.ACQ_REL)
    if any(event.ordering is Ordering.SEQ_CST for event in events):
        orderings.append(Ordering.SEQ_CST)
    return replace(SMALL, kinds=kinds, orderings=orderings, levels=[level for level in PLACED if level in scopes])

CONTEXT = 2
"""How many operations contexts have at most, if nobody says."""

FAMILIES, CONTEXTS, SAME = "families of programs", "one context after the other", "the same row of operations"
"""How outcomes are compared."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What is known of the outcomes under a model: how, up to how many operations of which space; why not otherwise.

    `left_out` are registers of threads that only one side has, and that are not compared.
    """

    model: str
    finding: Finding
    how: str
    space: Bound
    winding: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ending:
    """Whether what ended before the change ends after it, under a model of progress."""

    model: Progress
    before: Answer
    after: Answer

    @property
    def verdict(self) -> str:
        """Sound, unsound or unknown; what need not end before may do anything."""
        if self.before.verdict is Verdict.ENDLESS or self.after.verdict is Verdict.ENDS:
            return SOUND
        known = self.before.verdict is Verdict.ENDS and self.after.verdict is Verdict.ENDLESS
        return UNSOUND if known else UNKNOWN


def change_of(test: ast.LitmusTest, kernel: ast.Kernel, transformed: Transformed) -> Change:
    """Return the test with the kernel as it was, in single assignments, and as a transformation made it."""
    old = kernel_of(single_assignment(kernel), kernel)
    before = replace(test, kernels=tuple(old if k.name == kernel.name else k for k in test.kernels))
    after = replace(test, kernels=tuple(transformed.kernel if k.name == kernel.name else k for k in test.kernels))
    numbering = replace(
        numbered(transformed.kernel),
        known={new: (i.register, i.iterations) for new, i in transformed.instances.items()},
        statements=transformed.statements,
    )
    others = {k.name: numbered(k) for k in test.kernels}
    return Change(before, after, {**others, kernel.name: numbered(old)}, {**others, kernel.name: numbering})


def outcomes_sound(change: Change, model: ModelChoice, events: int = CONTEXT, limits: Limits = UNLIMITED) -> Outcomes:
    """Return whether outcomes after a change are among those before it in every context of up to so many operations.

    Straight kernels are asked about in the space of rules, others about one context of a small space after the other.
    Raises InputError for a test of another hierarchy than AMDGPU's.
    """
    if change.before.levels != AMDGPU or change.after.levels != AMDGPU:
        message = "contexts stand in AMDGPU's hierarchy, and this test has another"
        hint = "without contexts: axmem refine BEFORE AFTER"
        raise InputError([Diagnostic(change.before.source, Span(1, 1), message, hint)])
    left = only_on_one_side(change)
    try:
        both = paired_rows(change)
        if both.unchanged:
            return Outcomes(model.label, Finding(HOLDS, events), SAME, FULL, left_out=left)
        found = sound_in_families(both, model, events, FULL, limits.seconds, change)
        return Outcomes(model.label, found, FAMILIES, FULL, left_out=left)
    except Winding as reason:
        if same_events(change, loaded(model)):
            return Outcomes(model.label, Finding(HOLDS, events), SAME, FULL, left_out=left)
        split = sound_on_paths(change, model, events, FULL, limits.seconds)
        if split is not None and split.status == HOLDS:
            return Outcomes(model.label, split, FAMILIES, FULL, left_out=left)
        space = tried(change)
        found = sound_in_contexts(change, model, events, space, limits)
        return Outcomes(model.label, found, CONTEXTS, space, str(reason), left)


def endings(change: Change, models: Iterable[Progress]) -> list[Ending]:
    """Return for each model of progress whether what ended before a change ends after it."""
    models = tuple(models)
    before, after = (list(progress(test, models)) for test in (change.before, change.after))
    return [Ending(model, b, a) for model, b, a in zip(models, before, after, strict=True)]
