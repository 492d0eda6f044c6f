"""The pages of models and of their rules: the text beside the specification's sections, and the tests that decide it.

What goes in: a model, the records of a site's tests, and what a page of mutations says. What comes out: documents by
their addresses. Invariant: each name in a text leads to its definition, each definition to the tests that rest on it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from axmem.check.selection import loaded, parse_choice
from axmem.front.records import dataclass
from axmem.front.source import Source, mistake
from axmem.model.lexer import Lexer, TokenKind
from axmem.model.library import source, written
from axmem.model.model import Model
from axmem.model.terms import Axiom, UndefRule
from axmem.report.executions import labels as relations_shown
from axmem.report.explanation import reference
from axmem.report.sections import UNCITED, SpecificationEntry, by_key, keys_of
from axmem.report.site.addresses import anchor_of_definition, model_address, root_of, rule_address
from axmem.report.specification_pages import ADDRESSES, cited_section
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
    Stack,
    anchor_of,
    bullets,
    listed,
    table,
)

LISTED = 12
"""How many tests a cell lists; of more it says how many there are."""
ON_A_PAGE = 500
"""How many tests the page of a rule lists."""

Decided = Mapping[str, Sequence[str]]
"""The tests that turn red if a definition is changed, by the name of the definition."""


@dataclass(frozen=True, slots=True)
class Uses:
    """Which tests rest on a definition or rule of a model: their records, by its name."""

    core: Mapping[str, list[dict[str, Any]]]
    undef: Mapping[str, list[dict[str, Any]]]
    cites: Mapping[str, list[dict[str, Any]]]

    def all_of(self, name: str) -> list[dict[str, Any]]:
        """Return the tests of a name, each once."""
        found = (*self.core.get(name, ()), *self.undef.get(name, ()), *self.cites.get(name, ()))
        return list({test["key"]: test for test in found}.values())


def read_mutants(text: str, name: str) -> dict[str, list[str]]:
    """Return the tests that each definition decides, from a page that `make mutants` wrote. Raises InputError."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 3 and (row := re.fullmatch(r"`([^`]+)`", cells[0])):
            found[row[1]].update(dict.fromkeys(re.findall(r"`([^`]+)`", cells[2])))
    if not found:
        raise mistake("--mutants", f"{name} has no table of mutations", "make mutants writes one", text=name)
    return {definition: list(tests) for definition, tests in found.items()}


def uses_of(label: str, tests: Iterable[dict[str, Any]]) -> Uses:
    """Return which tests rest on what, as the explanations under a model say."""
    found: tuple[dict[str, list[dict[str, Any]]], ...] = (defaultdict(list), defaultdict(list), defaultdict(list))
    for test in tests:
        for each in test["models"]:
            if each["model"] == label:
                for names, kind in zip((each["core"], each["undef"], each["cites"]), found, strict=True):
                    for name in names:
                        kind[name].append(test)
    return Uses(*found)


def model_documents(
    label: str, tests: Sequence[dict[str, Any]], decided: Decided, addresses: Mapping[str, str] = ADDRESSES
) -> Iterator[tuple[str, Document]]:
    """Yield the page of a model and those of its rules, with their addresses."""
    pages = _Pages(label, tests, decided, addresses)
    yield model_address(label), pages.model_page()
    for rule in pages.rules.values():
        yield rule_address(label, rule.name), pages.rule_page(rule)


def _anchors(entries: Iterable[SpecificationEntry]) -> Iterator[str]:
    """Yield the anchors of definitions and rules; one that is defined twice is numbered from the second on."""
    seen: Counter[str] = Counter()
    for entry in entries:
        base = anchor_of_definition(entry.name, rule=entry.rule)
        seen[base] += 1
        yield base if seen[base] == 1 else f"{base}.{seen[base]}"


class _Pages:
    def __init__(
        self, label: str, tests: Sequence[dict[str, Any]], decided: Decided, addresses: Mapping[str, str]
    ) -> None:
        choice = parse_choice(label)
        self.label = label
        self.model: Model = loaded(choice)
        self.decided = decided
        self.addresses = addresses
        self.uses = uses_of(label, tests)
        self.by_key = {test["key"]: test for test in tests}
        self.text = Source(f"{label} (as one file)", written(choice.model, dict(choice.variants)))
        self.sections = list(by_key(self.text, keys_of(source(choice.model))))
        entries = [entry for _, found in self.sections for _, some in found for entry in some]
        self.anchors = dict(zip(map(id, entries), _anchors(entries), strict=True))
        # Of definitions of one name the last is what rules mean.
        self.defined = {entry.name: entry for entry in entries if not entry.rule}
        self.ruling = {entry.name: entry for entry in entries if entry.rule}
        rules: list[Axiom | UndefRule] = [*self.model.axioms, *self.model.undefs]
        self.rules = {rule.name: rule for rule in rules}

    # ------------------------------------------------------------ the model

    def model_page(self) -> Document:
        """Return the page of the model."""
        root = root_of(model_address(self.label))
        about = (
            "The specifications' sections, each with our restatement of a sentence and the definition that stands for "
            "it. A test is named beside a definition if its explanation in this report rests on it, or if it fails "
            "when the definition is changed."
        )
        blocks: list[Block] = [Paragraph(about)]
        ways = (Link(name, root + rule_address(self.label, name)) for name in self.rules)
        blocks.append(Section("Rules", (bullets(ways),), "rules"))
        for key, found in self.sections:
            inner = tuple(
                Section(self._cited(key, section), (self._table(some, root),), anchor_of(f"{key} {section}"))
                if key
                else self._table(some, root)
                for section, some in found
            )
            blocks.append(Section(key or UNCITED, inner, anchor_of(f"key {key}")))
        if self.model.variants:
            blocks.append(Section("Readings", (self._variants(),), "readings"))
        return Document(tuple(blocks), title=f"{self.label}: {self.model.title or self.label}")

    def _cited(self, key: str, section: str) -> Line:
        return (cited_section(section or key, key, section, self.addresses),)

    def _table(self, entries: Sequence[SpecificationEntry], root: str) -> Block:
        rows: list[list[CellContent]] = [
            [entry.doc.text, self._program(entry, root, ""), self._tests(entry.name, root)] for entry in entries
        ]
        heads: list[Line | Column] = [
            Column("Sentence", long=True),
            "Definition",
            Column("Tests that decide it", long=True),
        ]
        return table(heads, rows)

    def _program(self, entry: SpecificationEntry, root: str, page: str) -> Program:
        """Return a definition, each name of which leads to where that is defined; `page` is where that is."""
        text = entry.text.strip("\n")
        found = []
        tokens = Lexer(Source("", text)).run()
        for token in tokens:
            if token.kind is not TokenKind.NAME or (token.text == entry.name and not entry.rule):
                continue
            if (named := self.defined.get(token.text)) is not None:
                found.append((token.start, token.end, f"{page}#{self.anchors[id(named)]}"))
        if entry.rule and entry.name in self.rules:
            # The name of a rule stands last.
            at = text.rfind(entry.name)
            found = [each for each in found if each[0] != at]
            inside = any(start <= at < end for start, end, _ in found)
            if at >= 0 and not inside:
                found.append((at, at + len(entry.name), root + rule_address(self.label, entry.name)))
        anchor = "" if page else self.anchors[id(entry)]
        return Program(text, "cat", anchor, tuple(sorted(found)))

    def _tests(self, name: str, root: str) -> CellContent:
        """Return the tests that rest on a definition, and those that turn red with it."""
        lines: list[Line] = []
        for title, tests in (("explained by it: ", self._explained(name)), ("red without it: ", self._red(name))):
            if tests:
                more = [f"{len(tests) - LISTED:,} more"] if len(tests) > LISTED else []
                ways: list[Line] = [self._way(key, root) for key in tests[:LISTED]]
                lines.append((title, *listed([*ways, *more])))
        return Stack(tuple(lines)) if lines else ""

    def _explained(self, name: str) -> list[str]:
        return [test["key"] for test in self.uses.all_of(name)]

    def _red(self, name: str) -> list[str]:
        explained = set(self._explained(name))
        return [key for key in self.decided.get(name, ()) if key not in explained]

    def _way(self, key: str, root: str) -> Inline:
        """Return a test by its name, as a link if the site has it."""
        test = self.by_key.get(key)
        return Link(key, root + test["address"]) if test is not None else Code(key)

    def _variants(self) -> Block:
        chosen = self.model.choice
        rows: list[list[CellContent]] = [
            [Code(v.name), ", ".join(v.values), Code(chosen[v.name]), v.text]
            for v in sorted(self.model.variants, key=lambda v: v.name)
        ]
        return table(["Reading", "Values", "Here", Column("What it decides", long=True)], rows)

    # ------------------------------------------------------------ a rule

    def rule_page(self, rule: Axiom | UndefRule) -> Document:
        """Return the page of a rule: its sentence, its text, what it is made of, and the tests that rest on it."""
        address = rule_address(self.label, rule.name)
        root = root_of(address)
        page = root + model_address(self.label)
        blocks: list[Block] = []
        if rule.doc.text:
            blocks.append(Paragraph(rule.doc.text))
        if rule.doc.key:
            source = cited_section(reference(rule.doc), rule.doc.key, rule.doc.section, self.addresses)
            blocks.append(Paragraph(("Source: ", source)))
        blocks.append(Paragraph(("Model: ", Link(self.label, page))))
        if (entry := self.ruling.get(rule.name)) is not None:
            blocks.append(self._program(entry, root, page))
        blocks += self._parts(rule, page)
        of_rule = (
            ("Outcomes that it excludes", self.uses.core.get(rule.name, [])),
            ("Reads that it makes undef", self.uses.undef.get(rule.name, [])),
        )
        for title, tests in of_rule:
            if tests:
                blocks.append(Section(title, tuple(_listing(tests, root))))
        if red := self._red(rule.name):
            ways = bullets(self._way(key, root) for key in red)
            blocks.append(Section("Tests that fail when it is changed", (ways,)))
        return Document(tuple(blocks), title=f"{rule.name} ({self.label})")

    def _parts(self, rule: Axiom | UndefRule, page: str) -> Iterator[Block]:
        """Yield the definitions that a rule is made of, with their sentences."""
        below = self.model.needed([rule.term])
        lines: list[Line] = []
        for name, definition in {d.name: d for d in self.model.definitions}.items():
            if definition.term in below and (entry := self.defined.get(name)) is not None:
                said = f": {definition.doc.text}" if definition.doc.text else ""
                lines.append((Link(name, f"{page}#{self.anchors[id(entry)]}"), said))
        if lines:
            yield Section("What it is made of", (bullets(lines),), "parts")


def _listing(tests: Sequence[dict[str, Any]], root: str) -> Iterator[Block]:
    items = [(Link(test["key"], root + test["address"]), f": {test['condition']}") for test in tests[:ON_A_PAGE]]
    yield bullets(items)
    if len(tests) > ON_A_PAGE:
        yield Paragraph(f"{len(tests) - ON_A_PAGE:,} more: search the overview for the name of the rule.")


def relations_of(labels: Iterable[str]) -> Iterator[str]:
    """Yield the relations that pictures of these models may show."""
    for label in labels:
        model = loaded(label)
        yield from relations_shown(model)
        yield from (definition.name for definition in model.definitions)
