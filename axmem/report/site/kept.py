"""Pages of tests that are kept from run to run, each under the digest of all that it depends on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from axmem.check.run.fingerprint import digest_of, model_digest, program_digest
from axmem.check.run.store import Bounds
from axmem.check.run.stored import Stored
from axmem.check.selection import loaded, parse_choice, runs
from axmem.formats.reading import parse
from axmem.front.records import replace
from axmem.front.source import InputError
from axmem.front.typing import override
from axmem.report.site.found import Asked, TestFound

ROOMS = ("axmem.report", "axmem.explanations", "axmem.codegen", "axmem.mapping")
"""The rooms that a page depends on, besides those of every answer."""


class KeptPages(Stored[Asked, TestFound]):
    """The pages of earlier runs; `reused` counts those that were of use again."""

    reused = 0

    @override
    def key(self, question: Asked) -> str:
        # Limits bound an answer and are no part of it.
        asked = replace(question, contents=replace(question.contents, seconds=None))
        words = [repr(asked), *(_model(label) for label in question.contents.models)]
        try:
            test = parse(question.text, question.name, question.contents.form)
            choices = tuple(map(parse_choice, question.contents.models))
            words += [model_digest(model) for _, model in runs(test, choices, {})]
        except (InputError, RecursionError):
            words.append("unreadable")
        return digest_of(json.dumps([program_digest(*ROOMS), *words]))

    @override
    def read(self, record: Any) -> TestFound:
        if not isinstance(record["page"], str) or not isinstance(record["record"], Mapping):
            raise TypeError
        self.reused += 1
        return TestFound(record["page"], dict(record["record"]), tuple(record["messages"]))

    @override
    def bounds(self, question: Asked) -> Bounds:
        return {"seconds": question.contents.seconds}

    @override
    def is_cut(self, answer: TestFound) -> bool:
        record = answer.record
        cut = any(each["incomplete"] for each in record["models"])
        return cut or record["status"] == "unknown" or any(each["verdict"] == "unknown" for each in record["targets"])


def _model(label: str) -> str:
    return model_digest(loaded(parse_choice(label)))
