"""What a cell of the document says: the sequence of a case.

What goes in: the rows of a table of the document, and the words of a case. What comes out: the sequence in the form of
`tests.lowering.canonical`, or None where the document says that there is no such operation. Every note of a cell must
be known: one that says when something is left out is followed, the others say why or in what order. Of `OpenCL` the
document speaks where a scope is one-as, of a fence's address space where it has a tag for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from axmem.commands.pages.usage_layout import MARKS
from axmem.front.records import dataclass
from tests.lowering.canonical import joined
from tests.usage.cells import Row, Step, Unread, marked, steps, words

Case = Mapping[str, str]

_SAYS_WHY = re.compile(
    r"(must happen|ensures?\b|could be split|see :ref:|the waits can|note:|performs|.* must happen (after|before)|"
    r"if atomic with return, use th:)",
    re.IGNORECASE,
)
_OMIT = re.compile(r"if (.*?),? omit(.*)", re.IGNORECASE)
_SAME = re.compile(r"\*(?:Following instructions same|Same) as corresponding (.*?), except must generate all .*\*")
_ALIKE = {"*Same as non-atomic*.": "not_atomic", "*Same as monotonic atomic*.": "monotonic"}
_NO_LOCAL = "*If TgSplit execution mode, local address space cannot be used.*"
_ACCESS = re.compile(r"((?:buffer|global|ds|flat)(?:/(?:buffer|global|ds|flat))*)_(load|store|atomic)\b(.*)")
_MAINTENANCE = re.compile(r"(?:buffer_(?:wb|inv|gl\d)\w*|global_(?:inv|wb))\b")
_KINDS = {"load": "load", "load atomic": "load", "store": "store", "store atomic": "store", "atomicrmw": "rmw",
          "fence": "fence"}  # fmt: skip
_HEADINGS = {"Atomic with return": "with return", "Atomic without return": "without return",
             "CU wavefront execution mode": "cu mode", "OpenCL": "one-as scope"}  # fmt: skip
_REACHED = {"global": {"buffer", "global"}, "local": {"ds"}, "generic": {"flat"}, "private": {"buffer", "flat"}}

_SCOPES = re.compile(r"\s*(\S.*?)\s+((?:(?:``scope:\w+``|\*none\*)(?: \[\d\]_)?\s*)+)$")

Key = tuple[str, str, str, str]
"""An operation, its ordering, one scope and one address space; both may be empty."""


@dataclass(frozen=True, slots=True)
class Document:
    """A table of the document: the row of each operation, and the scopes of instructions by mode and syncscope."""

    rows: Mapping[Key, Row]
    scopes: Mapping[str, Mapping[str, str]]

    def sequence(self, key: Key, case: Case) -> tuple[str, ...] | None:
        """Return the sequence of a case. Raises Unread, and KeyError where it is that of a row that is not there."""
        return joined(self._sequence(key, case)) if self._there(key, case) else None

    def _there(self, key: Key, case: Case) -> bool:
        lead = steps(self.rows[key].cells[-1])[0].text
        return not (lead.startswith(_NO_LOCAL) and case["mode"] == "tgsplit mode")

    def _sequence(self, key: Key, case: Case) -> Iterator[str | frozenset[str]]:
        row = self.rows[key]
        lead, *found = steps(marked(row.cells[-1], case["mark"]))
        said = lead.text.removeprefix(_NO_LOCAL).strip()
        if said in _ALIKE:
            kind, _, scope, space = (*key[:2], "", case["space"]) if "any" in key else key
            plain = said == "*Same as non-atomic*."
            other = {**case, "mark": MARKS[0]} if plain else case
            yield from self._sequence((kind, _ALIKE[said], "" if plain else scope, space), other)
        elif same := _SAME.fullmatch(said):
            yield from self._corresponding(same[1], key, case)
        elif said not in ("", "*none*") or lead.notes:
            raise Unread(row.line, f"'{said or lead.notes[0]}' is not understood")
        for step in found:
            if same := _SAME.fullmatch(step.text):
                yield from self._corresponding(same[1], key, case)
            else:
                yield from self._step(step, row, case)

    def _corresponding(self, named: str, key: Key, case: Case) -> Iterator[str | frozenset[str]]:
        """Yield the sequence of another ordering, with all that is left out for OpenCL."""
        kind, _, ordering = named.rpartition(" ")
        yield from self._sequence((_KINDS[kind], ordering, *key[2:]), {**case, "width": ""})

    def _step(self, step: Step, row: Row, case: Case) -> Iterator[str | frozenset[str]]:
        """Yield the instructions of a step that are there in a case."""
        text = re.sub(r"^GFX\d+\s+", "", step.text.replace("\\", ""))
        out = set[str]()
        use, scoped = None, False
        for note in (" ".join(note.replace("``", "").split()) for note in step.notes):
            if note.startswith("Apply :ref:"):
                scoped = True
            elif note.startswith("However, since LLVM currently has no address space on the fence"):
                out.clear()
            elif chosen := _used(note, case):
                use = chosen
            elif note.startswith("Only needed for "):
                out |= {"all"} if case["space"] not in ("global", "generic") else set()
            elif match := _OMIT.fullmatch(note):
                out |= _omitted(note, match, case, row)
            elif not _SAYS_WHY.match(note) and not note.startswith("Ensure operation remains atomic"):
                raise Unread(row.line, f"'{note}' is not understood")
        if out == {"all"} or "all" in out:
            return
        yield from self._emitted(text, row, case, out, use, scoped)

    def _emitted(
        self, text: str, row: Row, case: Case, out: set[str], use: str | None, scoped: bool
    ) -> Iterator[str | frozenset[str]]:
        if "s_wait" in text:
            counters = set(_counters(text, row, case, use))
            keep = {each[1:] for each in out if each.startswith("=")}
            yield frozenset((counters & keep if keep else counters) - out)
            return
        plain = text.replace("``", "").replace("=1", "")
        scope = self.scopes.get(case["mode"], {}).get(_scope(case), "") if scoped else ""
        if match := _ACCESS.fullmatch(plain):
            begins, kind, bits = match.groups()
            kept = [bit for bit in bits.split() if bit not in out and not (scoped and bit.startswith("scope:"))]
            reached = set(begins.split("/")) & _REACHED[case["space"]]
            if not reached:
                raise Unread(row.line, f"'{plain}' reaches no {case['space']} memory")
            yield " ".join([f"{begins}_{kind}", *sorted([*kept, *([scope] if scope else [])])])
            return
        for part in plain.split(";"):
            name, *bits = part.split()
            if not _MAINTENANCE.fullmatch(name):
                raise Unread(row.line, f"'{part}' is not understood")
            kept = [bit for bit in bits if not (scoped and bit.startswith("scope:"))]
            yield " ".join([name, *sorted([*kept, *([scope] if scope else [])])])


def _used(note: str, case: Case) -> str | None:
    """Return the counter that a note chooses of two."""
    if match := re.match(r"Use (\w+)\(0\) if not TgSplit .* and (\w+)\(0\) if TgSplit execution mode", note):
        return match[1 + (case["mode"] == "tgsplit mode")]
    if match := re.match(r"Use (\w+)\(0\) if atomic with return and (\w+)\(0\) if atomic with no-return", note):
        return match[1 + (case["result"] == "without return")]
    return None


def _omitted(note: str, match: re.Match[str], case: Case, row: Row) -> set[str]:
    """Return what a note leaves out in a case: counters, bits, `all`, or `=` and what alone is kept."""
    if two := re.fullmatch(r"If atomic with return, omit (\w+)\(0\), if atomic with no-return, omit (\w+)\(0\).", note):
        return {two[1 + (case["result"] == "without return")]}
    if re.match(r"If CU .*, omit all for atomics without return, and only emit s_wait_dscnt 0x0", note):
        if case["mode"] != "cu mode":
            return set()
        return {"all"} if case["result"] == "without return" else {"=dscnt"}
    if not _holds(match[1], case, row):
        return set()
    what = match[2].strip().rstrip(".")
    if what in ("", "all"):
        return {"all"}
    if kept := re.fullmatch(r"all but s_wait_(\w+) 0x0", what):
        return {f"={kept[1]}"}
    found = {name for part in what.split(" and ") for name in _named(part)}
    if not found:
        raise Unread(row.line, f"'{note}' is not understood")
    return found


def _named(part: str) -> list[str]:
    """Return the counters or bits that a note names."""
    if match := re.fullmatch(r"vm/vscnt\(0\)", part):
        return ["vmcnt", "vscnt"]
    match = re.fullmatch(r"(?:s_wait_)?(\w+cnt)(?:\(0\)| 0x0)?|(\w+)=1", part.strip())
    return [match[1] or match[2]] if match else []


def _holds(condition: str, case: Case, row: Row) -> bool:
    """Say whether the document's condition holds in a case."""
    condition = condition.replace("OpenCl", "OpenCL")
    if " or " in condition:
        return any(_holds(part, case, row) for part in condition.split(" or "))
    if " and " in condition:
        return all(_holds(part, case, row) for part in condition.split(" and "))
    space = {"fence of local": "local", "fence of global": "global", "fence of all": "generic"}.get(
        case["fenced"], case["space"]
    )
    known = {
        "OpenCL": case["width"] == "one-as scope",
        "TgSplit execution mode": case["mode"] == "tgsplit mode",
        "not TgSplit execution mode": case["mode"] != "tgsplit mode",
        "CU wavefront execution mode": case["mode"] == "cu mode",
        "address space is not generic": space != "generic",
        "address space is local": space == "local",
        "agent scope": case["scope"] == "agent scope",
        "GFX10": case["family"] == "gfx10",
        "GFX11": case["family"] == "gfx11",
    }
    if condition not in known:
        raise Unread(row.line, f"'if {condition}' is not understood")
    return known[condition]


def _counters(text: str, row: Row, case: Case, use: str | None) -> Iterator[str]:
    """Yield the counters that a step waits for."""
    if text.startswith("s_waitcnt"):
        for part in text.removeprefix("s_waitcnt").split("&"):
            name = part.strip().removesuffix("(0)")
            if name in ("lgkm/vmcnt", "vm/vscnt"):
                if use is None:
                    raise Unread(row.line, f"nothing says which of '{name}' is waited for")
                yield use
            elif re.fullmatch(r"\w+cnt", name):
                yield name
            else:
                raise Unread(row.line, f"'{part}' is not understood")
        return
    under: dict[str, list[str]] = {"": []}
    at = ""
    for part in filter(None, (part.strip() for part in text.split("|") if part.strip())):
        if heading := re.fullmatch(r"\*\*(.*):\*\*", part):
            if heading[1] not in _HEADINGS:
                raise Unread(row.line, f"'{part}' is not understood")
            at = _HEADINGS[heading[1]]
            under[at] = []
        elif wait := re.fullmatch(r"``s_wait_(\w+) 0x0``", part):
            under[at].append(wait[1])
        else:
            raise Unread(row.line, f"'{part}' is not understood")
    special = [name for name in ("cu mode", "one-as scope") if name in under and name in case.values()]
    chosen = special[0] if special else next((name for name in under if name and name in case.values()), "")
    yield from under[chosen]


def _scope(case: Case) -> str:
    one_as = "one-as" if case["width"] == "one-as scope" else ""
    return "-".join(filter(None, [case["scope"].removesuffix(" scope"), one_as]))


def read(rows: Sequence[Row]) -> dict[Key, Row]:
    """Return the row of each operation. Raises Unread for one that has two."""
    found: dict[Key, Row] = {}
    for row in rows:
        kinds, orderings, scopes, spaces = (words(cell) for cell in row.cells[:4])
        if len(kinds) != 1 or kinds[0] not in _KINDS or len(orderings) > 1:
            raise Unread(row.line, f"'{' '.join(kinds)} {' '.join(orderings)}' is no operation")
        for scope in scopes or ("",):
            for space in spaces or ("",):
                key = (_KINDS[kinds[0]], orderings[0] if orderings else "not_atomic", scope, space)
                if key in found:
                    raise Unread(row.line, f"{' '.join(filter(None, key))} stands in line {found[key].line} too")
                found[key] = row
    return found


def instruction_scopes(text: str, name: str) -> dict[str, dict[str, str]]:
    """Return the scopes of instructions by mode and syncscope, from the table that a table of sequences refers to."""
    match = re.search(rf":name: \S*code-sequences-{re.escape(name)}-scopes-table\n(.*?)\n *\n *\.\. ", text, re.DOTALL)
    found: dict[str, dict[str, str]] = {"cu mode": {}, "wgp mode": {}}
    for line in match[1].split("\n") if match else ():
        row = _SCOPES.match(line)
        if row is None or line.strip().startswith("="):
            continue
        scopes = [each.strip("`*").replace("none", "") for each in re.findall(r"``scope:\w+``|\*none\*", row[2])]
        scopes = [each.replace("scope:SCOPE_CU", "") for each in scopes]  # which is not written
        for name in row[1].split(", "):
            found["cu mode"][name] = scopes[0]
            found["wgp mode"][name] = scopes[-1]
    return found
