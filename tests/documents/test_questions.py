"""A reader finds answers: twenty questions within two clicks of the front page; pages begin with an example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documents.pages import PAGES, blocks, sections, without_blocks
from tests.paths import ROOT

README = ROOT / "README.md"
QUESTIONS = {
    "Is my fence enough?": ("docs/kernel-authors.md", "is-my-fence-enough", "axmem check"),
    "Can I ask of a `.hip` file?": ("docs/llvm-ir.md", "sources", "`.hip`"),
    "May my pass delete this load?": ("docs/may-my-pass.md", "may-i-delete-this-load", "A plain load yes"),
    "What is bounded?": ("docs/engine.md", "bounds", "`bound N`"),
    "What does exit code 3 mean?": ("docs/commands.md", "exit-codes", "| 3 | unknown"),
    "What does axmem say of undef?": ("docs/design.md", "undef", "bit by bit"),
    "How do I write an MMRA tag?": ("docs/language.md", "tags", "`# prefix:suffix"),
    "Which cache bits does an acquire at agent scope need on gfx942?": (
        "docs/verify.md", "what-each-outcome-needs", "buffer_inv sc1",
    ),
    "Who decided this reading?": ("docs/references.md", "open-readings", "What the text says"),
    "How do I add a target or a model?": ("CONTRIBUTING.md", "how-to-add", "**A target.**"),
    "What does a racy read return?": ("docs/glossary.md", "data-race", "`undef`"),
    "Which models are there, and how do they differ?": ("docs/models.md", "the-models", "`amdgpu-doc`"),
    "Does a release at workgroup scope synchronize with another workgroup?": (
        "docs/glossary.md", "inclusive-scopes", "scope instance of the other",
    ),
    "What does `amdgcn-av:none` do?": ("docs/glossary.md", "make-available", "`amdgcn-av:none`"),
    "May my pass move a load over an acquire?": ("docs/may-my-pass.md", "how-to-read-it", "acquire"),
    "What does `sound` promise?": ("docs/refine.md", "what-the-answers-mean", "space"),
    "Which instructions does a release become on gfx942?": ("docs/codegen.md", "an-example", "buffer_wbl2"),
    "Is the code that llc emits correct?": ("docs/verify.md", "what-a-compiler-made-of-a-test", "--llc"),
    "What if a test has a loop?": ("docs/language.md", "loops", "`bound N`"),
    "Why is the verdict `unknown`?": ("docs/engine.md", "limits", "`--timeout`"),
}  # fmt: skip
"""What a reader asks who knows LangRef and not axmem: the page, the section, and words that the answer has."""
OTHER_QUESTIONS = {
    "Does axmem know `syncscope(\"agent-one-as\")`?": ("docs/language.md", "statements", "`agent-one-as`"),
    "What does the verdict `unknown` mean?": ("docs/glossary.md", "verdict", "unknown"),
    "Which text of LangRef is meant?": ("docs/references.md", "langref", "September 2026"),
    "What is a failed cmpxchg?": ("docs/references.md", "open-readings", "a failed cmpxchg is a plain load"),
    "What does a volatile access do?": ("docs/references.md", "open-readings", "a volatile access is store-available"),
    "Do accesses of other sizes race?": ("docs/references.md", "open-readings", "atomics must access the same bytes"),
    "May a test use poison or freeze?": ("docs/language.md", "statements", "`freeze` are refused"),
    "Is a memory that nobody wrote undef?": ("docs/language.md", "locations", "uninitialised: no initial write"),
    "Does a barrier order memory?": ("docs/language.md", "what-engines-know-of-kernels", "a barrier orders no memory"),
    "What of a module is not read?": ("docs/llvm-ir.md", "what-is-read", "Refused"),
    "Does a fence of workgroup scope pair with an atomic of agent scope?": (
        "docs/references.md", "open-readings", "a fence pairs with an atomic of any scope",
    ),
    "Which files does a command read?": ("docs/commands.md", "paths", "at any depth"),
}  # fmt: skip
"""What else such a reader asks: a page that the first pages link, and its section, whose heading leads there."""
LONGEST = 30
"""The most words that a sentence of the front page may have."""


def links(page: Path) -> set[tuple[Path, str]]:
    """Return where a page's links lead: pages with the anchors that they name, or none."""
    found = re.findall(r"\]\(([^)#:\s]*\.md)(?:#([^)\s]*))?\)", page.read_text(encoding="utf-8"))
    return {((page.parent / target).resolve(), anchor) for target, anchor in found}


def within_two_clicks() -> set[tuple[Path, str]]:
    first = links(README)
    return first | {link for page, _ in first for link in links(page)}


def sentences(page: Path) -> list[str]:
    """Return the sentences of a page outside its blocks, headings and tables; each item of a list begins one."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", without_blocks(page.read_text(encoding="utf-8")))
    kept = [line for line in text.splitlines() if not re.match(r"[|#]", line)]
    parts = re.split(r"\n\s*\n|^- ", "\n".join(kept), flags=re.MULTILINE)
    return [each for part in parts for each in re.split(r"(?<=[.:?!])\s+", part.strip()) if each]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_within_two_clicks(question: str) -> None:
    name, anchor, words = QUESTIONS[question]
    page = ROOT / name
    assert words in sections(page)[anchor]
    assert (page, anchor) in within_two_clicks()
    assert f"| {question} |" in (ROOT / "docs" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("question", OTHER_QUESTIONS)
def test_another_question_is_answered_on_a_page_that_the_first_pages_link(question: str) -> None:
    name, anchor, words = OTHER_QUESTIONS[question]
    page = ROOT / name
    assert words in sections(page)[anchor].replace("\n", " ")
    first = links(README) | links(ROOT / "docs" / "README.md")
    assert page in {linked for linked, _ in first}


def test_no_sentence_of_the_front_page_is_long() -> None:
    found = sentences(README)
    assert len(found) > 20
    assert [each for each in found if len(each.split()) > LONGEST] == []


MOST_WORDS = 600


def test_the_front_page_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").split()) <= MOST_WORDS


def test_the_front_page_counts_what_the_peers_page_has() -> None:
    page = (ROOT / "results" / "peers.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if re.match(r"\| (Dartagnan|herd|Khronos) \|", line)]
    rows = [line.strip("|").split("|") for line in lines]
    same, different, explained = (sum(int(row[column]) for row in rows) for column in (5, 6, 7))
    said = README.read_text(encoding="utf-8").replace("\n", " ")
    assert f"Of {same + different + explained:,} answers" in said
    assert f"{same:,} are theirs and {explained} differ for a reason" in said and different == 0


def test_the_front_page_counts_the_findings_that_still_show() -> None:
    page = (ROOT / "docs" / "findings" / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| \[.* \| (wrong|right) \| (wrong|right) \|$", page, re.MULTILINE)
    assert set(shown) == {("wrong", "wrong")}
    assert f"[{len(shown)} findings](docs/findings/README.md) about LLVM 22 still show" in README.read_text("utf-8")


def test_changes_that_a_page_names_have_the_answers_of_the_results() -> None:
    known = (ROOT / "results" / "known.md").read_text(encoding="utf-8")
    answers = dict(re.findall(r"^\| (\w+/\w+) \|.*?\| (?:un)?sound \| (\w+) \|", known, re.MULTILINE))
    page = (ROOT / "docs" / "may-my-pass.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| .* \| (\w+) \| `(\w+/\w+)` \|$", page, re.MULTILINE)
    assert len(shown) >= 10
    words = {"proved": "sound", "refuted": "unsound"}
    assert [name for said, name in shown if words[answers[name]] != said] == []


def test_every_page_is_within_two_clicks() -> None:
    reached = {page for page, _ in within_two_clicks()} | {README}
    pages = {page.resolve() for page in PAGES if "findings" not in page.parts}
    assert sorted(pages - reached) == []


def test_every_page_begins_with_an_example() -> None:
    """Before the second heading of a page stands something to paste, or to look at: a block, a picture, code."""
    for page in PAGES:
        if page.parent != ROOT / "docs":
            continue
        text = page.read_text(encoding="utf-8")
        head = text.split("\n## ", 2)
        beginning = "\n## ".join(head[:2])
        assert list(blocks(page)) == [] or "```" in beginning, page.name
        assert "`" in head[0] or "```" in beginning, page.name
