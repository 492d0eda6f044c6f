"""The page of a specification's author: each test with its program, its outcomes under any models, and why.

What goes in: tests with their results and explanations under a list of models. What comes out: a document, and the
pictures that it shows, by the names of their files. Every verdict stands with the rules that exclude an outcome, every
undef with the rule that makes it so, and every rule with its section of a specification as a link.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from axmem.check.results import Result
from axmem.encoder.constraints import Rule
from axmem.explanations.explanation import WILD, Answer, Explanation
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
    drawings = [list(_pictures(shown, show)) for shown in found]
    names = iter(file_names([about for each in drawings for about, _, _ in each], "svg"))
    for shown, drawn_of in zip(found, drawings, strict=True):
        anchors = Anchors(addresses)
        blocks = [*_program(shown), *_grid(shown), *_verdicts(shown, anchors), *_undefined(shown, anchors)]
        for _, drawn, caption in drawn_of:
            name = next(names)
            if inline:
                blocks += [drawn, Paragraph(caption)]
            else:
                pictures[name] = Document((drawn,))
                blocks.append(Image(name, _alternative(drawn), caption))
        blocks += _cited(anchors)
        sections.append(Section(shown.test.name, tuple(blocks), anchor=f"test-{anchor_of(shown.test.name)}"))
    return Document(tuple(sections), title=title), pictures


class Anchors:
    """The links to specifications of a section, and the rules that were named in it."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self._addresses = addresses
        self.rules: dict[Rule, None] = {}

    def rule(self, rule: Rule) -> Code:
        """Return a rule by its name, which the section lists with its sentence."""
        self.rules[rule] = None
        return Code(rule.name)

    def source(self, rule: Rule) -> Inline:
        """Return where a rule is said: `[Key] "Section"`, as a link if the page is known."""
        words = reference(rule.doc)
        address = self._addresses.get(rule.doc.key)
        if not address:
            return words
        return Link(words, f"{address}#{anchor_of(rule.doc.section)}" if rule.doc.section else address)


# ---------------------------------------------------------------- the program and its outcomes


def _program(shown: Shown) -> Iterator[Block]:
    test = shown.test
    if description := " ".join(test.description.split()):
        yield Paragraph(description)
    bare = print_test(replace(test, description="", expectations=(), outcome_sets=()), documented=True)
    yield Program(without_head(bare))


def _grid(shown: Shown) -> Iterator[Block]:
    """Yield the outcomes, a row for each, and whether each model permits it."""
    results = list(shown.results.values())
    rows: dict[tuple[str, ...], list[bool]] = {}
    for number, result in enumerate(results):
        for texts in result.texts:
            rows.setdefault(texts, [False] * len(results))[number] = True
    heads: list[Line] = [*(Code(c.name) for c in results[0].columns), *map(Code, shown.results)]
    lines: list[list[CellContent]] = [
        [*map(Code, texts), *("permitted" if each else "\u2014" for each in permitted)]
        for texts, permitted in rows.items()
    ]
    yield replace(table(heads, lines), caption=f"Outcomes of {shown.test.name}")
    for label, result in shown.results.items():
        for reason in (*result.undefined, *map(str, result.incomplete)):
            yield Paragraph((Code(label), f": {reason}"))


def _verdicts(shown: Shown, anchors: Anchors) -> Iterator[Block]:
    """Yield the verdict of each model on the condition, with the rules that exclude it."""
    question = f"{shown.test.quantifier.value} ({condition_text(shown.test.condition)})"
    lines: list[list[CellContent]] = []
    for label, result in shown.results.items():
        lines.append([Code(label), Strong(result.verdict), _because(shown.answers[label], anchors)])
    yield replace(
        table(["Model", "Verdict", "Why"], lines), caption=f"Verdicts of {shown.test.name} on {question}"
    )


def _because(answer: Explanation, anchors: Anchors) -> Line:
    """Return in one line why a condition may hold, or not."""
    if answer.answer is Answer.FORBIDDEN:
        if not answer.core:
            return answer.reason
        found: list[Inline] = ["excluded by "]
        for number, part in enumerate(answer.core):
            found += [*([" and "] if number else []), anchors.rule(part.rule)]
        return tuple(found)
    if answer.answer is Answer.ALLOWED and answer.reason == WILD:
        return "only undef satisfies the condition: it is equal to any value"
    return answer.reason or "an execution has this outcome"


def _undefined(shown: Shown, anchors: Anchors) -> Iterator[Block]:
    """Yield why each read that returns undef does, in each outcome in which one does; models of one reason together."""
    reasons: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for label, outcomes in shown.undef.items():
        for outcome, answer in outcomes:
            for section in answer.sections:
                if section.undef is not None:
                    anchors.rule(section.undef)
                    said = tuple(s.text for s in section.statements if s.by != section.undef)
                    reasons.setdefault((outcome, section.title, said), []).append(label)
    items = []
    for (outcome, title, said), labels in reasons.items():
        models = listed(map(Code, labels))
        head = (Code(outcome.replace(" ", "\u00a0")), " under ", *models, f": {title}")
        items.append(Item(head, (bullets(said),) if said else ()))
    if items:
        about = Paragraph("Events go by their labels, or by letters in the order of the program, as in the picture.")
        yield Section("Why a value is undef", (about, List(tuple(items))))


def _cited(anchors: Anchors) -> list[Block]:
    """Return the rules that the section names, each with its sentence and where it is said."""
    lines: list[Line] = []
    for rule in anchors.rules:
        source = anchors.source(rule) if rule.doc.key else ""
        lines.append((Strong(rule.name), f": {rule.doc.text}", *((" (", source, ")") if source else ())))
    return [Section("Rules", (bullets(lines),))] if lines else []


# ---------------------------------------------------------------- pictures


def _pictures(shown: Shown, show: Sequence[str] | None) -> Iterator[tuple[str, Execution, str]]:
    """Yield a picture for each answer of the models: what it is about, the execution, its caption.

    Models with the same answer and the same execution share one, that of the first.
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
        drawn = execution(exhibit, [name for name in show or DRAWN if name in known])
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
