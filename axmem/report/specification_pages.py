"""The page of a specification's author: each test with its program, its outcomes under any models, and why.

What goes in: tests with their results and explanations under a list of models. What comes out: a document, and the
pictures that it shows, by the names of their files. Every verdict stands with the rules that exclude an outcome, every
undef with the rule that makes it so, and every rule with its section of a specification as a link.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count

from axmem.check.results import Result
from axmem.encoder.constraints import ModelRule
from axmem.explanations.explanation import WILD, ExplainedAnswer, Explanation
from axmem.front.output import file_names
from axmem.front.records import dataclass, replace
from axmem.litmus.condition_printer import condition_text
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest
from axmem.report.executions import Execution, relation_names
from axmem.report.explanation import execution, reference
from axmem.report.outcome_tables import without_head
from axmem.report.tree import (
    Block,
    CellContent,
    Code,
    Document,
    Image,
    Inline,
    Item,
    Line,
    Link,
    List,
    Paragraph,
    Program,
    Section,
    Strong,
    anchor_of,
    bullets,
    listed,
    table,
)

DRAWN = ("po", "rf", "mo", "sw", "hb", "lo")
"""The relations of a picture if nobody names others; those that a model lacks are left out of its pictures."""

ADDRESSES = {
    "LangRef": "https://llvm.org/docs/LangRef.html",
    "AMDGPU-MM": "https://llvm.org/docs/AMDGPUMemoryModel.html",
    "AMDGPU": "https://llvm.org/docs/AMDGPUMemoryModel.html",
    "AMDGPUUsage": "https://llvm.org/docs/AMDGPUUsage.html",
    "AMDGPU-Usage": "https://llvm.org/docs/AMDGPUUsage.html",
    "MMRA": "https://llvm.org/docs/MemoryModelRelaxationAnnotations.html",
}
"""Where the pages of specifications are whose sections have anchors, by their keys in docs/references.md."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A test on the page: its results, the explanations of its condition, and those of each outcome with undef.

    All are by the label of a model, in the order of the models; `undef` has pairs of an outcome and its explanation.
    """

    test: LitmusTest
    results: Mapping[str, Result]
    answers: Mapping[str, Explanation]
    undef: Mapping[str, tuple[tuple[str, Explanation], ...]]


def page(
    found: Sequence[Shown],
    *,
    title: str = "",
    addresses: Mapping[str, str] = ADDRESSES,
    show: Sequence[str] | None = None,
    inline: bool = False,
) -> tuple[Document, dict[str, Document]]:
    """Return the page, and the pictures to be drawn as SVG, by their names; `inline` has them in the page itself.

    `addresses` are those of specifications by their keys; `show` are the relations of the pictures, `DRAWN` if None.
    """
    pictures: dict[str, Document] = {}
    sections = []
    drawings = [list(pictures_of(shown, show)) for shown in found]
    names = iter(file_names([about for each in drawings for about, _, _ in each], "svg"))
    places = anchors_of_tests([shown.test.name for shown in found])
    for shown, place, drawn_of in zip(found, places, drawings, strict=True):
        anchors = Anchors(addresses, place)
        blocks = [*program_blocks(shown), *outcome_grid(shown), *_verdicts(shown, anchors)]
        blocks += undef_reasons(shown, anchors)
        for number, (_, drawn, caption) in enumerate(drawn_of, 1):
            name = next(names)
            if inline:
                blocks += [replace(drawn, prefix=f"{place}-{number}-"), Paragraph(caption)]
            else:
                pictures[name] = Document((drawn,))
                blocks.append(Image(name, _alternative(drawn), caption))
        blocks += cited_rules(anchors)
        sections.append(Section(shown.test.name, tuple(blocks), anchor=place))
    return Document(tuple(sections), title=title), pictures


def anchors_of_tests(tests: Iterable[str]) -> list[str]:
    """Return the anchors of tests by their names: one that others have already gets the first number that is free."""
    found: dict[str, None] = {}
    for name in tests:
        base = f"test-{anchor_of(name)}"
        numbered = (f"{base}-{number}" for number in count(2))
        found[next(each for each in chain([base], numbered) if each not in found)] = None
    return list(found)


class Anchors:
    """The links to specifications of a section, and the rules named in it; `place` is the section's anchor."""

    def __init__(self, addresses: Mapping[str, str], place: str = "") -> None:
        self._addresses = addresses
        self.place = place
        self.rules: dict[ModelRule, None] = {}

    def rule(self, rule: ModelRule, model: str) -> Inline:
        """Return a rule of a model by its name, which the section lists with its sentence."""
        self.rules[rule] = None
        return Code(rule.name)

    def source(self, rule: ModelRule) -> Inline:
        """Return where a rule is said: `[Key] "Section"`, as a link if the page is known."""
        return cited_section(reference(rule.doc), rule.doc.key, rule.doc.section, self._addresses)


def cited_section(words: str, key: str, section: str, addresses: Mapping[str, str]) -> Inline:
    """Return words as a link to a section of a specification, or to its page if none is named, where that is known."""
    address = addresses.get(key)
    if not address:
        return words
    return Link(words, f"{address}#{anchor_of(section)}" if section else address)


# ---------------------------------------------------------------- the program and its outcomes


def program_blocks(shown: Shown) -> Iterator[Block]:
    """Yield what a test shows, and its program."""
    test = shown.test
    if description := " ".join(test.description.split()):
        yield Paragraph(description)
    bare = print_test(replace(test, description="", expectations=(), outcome_sets=()), documented=True)
    yield Program(without_head(bare))


def outcome_grid(shown: Shown) -> Iterator[Block]:
    """Yield the outcomes, a row for each, and whether each model permits it."""
    results = list(shown.results.values())
    rows: dict[tuple[str, ...], list[str]] = {}
    # Of a set that is not complete nobody knows what it lacks, and undefined behaviour promises nothing.
    absent = ["\u2014" if result.complete and not result.undefined else "?" for result in results]
    for number, result in enumerate(results):
        for texts in result.texts:
            rows.setdefault(texts, list(absent))[number] = "permitted"
    heads: list[Line] = [*(Code(c.name) for c in results[0].columns), *map(Code, shown.results)]
    lines: list[list[CellContent]] = [[*map(Code, texts), *permitted] for texts, permitted in rows.items()]
    yield replace(table(heads, lines), caption=f"Outcomes of {shown.test.name}")
    for label, result in shown.results.items():
        for reason in (*result.undefined, *map(str, result.incomplete)):
            yield Paragraph((Code(label), f": {reason}"))


def _verdicts(shown: Shown, anchors: Anchors) -> Iterator[Block]:
    """Yield the verdict of each model on the condition, with the rules that exclude it."""
    question = f"{shown.test.quantifier.value} ({condition_text(shown.test.condition)})"
    lines: list[list[CellContent]] = []
    for label, result in shown.results.items():
        lines.append([Code(label), Strong(result.verdict), because(shown.answers[label], label, anchors)])
    yield replace(table(["Model", "Verdict", "Why"], lines), caption=f"Verdicts of {shown.test.name} on {question}")


def because(answer: Explanation, model: str, anchors: Anchors) -> Line:
    """Return in one line why a condition may hold, or not."""
    if answer.answer is ExplainedAnswer.FORBIDDEN:
        if not answer.core:
            return answer.reason
        found: list[Inline] = ["excluded by "]
        for number, part in enumerate(answer.core):
            found += [*([" and "] if number else []), anchors.rule(part.rule, model)]
        return tuple(found)
    if answer.answer is ExplainedAnswer.ALLOWED and answer.reason == WILD:
        return "only undef satisfies the condition: it is equal to any value"
    return answer.reason or "an execution has this outcome"


def undef_reasons(shown: Shown, anchors: Anchors) -> Iterator[Block]:
    """Yield why each read that returns undef does, in each outcome in which one does; models of one reason together."""
    reasons: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for label, outcomes in shown.undef.items():
        for outcome, answer in outcomes:
            for section in answer.sections:
                if section.undef is not None:
                    anchors.rule(section.undef, label)
                    said = tuple(s.text for s in section.statements if s.by != section.undef)
                    reasons.setdefault((outcome, section.title, said), []).append(label)
    items = []
    for (outcome, title, said), labels in reasons.items():
        models = listed(map(Code, labels))
        head = (Code(outcome.replace(" ", "\u00a0")), " under ", *models, f": {title}")
        items.append(Item(head, (bullets(said),) if said else ()))
    if items:
        about = Paragraph("Events go by their labels, or by letters in the order of the program, as in the picture.")
        yield Section("Why a value is undef", (about, List(tuple(items))), f"{anchors.place}-undef".lstrip("-"))


def cited_rules(anchors: Anchors) -> list[Block]:
    """Return the rules that the section names, each with its sentence and where it is said."""
    lines: list[Line] = []
    for rule in anchors.rules:
        source = anchors.source(rule) if rule.doc.key else ""
        lines.append((Strong(rule.name), f": {rule.doc.text}", *((" (", source, ")") if source else ())))
    return [Section("Rules", (bullets(lines),), f"{anchors.place}-rules".lstrip("-"))] if lines else []


# ---------------------------------------------------------------- pictures


def pictures_of(
    shown: Shown, show: Sequence[str] | None, *, hidden: Sequence[str] = ()
) -> Iterator[tuple[str, Execution, str]]:
    """Yield a picture for each answer of the models: what it is about, the execution, its caption.

    Models with the same answer and the same execution share one, that of the first. The `hidden` relations are drawn,
    and not shown until the page shows them.
    """
    seen: dict[tuple[object, ...], None] = {}
    for label, answer in shown.answers.items():
        exhibit = answer.exhibit
        if exhibit is None:
            continue
        key = (answer.answer, tuple(exhibit.outcome.items()), tuple(sorted(exhibit.view.execution.rf.items())))
        if key in seen:
            continue
        seen[key] = None
        known = relation_names(exhibit.view)
        names = [name for name in show or DRAWN if name in known]
        more = [name for name in hidden if name in known and name not in names]
        drawn = replace(execution(exhibit, [*names, *more]), hidden=tuple(more))
        outcome = "  ".join(f"{name}={value}" for name, value in exhibit.outcome.items())
        broken = " and ".join(rule.name for rule in exhibit.broken)
        what = f"The nearest execution, which breaks {broken}" if broken else "An execution"
        caption = f"{shown.test.name} under {label}, {answer.answer.value}. {what}: {outcome or 'no values'}."
        yield f"{shown.test.name}.{label}", replace(drawn, title=f"{shown.test.name} under {label}"), caption


def _alternative(drawn: Execution) -> str:
    """Return what a picture shows, in words for who cannot see it."""
    return "; ".join(" ".join(line.split()) for line in drawn.lines())


def undef_outcomes(result: Result) -> Iterable[str]:
    """Return the outcomes in which some value is undef, as conditions."""
    names = [column.name for column in result.columns]
    for texts in result.texts:
        if any("undef" in text for text in texts):
            yield " /\\ ".join(f"{name}={text}" for name, text in zip(names, texts, strict=True))
