"""What is known of tests from earlier runs.

What goes in: questions, and a store. What comes out: the questions with the answers that the store has. A test's answer
under one model is one entry, whose key is a digest of the text of the test, the model with its variants, what was
asked, and the program. Expectations are judged anew each time.
"""

from __future__ import annotations

import json

from axmem.check.judging import KnownFinding, ModelFinding, Question, Report, asked_models
from axmem.check.run.findings import finding_of, finding_record
from axmem.check.run.fingerprint import digest_of, model_digest, neighbourhood_digest, program_digest
from axmem.check.run.jobs import Job
from axmem.check.run.store import AnswerStore, Bounds
from axmem.encoder.limits import Limit
from axmem.front.records import replace
from axmem.front.source import InputError
from axmem.model.model import Model


class Answers:
    """The answers of earlier runs in a store; `reused` counts those that were of use again.

    `megabytes` is the memory limit of a worker.
    """

    def __init__(self, store: AnswerStore, megabytes: int | None = None) -> None:
        self.store = store
        self.megabytes = megabytes
        self.reused = 0

    def recalled(self, job: Job[Question, Report]) -> Job[Question, Report]:
        """Return a job with what the store knows of its test under each of its models."""
        question = job.question
        if question.unreadable:
            return job
        try:
            models = asked_models(question)
        except (InputError, RecursionError):
            return job
        keys = [_key(question, reference, model) for reference, model in models]
        bounds = self._bounds(question)
        known = tuple(KnownFinding(key, self.store.recalled(key, finding_of, bounds)) for key in keys)
        found = sum(k.finding is not None for k in known)
        self.reused += found
        return replace(job, question=replace(question, known=known), known=found == len(known))

    def keep(self, job: Job[Question, Report], answer: Report) -> None:
        """Keep what of a report was not known."""
        recalled = {known.key for known in job.question.known if known.finding is not None}
        for one in answer.answers:
            finding = ModelFinding(one.result, one.neighbours)
            if one.key and one.key not in recalled and self._lasting(finding):
                cut_by = None if _uncut(finding) else self._bounds(job.question)
                self.store.keep(one.key, finding_record(finding), cut_by)

    def _lasting(self, finding: ModelFinding) -> bool:
        """Tell whether a finding would be the same again, under the same limits."""
        limits = {reason.limit for reason in finding.result.incomplete}
        return Limit.SOLVER not in limits and (Limit.MEMORY not in limits or self.megabytes is not None)

    def _bounds(self, question: Question) -> Bounds:
        limits = question.limits
        return {"seconds": limits.seconds, "outcomes": limits.outcomes, "megabytes": self.megabytes}


def _key(question: Question, reference: str, model: Model) -> str:
    """Return the digest of all that the answer to a question under one model depends on."""
    digest = neighbourhood_digest(reference, model) if question.robust else model_digest(model)
    asked = [digest_of(question.text), digest, question.robust, question.engine, question.columns]
    asked += [question.bound] if question.bound else []
    asked += ["promises"] if question.promises else []
    asked += [question.form] if question.form else []
    return digest_of(json.dumps([program_digest(), *asked]))


def _uncut(finding: ModelFinding) -> bool:
    """Tell whether no limit had a part in a finding."""
    return finding.result.complete and all(n.verdict != "unknown" for n in finding.neighbours or ())
