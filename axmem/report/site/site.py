"""A suite as a static site: what is written when, and what stays if a run is interrupted.

What goes in: the tests, options, workers, and what is kept. What comes out: the files of a directory. Invariants: a
file is whole or absent; a page of a test is written as soon as it is answered, and stays if the run is interrupted; the
overview is of all tests that were answered and says how many were not; only files that carry our mark are replaced.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from axmem.check.run.jobs import HERE, AnswerMemory, Job, Workers, answers
from axmem.check.run.work import Done
from axmem.codegen.targets import target
from axmem.front.output import document, made_folder, refuse_foreign, remove_generated, write_generated
from axmem.front.records import dataclass, field
from axmem.report.site.addresses import addresses_of, keys_of
from axmem.report.site.changes import changes
from axmem.report.site.changes import pages as change_pages
from axmem.report.site.changes import summary as change_summary
from axmem.report.site.found import DATA, Asked, PageContents, Run, TestFound, read_run
from axmem.report.site.frame import assets, framed
from axmem.report.site.model_pages import Decided, model_documents, relations_of
from axmem.report.site.overview import Overview, pages, search_rows
from axmem.report.site.page_of_a_test import lost_page, page_of

LAST = ("index.html", "tests.js", DATA)
"""What is written when all tests are answered."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a site is of, besides its tests. `old` is the run that it is compared with."""

    directory: str
    title: str
    contents: PageContents
    decided: Decided = field(default_factory=dict)
    old: Run | None = None
    force: bool = False


@dataclass(slots=True)
class Written:
    """What was written: the records of tests, the paths of all pages, and the interrupt that ended the run, if one did.

    `changes` says in a line what differs from an older site, if there is one to compare with.
    """

    tests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    interrupt: KeyboardInterrupt | None = None
    changes: str = ""


def asked(texts: Iterable[tuple[str, str]], settings: Settings) -> list[Asked]:
    """Return a question for each test, a name and a text."""
    named = list(texts)
    keys = keys_of([name for name, _ in named])
    return [
        Asked(name, text, key, address, settings.contents)
        for (name, text), key, address in zip(named, keys, addresses_of(keys), strict=True)
    ]


def write_site(
    questions: Sequence[Asked],
    settings: Settings,
    *,
    workers: Workers = HERE,
    memory: AnswerMemory[Asked, TestFound] | None = None,
    following: Callable[[Sequence[str], Iterator[Done[TestFound]]], Iterator[Done[TestFound]]] = lambda _, done: done,
    tell: Callable[[Done[TestFound], TestFound], object] = lambda *_: None,
) -> Written:
    """Write the pages of tests as they are answered, then what is about all of them. Raises OutputError.

    `following` shows how far the run is, `tell` is told of each test.
    """
    written = Written()
    made_folder(settings.directory)
    if not settings.force:
        # What would be refused at the end is refused before anything is answered.
        refuse_foreign([*(question.address for question in questions), *LAST], settings.directory)
    previous = _previous(settings.directory)
    relations = dict.fromkeys(relations_of(settings.contents.models))
    _write(written, assets(relations), settings)
    jobs = (Job(each.name, each, page_of) for each in questions)
    try:
        done = answers(jobs, workers, memory)
        for each, question in zip(following([q.name for q in questions], done), questions, strict=True):
            found = each.answer or lost_page(question, each.lost or each.fault or each.not_run or "nothing came of it")
            tell(each, found)
            _write(written, {question.address: found.page}, settings)
            written.tests.append(found.record)
    except KeyboardInterrupt as interrupt:
        written.interrupt = interrupt
    _about_all(written, settings, left=len(questions) - len(written.tests))
    if written.interrupt is None:
        stale = [path for path in previous if path not in set(written.paths)]
        remove_generated(os.path.join(settings.directory, path) for path in stale)
    return written


def _write(written: Written, texts: Mapping[str, str], settings: Settings) -> None:
    written.paths += write_generated(texts, settings.directory, force=settings.force)


def _previous(directory: str) -> tuple[str, ...]:
    """Return the pages of the site that is there already; a path that leads out of it is none."""
    file = os.path.join(directory, DATA)
    if not os.path.isfile(file):
        return ()
    try:
        found = read_run(file, option="-o").pages
    except ValueError:
        return ()
    return tuple(path for path in found if not os.path.isabs(path) and ".." not in path.split("/"))


def _about_all(written: Written, settings: Settings, *, left: int) -> None:
    """Write what is about all tests: models, rules, families, changes, rows of the search, and the overview last."""
    tests = written.tests
    for label in settings.contents.models:
        for address, found in model_documents(label, tests, settings.decided, dict(settings.contents.addresses)):
            _write(written, {address: framed(found, address, settings.contents.models)}, settings)
    by_key = {test["key"]: test for test in tests}
    changed = None
    if settings.old is not None:
        found_changes = changes(settings.old.tests, by_key, whole=not left)
        written.changes = change_summary(found_changes)
        changed = found_changes.keys
        for address, found in change_pages(found_changes, by_key, settings.title):
            _write(written, {address: framed(found, address, settings.contents.models)}, settings)
    labels = tuple(target(name, "", settings.contents.profile).label for name in settings.contents.targets)
    overview = Overview(settings.title, settings.contents.models, labels, tuple(tests), left, changed)
    last: dict[str, str] = {"tests.js": search_rows(overview)}
    for address, found in pages(overview):
        scripts = ("tests.js", "site.js") if address == "index.html" else ("site.js",)
        text = framed(found, address, settings.contents.models, scripts=scripts)
        if address == "index.html":
            last[address] = text
        else:
            _write(written, {address: text}, settings)
    _write(written, last, settings)
    record = {
        "title": settings.title, "models": list(settings.contents.models), "targets": list(labels), "left": left,
        "tests": tests, "pages": sorted({*written.paths, DATA}),
    }  # fmt: skip
    _write(written, {DATA: document(1, report=record)}, settings)
