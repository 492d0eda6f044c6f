"""What became of proofs.

What goes in: tasks with their proofs. What comes out: sections, or a document. No time is in either.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import Any

from axmem.commands.pages.theorems import models_of
from axmem.refinement.proofs.check import PROVED, Proof, ProofStep
from axmem.refinement.proofs.tasks import Task
from axmem.report.tree import Document, Item, Paragraph, Section

Proofs = Sequence[tuple[Task, Proof]]


def listing(task: Task) -> Item:
    """Return a theorem with its statement and the file of its proof."""
    title = f"{task.key}: {task.statement}" if task.statement else task.key
    return Item(title, (Paragraph(f"{models_of(task.claim)}; {task.script.source.name}"),))


def proof_section(task: Task, proof: Proof, *, steps: bool) -> Section:
    """Return the answer with the lemmas it rests on, or the steps that are missing; with `steps` all."""
    premises = f", for programs with {', '.join(dict.fromkeys(proof.premises))}" if proof.premises else ""
    lemmas = f"by {', '.join(dict.fromkeys(proof.lemmas)) or 'the definitions alone'}"
    shown = [fill(lemmas, 112)] if proof.status == PROVED and not steps else []
    shown += [_step(step) for step in proof.steps if steps or (proof.status != PROVED and not step.proved)]
    title = f"{task.key}  {proof.status}{premises if proof.status == PROVED else ''}"
    return Section(title, tuple(Paragraph(line, aside=True) for line in shown))


def _step(step: ProofStep) -> str:
    """Return a step as a line."""
    by = step.reason or ", ".join(step.provers) or "by the text of the rules"
    return f"{step.name or 'closure'}: {step.text}: {by}"


def document(proofs: Proofs) -> Document:
    """Return the proofs with all their steps."""
    sections = tuple(proof_section(task, proof, steps=True) for task, proof in proofs)
    return Document(sections, {"proofs": [_record(task, proof) for task, proof in proofs]})


def _record(task: Task, proof: Proof) -> dict[str, Any]:
    keys = ("name", "text", "goal", "proved", "provers", "reason")
    return {
        "theorem": task.key,
        "statement": task.statement,
        "models": models_of(task.claim),
        "file": task.script.source.name,
        "status": proof.status,
        "premises": proof.premises,
        "steps": [{key: getattr(step, key) for key in keys} for step in proof.steps],
    }
