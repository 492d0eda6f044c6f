"""The page of a test, and its record: what a worker makes of one question of a site.

What goes in: an `Asked`. What comes out: a `TestFound`. Invariants: what is wrong with the test stands on its page;
a limit that cut an answer is said beside it; the same question gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from axmem.check.compare import relation_of
from axmem.check.judging import Answer, Question, Report, report_of
from axmem.check.results import Result
from axmem.check.selection import loaded, parse_choice, runs
from axmem.encoder.constraints import ModelRule
from axmem.encoder.solve import Limits
from axmem.encoder.solver import Session
from axmem.explanations.explanation import ExplainedAnswer as Explained
from axmem.explanations.explanation import Explanation, explain
from axmem.front.records import replace
from axmem.front.source import InputError
from axmem.front.typing import override
from axmem.litmus.condition_printer import condition_text
from axmem.litmus.lint import misleading
from axmem.litmus.printer import side_by_side
from axmem.litmus.syntax import LitmusTest
from axmem.report.executions import labels
from axmem.report.explanation import cited, section
from axmem.report.site.addresses import family_address, family_of, root_of, rule_address
from axmem.report.site.found import Asked, TestFound
from axmem.report.site.frame import framed
from axmem.report.site.machine import machine_blocks
from axmem.report.specification_pages import (
    Anchors,
    Shown,
    because,
    cited_rules,
    outcome_grid,
    pictures_of,
    undef_outcomes,
    undef_reasons,
)
from axmem.report.tree import (
    Block,
    CellContent,
    Code,
    Column,
    Document,
    Inline,
    Line,
    Link,
    Paragraph,
    Program,
    Section,
    Strong,
    bullets,
    listed,
    table,
)


class SiteAnchors(Anchors):
    """Links to specifications, and from the name of each rule to its page."""

    def __init__(self, addresses: Mapping[str, str], root: str) -> None:
        super().__init__(addresses)
        self._root = root

    @override
    def rule(self, rule: ModelRule, model: str) -> Inline:
        self.rules[rule] = None
        found = loaded(model)
        # What says that a read has a write, and that values can be computed, is no rule of the model's text.
        if rule.name not in {*(a.name for a in found.axioms), *(u.name for u in found.undefs)}:
            return Code(rule.name)
        return Link(rule.name, self._root + rule_address(model, rule.name))


def page_of(asked: Asked) -> TestFound:
    """Answer a test and return its page."""
    contents = asked.contents
    question = Question(
        asked.name, asked.text, contents.models,
        limits=Limits(contents.seconds), bound=contents.bound, form=contents.form,
    )  # fmt: skip
    report = report_of(question)
    record = _record(asked, report)
    if report.test is None or report.diagnostics or report.lost:
        said = (*map(str, report.diagnostics), *([f"{asked.name}: unknown: {report.lost}"] if report.lost else []))
        blocks: list[Block] = [Program("\n\n".join(said)), Section("Text", (Program(asked.text),))]
        return TestFound(_framed(asked, record["name"], blocks), record, said)
    answers = _answers(report.test, report, asked)
    explained = _explanations(report.test, answers, asked)
    blocks = list(_blocks(asked, report, answers, explained, record))
    warnings = tuple(map(str, misleading(report.test)))
    return TestFound(_framed(asked, record["name"], blocks), record, warnings)


def _framed(asked: Asked, name: str, blocks: list[Block]) -> str:
    family = family_of(asked.key)
    where = Paragraph(
        ("Family ", Link(family, root_of(asked.address) + family_address(family)), ", file ", Code(asked.name))
    )
    return framed(Document((where, *blocks), title=name), asked.address, asked.contents.models)


def _answers(test: LitmusTest, report: Report, asked: Asked) -> dict[str, Answer]:
    """Return the answers by the labels of their models: those asked for first, then others that the test speaks of."""
    choices = {label: parse_choice(label) for label in asked.contents.models}
    judged = runs(test, tuple(choices.values()), {})
    found = {(ref, model.chosen): a for (ref, model), a in zip(judged, report.answers, strict=True)}
    chosen = {label: found.pop((choice.model, loaded(choice).chosen)) for label, choice in choices.items()}
    return chosen | {answer.result.label: answer for answer in found.values()}


# ---------------------------------------------------------------- the record


def _record(asked: Asked, report: Report) -> dict[str, Any]:
    """Return what the overview says of a test before anything is explained."""
    test = report.test
    errors = [each.message for each in report.diagnostics] + ([report.lost] if report.lost else [])
    return {
        "key": asked.key,
        "address": asked.address,
        "name": test.name if test is not None else asked.key.rpartition("/")[2],
        "file": asked.name,
        "shows": " ".join(test.description.split()) if test is not None else "",
        "condition": f"{test.quantifier.value} ({condition_text(test.condition)})" if test is not None else "",
        "status": "error" if report.diagnostics else "unknown" if report.lost else "ok",
        "errors": errors,
        "models": [],
        "targets": [],
    }


def _model_record(
    label: str, answer: Answer, first: Result, explained: Explanation | None, *, compared: bool
) -> dict[str, Any]:
    result = answer.result
    core = [part.rule.name for part in explained.core] if explained is not None else []
    sections = explained.sections if explained is not None else ()
    return {
        "model": label,
        "verdict": result.verdict,
        "status": answer.status,
        "relation": relation_of(first, result) if compared else "",
        "flags": list(result.flags),
        "undefined": list(result.undefined),
        "incomplete": [str(reason) for reason in result.incomplete],
        "outcomes": list(result.states()),
        "core": core,
        "undef": list(dict.fromkeys(s.undef.name for s in sections if s.undef is not None)),
        "cites": [rule.name for rule in cited(explained)] if explained is not None else [],
    }


# ---------------------------------------------------------------- what is explained


def _explanations(test: LitmusTest, answers: Mapping[str, Answer], asked: Asked) -> Shown:
    """Explain the condition as far as was asked; a model with the first one's outcomes has none of its own."""
    contents, seconds = asked.contents, asked.contents.seconds
    results = {label: answers[label].result for label in contents.models}
    first = next(iter(results.values()))
    found: dict[str, Explanation] = {}
    undef: dict[str, tuple[tuple[str, Explanation], ...]] = {}
    session = Session() if contents.explain != "none" else None
    every = contents.explain == "all"
    for label, result in results.items():
        same = result is not first and result.outcomes == first.outcomes and result.verdict == first.verdict
        if session is None or (same and not every):
            continue
        try:
            found[label] = explain(test, label, seconds=seconds, session=session, repairs=every)
            undef[label] = tuple(
                (outcome, explain(test, label, outcome=outcome, seconds=seconds, session=session, repairs=False))
                for outcome in (undef_outcomes(result) if every else ())
            )
        except InputError as error:  # A model that judges all outcomes at once explains none.
            found[label] = Explanation(
                test.name, label, condition_text(test.condition), Explained.UNKNOWN, error.diagnostics[0].message
            )
    return Shown(test, results, found, undef)


def _blocks(
    asked: Asked, report: Report, answers: Mapping[str, Answer], shown: Shown, record: dict[str, Any]
) -> Iterator[Block]:
    """Yield the page of a test, and complete its record."""
    test = shown.test
    anchors = SiteAnchors(dict(asked.contents.addresses), root_of(asked.address))
    first = next(iter(shown.results.values()))
    for label, answer in answers.items():
        # Other readings, which a test speaks of, are no columns of the site.
        compared = label in shown.results and answer.result is not first
        explained = shown.answers.get(label)
        record["models"].append(_model_record(label, answer, first, explained, compared=compared))
    statuses = {answer.status for answer in answers.values()}
    record["status"] = next((word for word in ("mismatch", "unknown") if word in statuses), "ok")
    if test.description:
        yield Paragraph(record["shows"])
    yield from program_side_by_side(test)
    yield Section("Verdicts", (_verdicts(asked, answers, shown, anchors),), "verdicts")
    yield Section("Outcomes", tuple(outcome_grid(shown)), "outcomes")
    yield from undef_reasons(shown, anchors)
    pictures: list[Block] = []
    hidden = tuple(dict.fromkeys(n for label in shown.answers for n in labels(loaded(label))))
    for number, (_, drawn, caption) in enumerate(pictures_of(shown, None, hidden=hidden), 1):
        pictures += [replace(drawn, prefix=f"p{number}-"), Paragraph(caption)]
    if pictures:
        yield Section("Executions", tuple(pictures), "executions")
    for label, explained in shown.answers.items():
        if inner := section(explained, pictured=False).blocks:
            yield Section(("Explanation under ", Code(label)), _numbered(inner, label), f"why-{label}")
    yield from cited_rules(anchors)
    yield from machine_blocks(test, asked, record)
    yield Section("Text", (Program(test.source.text, "litmus"),), "text")


def _numbered(blocks: tuple[Block, ...], label: str) -> tuple[Block, ...]:
    """Return blocks whose sections have anchors of their own, since each model's explanation has the same titles."""
    return tuple(
        replace(block, anchor=f"why-{label}-{number}") if isinstance(block, Section) else block
        for number, block in enumerate(blocks, 1)
    )


def program_side_by_side(test: LitmusTest) -> Iterator[Block]:
    """Yield what threads share, then the threads and kernels beside each other."""
    shared, threads = side_by_side(test)
    if shared:
        yield Program("\n".join(shared), "litmus")
    if threads:
        heads = [Code(lines[0].removesuffix("{").rstrip()) for lines in threads]
        bodies = [Program("\n".join(_shifted(lines[1:-1])), "litmus") for lines in threads]
        yield table(heads, [bodies])


def _shifted(lines: list[str]) -> list[str]:
    """Return lines without the two spaces that all of them begin with."""
    return [line[2:] if line.startswith("  ") else line for line in lines]


def _verdicts(asked: Asked, answers: Mapping[str, Answer], shown: Shown, anchors: SiteAnchors) -> Block:
    """Return the verdict under each model, what the test expects of it, and the rules that exclude the outcome."""
    lines: list[list[CellContent]] = []
    first = asked.contents.models[0]
    for label, answer in answers.items():
        verdict = answer.result.verdict
        expected: list[Line] = []
        for check in answer.checks:
            what = check.expected if check.kind == "verdict" else "these outcomes"
            reason = f": {check.reason}" if check.reason else ""
            wrong = "" if check.status == "ok" else f" ({check.status})"
            expected.append((f"{what}{reason}", *([Strong(wrong, check.status)] if wrong else [])))
        explained = shown.answers.get(label)
        why: Line = f"the outcomes are those of {first}" if label in shown.results and label != first else ""
        if explained is not None:
            why = because(explained, label, anchors)
        elif asked.contents.explain == "none" or label not in shown.results:
            why = ""
        flags = tuple(f" {flag}" for flag in answer.result.flags)
        lines.append([Code(label), (Strong(verdict, verdict), *flags), listed(expected, "; "), why])
    heads: list[Line | Column] = ["Model", "Verdict", Column("Expected", long=True), Column("Why", long=True)]
    question = f"{shown.test.quantifier.value} ({condition_text(shown.test.condition)})"
    return replace(table(heads, lines, row_heads=1), caption=f"Verdicts on {question}")


def lost_page(asked: Asked, said: str) -> TestFound:
    """Return the page of a test of which a limit, a worker or a fault of axmem left nothing."""
    record = {
        **_record(asked, Report(asked.name, lost=said)),
        "status": "error" if said.startswith("internal error") else "unknown",
    }
    blocks: list[Block] = [bullets([said]), Section("Text", (Program(asked.text),), "text")]
    return TestFound(_framed(asked, record["name"], blocks), record, (f"{asked.name}: {said}",))
