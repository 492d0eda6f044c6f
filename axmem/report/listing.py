"""A lowered test: each statement with its instructions, and a table over targets.

What goes in: a test lowered for one target or several. What comes out: text or a document. Order is that of the test
and of the targets; nothing depends on time or place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from axmem.codegen.instructions import EmittedInstruction
from axmem.codegen.program import LoweredStatement, LoweredTest
from axmem.report.tree import Code, Document, codes, table


def heading(lowered: LoweredTest) -> str:
    """Return what a listing is of: the test, the target with its mode, the profile."""
    target = lowered.target
    return f"{lowered.test.name} on {target.name} ({target.mode} mode), {target.profile}"


def source_line(lowered: LoweredTest, statement: LoweredStatement) -> tuple[int, str]:
    """Return the number and the text of the line that a statement stands in."""
    number = statement.statement.span.line
    return number, lowered.test.source.line(number).strip()


def listing(lowered: LoweredTest) -> str:
    """Return each statement with its instructions, and below each instruction why it stands there."""
    out = [heading(lowered)]
    for thread in lowered.threads:
        out += ["", thread.name]
        for statement in thread.statements:
            number, line = source_line(lowered, statement)
            out.append(f"{number:5}  {'  ' * statement.depth}{line}")
            if statement.unknown:
                out.append(f"         {'  ' * statement.depth}({statement.unknown})")
            for instruction in statement.instructions:
                out += _explained(instruction, "         " + "  " * statement.depth)
    return "\n".join(out) + "\n"


def _explained(instruction: EmittedInstruction, indent: str) -> Iterator[str]:
    yield f"{indent}{instruction.text}"
    reasons = instruction.reasons
    for subject, why in reasons:
        yield f"{indent}    {why}" if len(reasons) == 1 else f"{indent}    {subject}: {why}"


# ---------------------------------------------------------------- tables over targets


def document(targets: Sequence[LoweredTest]) -> Document:
    """Return a test as a table with a row per statement and a column per target, and their records."""
    first = targets[0]
    rows = []
    for index, thread in enumerate(first.threads):
        for place, statement in enumerate(thread.statements):
            number, line = source_line(first, statement)
            lowered = [target.threads[index].statements[place].instructions for target in targets]
            cells = [codes(i.text for i in each) if each else statement.unknown for each in lowered]
            rows.append([thread.name, str(number), Code("  " * statement.depth + line), *cells])
    heads = ["Thread", "Line", "Source", *(target.target.label for target in targets)]
    return Document((table(heads, rows),), {"lowerings": [record(target) for target in targets]})


# ---------------------------------------------------------------- JSON


def record(lowered: LoweredTest) -> dict[str, object]:
    """Return a lowered test as plain data, keys in a fixed order."""
    target = lowered.target
    head = {"test": lowered.test.name, "target": target.name, "mode": target.mode, "profile": target.profile}
    threads = [
        {"thread": thread.name, "statements": [_statement(lowered, s) for s in thread.statements]}
        for thread in lowered.threads
    ]
    return {**head, "threads": threads}


def _statement(lowered: LoweredTest, statement: LoweredStatement) -> dict[str, object]:
    number, line = source_line(lowered, statement)
    instructions = [_instruction(i) for i in statement.instructions]
    found = {"line": number, "source": line, "depth": statement.depth, "instructions": instructions}
    return {**found, "unknown": statement.unknown} if statement.unknown else found


def _instruction(instruction: EmittedInstruction) -> dict[str, object]:
    parts = [{"name": p.name, "text": p.text, "why": p.why or None, "source": p.source} for p in instruction.parts]
    return {
        "kind": instruction.kind.value,
        "text": instruction.text,
        "mnemonic": instruction.mnemonic,
        "why": instruction.why or None,
        "source": instruction.source or None,
        "parts": parts,
    }
