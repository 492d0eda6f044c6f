"""What became of proofs, as text and as JSON.

What goes in: tasks with their proofs. What comes out: lines to print, or a document. No time is in either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from axmem.front.output import document
from axmem.refinement.proofs.check import PROVED, Proof, Step
from axmem.refinement.proofs.tasks import Task
from axmem.report.theorems import models_of

Proofs = Sequence[tuple[Task, Proof]]


def listing(task: Task) -> Iterator[str]:
    """Yield a theorem with its statement and the file of its proof."""
    yield f"{task.key}: {task.statement}" if task.statement else task.key
    yield f"    {models_of(task.claim)}; {task.script.source.name}"


def proof_lines(task: Task, proof: Proof, *, steps: bool) -> Iterator[str]:
    """Yield the answer with the lemmas it rests on, or the steps that are missing; with `steps` all."""
    premises = f", for programs with {', '.join(dict.fromkeys(proof.premises))}" if proof.premises else ""
    yield f"{task.key}  {proof.status}{premises if proof.status == PROVED else ''}"
    if steps:
        yield from (f"    {_step(step)}" for step in proof.steps)
    elif proof.status == PROVED:
        lemmas = f"by {', '.join(dict.fromkeys(proof.lemmas)) or 'the definitions alone'}"
        yield from wrap(lemmas, 116, initial_indent=" " * 4, subsequent_indent=" " * 4)
    else:
        yield from (f"    {_step(step)}" for step in proof.steps if not step.proved)


def _step(step: Step) -> str:
    """Return a step as a line."""
    by = step.reason or ", ".join(step.provers) or "by the text of the rules"
    return f"{step.name or 'closure'}: {step.text}: {by}"


def as_json(proofs: Proofs) -> str:
    """Return the proofs with all their steps as JSON."""
    return document(
        proofs=[
            {
                "theorem": task.key,
                "statement": task.statement,
                "models": models_of(task.claim),
                "file": task.script.source.name,
                "status": proof.status,
                "premises": list(proof.premises),
                "steps": [
                    {
                        "name": s.name,
                        "text": s.text,
                        "goal": s.goal,
                        "proved": s.proved,
                        "provers": list(s.provers),
                        "reason": s.reason,
                    }
                    for s in proof.steps
                ],
            }
            for task, proof in proofs
        ]
    )
