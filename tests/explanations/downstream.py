"""The condition of a test moved one store downstream: what registers held is asked of memory to which it is stored."""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.explanations.explanation import ExplainedAnswer, explain
from axmem.formats.reading import parse
from axmem.front.source import InputError
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest

REGISTER = re.compile(r"\b(\w+):(\w+)\b")
THREAD = re.compile(r"^thread (\w+)\b[^\n]*\{\n.*?^\}", re.MULTILINE | re.DOTALL)


def moved(test: LitmusTest) -> LitmusTest | None:
    """Return the test with each register of its condition stored last; None if that cannot be written."""
    text = print_test(test)
    program, _, question = text.partition("\nexists ")
    question = question.partition("\n")[0]
    asked = list(dict.fromkeys(REGISTER.findall(question)))
    if not asked:
        return None
    for number, (thread, register) in enumerate(asked):
        block = next((m for m in THREAD.finditer(program) if m[1] == thread), None)
        if block is None:
            return None
        at = block.end() - 1
        program = f"{program[:at]}  Z{number}: store %{register}, down{number}\n{program[at:]}"
        question = re.sub(rf"\b{thread}:{register}\b", f"down{number}", question)
    head, _, rest = program.partition("\n\n")
    cells = "\n".join(f"global down{number} = 0" for number in range(len(asked)))
    try:
        return parse(f"{head}\n\n{cells}\n{rest}\nexists {question}\n")
    except InputError:
        return None


def lost(test: LitmusTest, model: str) -> Iterator[str]:
    """Yield what is said of an outcome that is allowed, and no longer once the condition is moved."""
    after = moved(test)
    if after is None:
        return
    first, second = explain(test, model, repairs=False), explain(after, model, repairs=False)
    if first.answer is not second.answer:
        yield f"{first.answer.value} becomes {second.answer.value}"
    elif first.answer is ExplainedAnswer.ALLOWED and first.reason == second.reason:
        said = {(s.title, x.text) for s in second.sections for x in s.statements}
        gone = [x.text for s in first.sections for x in s.statements if (s.title, x.text) not in said]
        yield from (f"{text}: gone one store downstream" for text in gone)
