"""Is a transformation of a kernel sound? Everything that is asked of it.

What goes in: a test, one of its kernels, what a transformation made of it (`axmem.transform`), models. What comes out:
a `Soundness` for each model: outcomes in every context up to a bound, how that was found out, participants of
convergent operations; and, apart, whether what ended before ends after.
"""

from __future__ import annotations

from collections.abc import Iterable

from axmem.check.progress.answers import ProgressAnswer, progress
from axmem.check.progress.models import Progress, Verdict
from axmem.encoder.solve import UNLIMITED, Limits
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError, Span
from axmem.litmus import syntax as ast
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import AMDGPU, OperationKind
from axmem.model.model import Model
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded_check import HOLDS, Finding
from axmem.refinement.changed import Change, cut, numbered, only_on_one_side, same_events
from axmem.refinement.contexts.kept import Kept
from axmem.refinement.everywhere import scene, sound_everywhere
from axmem.refinement.inclusion import SOUND, UNKNOWN, UNSOUND
from axmem.refinement.rules import FULL
from axmem.refinement.spaces import wanting
from axmem.transform.applying import Transformed
from axmem.transform.rewrite import kernel_of

CONTEXT = 2
"""How many operations contexts have at most, if nobody says."""

OPEN, SAME = "all contexts at once", "the same row of operations"
"""How outcomes are compared."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What is known of the outcomes under a model: how, up to how many operations of which space.

    `left_out` are registers of threads that only one side has, and that are not compared. `unmet`: the programs have
    barriers, at which nobody in a context meets them.
    """

    model: str
    finding: Finding
    how: str
    space: Bound
    left_out: tuple[str, ...] = ()
    unmet: bool = False

    @property
    def without(self) -> tuple[str, ...]:
        """What programs commonly have and the contexts of which `sound` is said have not."""
        lacking = ["barriers"] if self.unmet and self.finding.events else []
        return (*wanting(self.space, self.finding.events), *lacking)


@dataclass(frozen=True, slots=True)
class Ending:
    """Whether what ended before the change ends after it, under a model of progress."""

    model: Progress
    before: ProgressAnswer
    after: ProgressAnswer

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


def outcomes_sound(
    change: Change,
    model: ModelChoice,
    events: int = CONTEXT,
    limits: Limits = UNLIMITED,
    *,
    known: int = -1,
    kept: Kept | None = None,
) -> Outcomes:
    """Return whether outcomes after a change are among those before it in every context of up to so many operations.

    That it is so up to `known` operations is known; `kept` has the games of changes before. Raises InputError for a
    test of another hierarchy than AMDGPU's.
    """
    if change.before.levels != AMDGPU or change.after.levels != AMDGPU:
        message = "contexts stand in AMDGPU's hierarchy, and this test has another"
        hint = "without contexts: axmem refine BEFORE AFTER --closed"
        raise InputError([Diagnostic(change.before.source, Span(1, 1), message, hint)])
    left = only_on_one_side(change)
    here = scene(change, model)
    # What the model does not speak of changes nothing: contexts that have it are contexts without it.
    kinds = (*FULL.kinds, *[OperationKind.BARRIER] * (here.meeting is not None))
    space = replace(FULL, kinds=kinds, tags=here.space.tags, lds=here.space.lds, one_as=here.space.one_as)
    if do_the_same(change, here.meaning):
        return Outcomes(model.label, Finding(HOLDS, events), SAME, space, left_out=left)
    finding = sound_everywhere(here, events, limits.seconds, known=known, kept=kept)
    return Outcomes(model.label, finding, OPEN, space, left_out=left, unmet=here.unmet)


def do_the_same(change: Change, meaning: Model) -> bool:
    """Whether both programs do the same in every context: they have the same text, or the same events and no loop that
    may go on beyond its bound."""
    if same_text(change.before, change.after):
        return True
    return same_events(change, meaning) and not cut(change, meaning)


def same_text(before: ast.LitmusTest, after: ast.LitmusTest) -> bool:
    """Whether two tests are one, but for their names and what they ask."""
    both = [(t.threads, t.kernels, t.barriers, t.locations, t.levels) for t in (before, after)]
    return both[0] == both[1]


def endings(change: Change, models: Iterable[Progress]) -> list[Ending]:
    """Return for each model of progress whether what ended before a change ends after it."""
    models = tuple(models)
    before, after = (list(progress(test, models)) for test in (change.before, change.after))
    return [Ending(model, b, a) for model, b, a in zip(models, before, after, strict=True)]
