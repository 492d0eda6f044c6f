"""What was found of LLVM's own tests.

What goes in: answers about functions, and files that gave no module. What comes out: a line for each function that is
not left as it was, and tables: how many functions were read, changed, and judged how; why others were not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from axmem.front.output import counted
from axmem.refinement.inclusion import BOUNDED, SOUND, UNKNOWN, UNSOUND, VERDICTS
from axmem.refinement.opt_runs import function_lines
from axmem.refinement.opt_tests import GONE, REFUSED, UNCHANGED, Answer, Unread
from axmem.report.tree import Code, Column, Document, Line, Paragraph, Section, table

NAMED = ("atomic", "fence", "volatile", "mmra")
"""Of files with these words in their names the functions are counted apart."""
ANNOTATION = "; AXMEM-REFINE:"
"""What a line begins with that says in a test what is known of the function below."""
_VARYING = re.compile(r"'[^']*'|%[\w.]+|@[\w.$]+|\b[0-9]+\b")


def answer_line(answer: Answer) -> str:
    """Return what is said of a function; nothing of one that passes left as it was."""
    if answer.verdict == UNCHANGED:
        return ""
    model = f"  {answer.model}" if answer.model else ""
    return f"{answer.file}:{answer.line}: @{answer.function}{model}  {_said(answer)}\n"


def annotated(text: str, answers: Iterable[Answer]) -> str:
    """Return a test with a line above each function that a run of opt changes, of each run and model.

    Lines of an earlier time go. The text is otherwise as it was, so that it can be written again and again.
    """
    kept = [line for line in text.split("\n") if not line.startswith(ANNOTATION)]
    above: dict[int, list[str]] = {}
    lines = function_lines("\n".join(kept))
    for each in answers:
        if each.verdict != UNCHANGED and each.function in lines:
            model = f" {each.model}:" if each.model else ""
            above.setdefault(lines[each.function], []).extend(
                f"{ANNOTATION}{model} {_said(each)} ({run})" for run in dict.fromkeys(each.runs)
            )
    return "\n".join(line for number, own in enumerate(kept, 1) for line in (*above.get(number, ()), own))


def _said(answer: Answer) -> str:
    words = answer.verdict
    if answer.verdict == SOUND:
        words = "sound in every context"
    elif answer.verdict == BOUNDED and answer.context is not None:
        words = f"{BOUNDED} in contexts of up to {counted(answer.context, 'operation')}"
    elif answer.verdict == UNSOUND:
        words = f"unsound in a context of {counted(answer.context or 0, 'operation')}"
        words += f" with {answer.choice}" if answer.choice else ""
    return words + (f": {'; '.join(answer.reasons)}" if answer.reasons and answer.verdict != UNSOUND else "")


def answer_record(answer: Answer | Unread) -> dict[str, Any]:
    """Return an answer as plain data."""
    return asdict(answer)


def sections(found: Sequence[Answer | Unread]) -> tuple[Section, ...]:
    """Return the tables."""
    number = Column("", number=True)
    return tuple(
        Section(title, (table((number, ""), [(str(many), name) for name, many in rows]),))
        for title, rows in tables(found)
    )


def document(found: Sequence[Answer | Unread], title: str, about: Line, origin: str = "") -> Document:
    """Return the tables and what is unsound as a page."""
    wrong = [each for each in _answers(found) if each.verdict == UNSOUND]
    rows = [
        ((Code(each.file), f" @{each.function}"), Code(each.runs[0]), each.model, str(each.context), each.choice)
        for each in wrong
    ]
    heads = ("Function", "Run", "Model", Column("Context", number=True), "Parameters")
    unsound = Section("Unsound changes", (table(heads, rows),))
    data = {"refinements": [answer_record(each) for each in found]}
    return Document((Paragraph(about), *sections(found), unsound), data, title, origin)


def tables(found: Sequence[Answer | Unread]) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """Yield what is counted: each table with its title, and rows of a name and a number."""
    answers = _answers(found)
    yield "Functions", list(_functions(answers))
    yield (
        f"Functions of files named {', '.join(f'*{each}*' for each in NAMED)}",
        list(_functions([each for each in answers if any(word in each.file.rpartition("/")[2] for word in NAMED)])),
    )
    models = list(dict.fromkeys(each.model for each in answers if each.model))
    for model in models:
        judged = Counter(each.verdict for each in answers if each.model == model)
        yield f"Changes under {model}", [(word, judged[word]) for word in VERDICTS]
    yield "Refused, by reason", _reasons(each.reasons[0] for each in answers if each.verdict == REFUSED)
    yield "Unknown, by reason", _reasons(r for each in answers if each.verdict == UNKNOWN for r in each.reasons[:1])
    yield "Runs that gave no module, by reason", _reasons(each.reason for each in found if isinstance(each, Unread))


def _answers(found: Iterable[Answer | Unread]) -> list[Answer]:
    return [each for each in found if isinstance(each, Answer)]


def _functions(answers: Sequence[Answer]) -> Iterator[tuple[str, int]]:
    """Yield how many functions there are, and how many ways in which runs leave them."""
    changes = {(each.file, each.function, each.runs): each for each in answers}
    kinds = Counter(
        each.verdict if each.verdict in (REFUSED, UNCHANGED, GONE) else "changed" for each in changes.values()
    )
    functions = {(each.file, each.function) for each in answers}
    refused = {(each.file, each.function) for each in answers if each.verdict == REFUSED}
    yield "functions", len(functions)
    yield "read, before and after every run", len(functions - refused)
    yield "ways in which runs leave them", len(changes)
    yield "as they were", kinds[UNCHANGED]
    yield "changed, and read", kinds["changed"]
    yield "changed, and refused", kinds[REFUSED]
    yield "removed, or with other parameters", kinds[GONE]


def _reasons(reasons: Iterable[str]) -> list[tuple[str, int]]:
    """Count reasons, those as one that differ in names and numbers alone."""
    return Counter(_VARYING.sub(_general, reason) for reason in reasons).most_common()


def _general(match: re.Match[str]) -> str:
    word = match[0]
    kept = word[:1] == "'" and re.fullmatch(r"'(@llvm\.[a-z.]+|[a-z]+)[^']*'", word)
    return word if kept else "N" if word[0].isdigit() else "…"
