"""The table of transformations and bodies: which are sound, under which model.

What goes in: a transformation and a body (`axmem.refinement.bodies`), a model. What comes out: a `TransformCell`:
what the transformation says against it, whether it is sound in every context up to a bound in the widest space and in
the small one, and if it is refused, what comes of it when it is forced. Invariant: what is unsound has two tests that
both engines find so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from axmem.check.run.fingerprint import digest_of, program_digest
from axmem.check.run.jobs import HERE, Job, Workers, answers, faultless
from axmem.check.run.store import AnswerStore
from axmem.front.records import dataclass, replace
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bodies import BODIES, DEEDS, kernel_text
from axmem.refinement.bounded_check import HOLDS, UNKNOWN, Finding
from axmem.refinement.everywhere import scene, sound_everywhere
from axmem.refinement.inclusion import SOUND, UNSOUND
from axmem.refinement.kept_findings import finding_of
from axmem.refinement.participants import participants
from axmem.refinement.rules import CORE
from axmem.refinement.soundness import OPEN, SAME, change_of, outcomes_sound
from axmem.transform.applying import Refused, apply_all
from axmem.transform.registry import TRANSFORMATIONS

WIDE, SMALL = 2, 3
"""How many operations contexts have: in the widest space, and in the small one."""
MODELS = ("llvm", "amdgpu")


@dataclass(frozen=True, slots=True)
class TransformQuestion:
    """A transformation of a body under a model, by their names; contexts of so many operations."""

    deed: str
    body: str
    model: str
    wide: int = WIDE
    small: int = SMALL


NOTHING = Finding(UNKNOWN, 0)


@dataclass(frozen=True, slots=True)
class TransformCell:
    """What is known of a question.

    `refused` are the reasons against the transformation; unless it is `impossible` (nothing is made then, and nothing
    known), `finding` is of what it makes, forced if refused. `how` says how it was found; `small` is the finding in the
    small space, where there is one. `participants` is the verdict on convergent operations.
    """

    question: TransformQuestion
    refused: tuple[str, ...] = ()
    impossible: bool = False
    finding: Finding = NOTHING
    how: str = ""
    small: Finding | None = None
    participants: str = SOUND
    reasons: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Whether what is made is sound: outcomes and participants."""
        if self.participants == UNSOUND:
            return UNSOUND
        findings = [f for f in (self.finding, self.small) if f is not None]
        for status, word in (("refuted", UNSOUND), (UNKNOWN, "unknown")):
            if any(f.status == status for f in findings):
                return word
        return "unknown" if self.participants != SOUND else SOUND


def questions(wide: int = WIDE, small: int = SMALL) -> Iterator[TransformQuestion]:
    """Yield what the table asks, line by line; transformations that the program does not have are left out."""
    for deed in DEEDS:
        if deed.text.partition("(")[0] in TRANSFORMATIONS:
            for body in BODIES:
                yield from (TransformQuestion(deed.name, body.name, model, wide, small) for model in MODELS)


def cell(question: TransformQuestion) -> TransformCell:
    """Answer a question."""
    deed = next(d for d in DEEDS if d.name == question.deed)
    body = next(b for b in BODIES if b.name == question.body)
    test = parse(kernel_text(body, deed), "before")
    (kernel,) = test.kernels
    refused: tuple[str, ...] = ()
    try:
        made = apply_all(kernel, deed.text)
    except Refused as refusal:
        refused = tuple(dict.fromkeys(r.reason for r in refusal.refusals))
        try:
            made = apply_all(kernel, deed.text, force=True)
        except Refused:
            return TransformCell(question, refused, impossible=True)
    change = change_of(test, kernel, made)
    model = ModelChoice(question.model)
    here = participants(change)
    try:
        found = outcomes_sound(change, model, question.wide)
    except InputError as error:
        reason = error.diagnostics[0].message
        return TransformCell(
            question, refused, finding=Finding(UNKNOWN, 0, reasons=(reason,)), participants=here.verdict
        )
    small = None
    if found.how == OPEN and found.finding.status == HOLDS and question.small > question.wide:
        small = sound_everywhere(replace(scene(change, model), space=CORE), question.small)
    return TransformCell(question, refused, False, found.finding, found.how, small, here.verdict, here.reasons)


def cells(
    asked: Sequence[TransformQuestion], store: AnswerStore | None = None, workers: Workers = HERE
) -> Iterator[TransformCell]:
    """Yield the cells of questions in order; a store keeps those that are known."""
    program = program_digest("axmem.refinement")
    keys = [digest_of(f"{program}\n{question!r}") for question in asked]
    known = [store.recalled(key, _cell) if store is not None else None for key in keys]
    jobs = [Job(f"{q.deed} of {q.body}", q, cell) for q, k in zip(asked, known, strict=True) if k is None]
    done = faultless(answers(jobs, workers))
    for question, key, had in zip(asked, keys, known, strict=True):
        if had is not None:
            yield had
            continue
        answer = next(done)
        if answer.diagnostics:
            raise InputError(answer.diagnostics)
        found = answer.answer or TransformCell(question, finding=Finding(UNKNOWN, 0, reasons=(answer.lost,)))
        if store is not None and answer.answer is not None:
            store.keep(key, asdict(found))
        yield found


def killers(found: Sequence[TransformCell]) -> dict[TransformQuestion, TransformCell | None]:
    """Return for each sound change of order the mutant that kills it, None if there is none.

    The mutant is the same transformation without its side condition, of the body that the condition refuses (`against`
    in `axmem.refinement.bodies`, or where that is sound, too, any other), and it is unsound.
    """
    reordering = {deed.name for deed in DEEDS if deed.reorders}
    against = {body.name: body.against for body in BODIES}
    unsound = [c for c in found if c.refused and not c.impossible and c.verdict == UNSOUND]
    killed: dict[TransformQuestion, TransformCell | None] = {}
    for cell in found:
        q = cell.question
        if q.deed in reordering and not cell.refused and cell.verdict == SOUND and cell.how != SAME:
            mine = [c for c in unsound if (c.question.deed, c.question.model) == (q.deed, q.model)]
            killed[q] = min(mine, key=lambda c: c.question.body != against[q.body], default=None)
    return killed


def _cell(record: Any) -> TransformCell:
    """Return the cell of a record. Raises KeyError or TypeError if it is none."""
    return replace(
        TransformCell(TransformQuestion(**record["question"])),
        refused=tuple(record["refused"]),
        impossible=record["impossible"],
        finding=finding_of(record["finding"]),
        how=record["how"],
        small=finding_of(record["small"]) if record["small"] else None,
        participants=record["participants"],
        reasons=tuple(record["reasons"]),
    )
