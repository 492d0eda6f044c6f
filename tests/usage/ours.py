"""What a cell says that axmem printed: the sequence of a case.

What goes in: the lines of a cell, and the words of a case. What comes out: the sequence in the form of
`tests.lowering.canonical`, or None where there is no such operation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from axmem.commands.pages.usage_conditions import holds
from axmem.commands.pages.usage_tables import UNKNOWN
from tests.lowering.canonical import joined
from tests.usage.cells import Step, marked, steps

_NOTE = re.compile(r"(?:((?:``[^`]+``(?:, )?)+): )?((?:only|not) .*)")


def sequence(cell: Sequence[str], words: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the sequence of a case, in which accesses begin as the cell has it: `global/flat_load sc1`."""
    if cell[0].strip() == UNKNOWN:
        return None
    first, *found = steps(marked(cell, words["mark"]))
    if not all(holds(note, words.values()) for note in first.notes):
        return None
    return joined(item for step in found for item in _step(step, words))


def _step(step: Step, words: Mapping[str, str]) -> Iterator[str | frozenset[str]]:
    """Yield the instructions of a step that are there in a case; a wait is the set of its counters."""
    texts = re.findall(r"``([^`]+)``", step.text)
    whole, named = "", dict[str, str]()
    for note in step.notes:
        match = _NOTE.fullmatch(note)
        assert match, note
        for name in re.findall(r"``([^`]+)``", match[1] or ""):
            named[name] = match[2]
        whole = whole if match[1] else match[2]
    if not holds(whole, words.values()):
        return
    for text in texts:
        if not holds(named.get(text, ""), words.values()):
            continue
        name, _, rest = text.partition(" ")
        if name.startswith("s_wait"):
            counters = rest.split() if name == "s_waitcnt" else [name]
            kept = [each for each in counters if holds(named.get(each, "") if rest else "", words.values())]
            yield frozenset(re.sub(r"^s_wait(cnt)?_|\(0\)$", "", each) for each in kept)
            continue
        hidden = [part for part in named if ":" in part and len(texts) == 1 and part not in text.split()]
        kept = [part for part in [*rest.split(), *hidden] if holds(named.get(part, ""), words.values())]
        yield " ".join([name, *sorted(kept)])
