"""The edits of a repair as lines of a test, before and after.

What goes in: a test, its sites, a point. What comes out: a `LineEdit` for each site that differs from the text, in the
order of the text, with the instructions that it adds and takes away. Of a test that was compiled from a source the
line of the source as it is, and as it is to be, or a line to be inserted before it; a line is changed only where one
word of it says what changes: where none does, or several may, the second is empty.
"""

from __future__ import annotations

import re
from collections import Counter

from axmem.codegen.instructions import EmittedInstruction
from axmem.formats.forms import language
from axmem.front.records import dataclass
from axmem.front.source import Source
from axmem.litmus.kernels import Call
from axmem.litmus.printer import statement_line
from axmem.litmus.syntax import AccessMode, CmpXchg, Fence, LitmusTest, Statement
from axmem.litmus.walk import Path, located, units
from axmem.litmus.words import Ordering, Scope
from axmem.repairs.costs import Costs
from axmem.repairs.sites import Site, SiteState


@dataclass(frozen=True, slots=True)
class LineEdit:
    """What becomes of one line. `before` is empty for a new one, `after` for one that goes.

    `line` is that of the statement in the text, of a new one the line before which it stands (0: at the end of the
    thread, or of a text that was not parsed). `words` are the edits; `adds` and `drops` instructions. Of a program that
    was compiled `source` is the line as it is and as it is to be, or what is to be inserted before it; the second is
    empty if that is not known.
    """

    thread: str
    line: int
    before: str
    after: str
    words: tuple[str, ...]
    adds: tuple[str, ...]
    drops: tuple[str, ...]
    before_cost: int
    after_cost: int
    source: tuple[str, str] = ("", "")


def changes_of(test: LitmusTest, sites: tuple[Site, ...], point: tuple[int, ...], costs: Costs) -> tuple[LineEdit, ...]:
    """Return the changes that a point makes, in the order of the text."""
    chosen = zip(sites, point, strict=True)
    return tuple(_change(test, site, state, costs) for site, state in chosen if state != site.original)


def _change(test: LitmusTest, site: Site, chosen: int, costs: Costs) -> LineEdit:
    old, new = site.states[site.original], site.states[chosen]
    before, after = (tuple(i for s in state.statements for i in costs.instructions(s)) for state in (old, new))
    line = _line(test, site.path)
    return LineEdit(
        thread=units(test)[site.path[0]].name,
        line=line,
        before=_text(test, old),
        after=_text(test, new),
        words=new.changes,
        adds=_more(after, before),
        drops=_more(before, after),
        before_cost=old.machine,
        after_cost=new.machine,
        source=source_patch(test.source, line, old.statement, new.statement),
    )


def _text(test: LitmusTest, state: SiteState) -> str:
    return "; ".join(statement_line(test, statement) for statement in state.statements)


def _line(test: LitmusTest, path: Path) -> int:
    """Return the line of the statement at a path, or 0 if that is the end of a block."""
    statements = dict(located(test))
    return statements[path].span.line if path in statements else 0


def _more(one: tuple[EmittedInstruction, ...], other: tuple[EmittedInstruction, ...]) -> tuple[str, ...]:
    """Return the instructions of one that the other has not, in their order."""
    left = Counter(instruction.text for instruction in other)
    found = []
    for instruction in one:
        if left[instruction.text]:
            left[instruction.text] -= 1
        else:
            found.append(instruction.text)
    return tuple(found)


_ORDERINGS = {Ordering.MONOTONIC: "relaxed", Ordering.ACQUIRE: "acquire", Ordering.RELEASE: "release",
              Ordering.ACQ_REL: "acq_rel", Ordering.SEQ_CST: "seq_cst"}  # fmt: skip
_SCOPES = {
    Scope.WAVEFRONT: ("WAVEFRONT", "WVFRNT", "sub_group"),
    Scope.WORKGROUP: ("WORKGROUP", "WRKGRP", "work_group"),
    Scope.AGENT: ("AGENT", "DEVICE", "device"),
    Scope.SYSTEM: ("SYSTEM", "SYSTEM", "all_svm_devices"),
}
"""What HIP, clang's builtins and OpenCL call a scope."""
_FENCES = {Scope.WORKGROUP: "__threadfence_block", Scope.AGENT: "__threadfence", Scope.SYSTEM: "__threadfence_system"}
_SUFFIXES = {Scope.WORKGROUP: "_block", Scope.AGENT: "", Scope.SYSTEM: "_system"}
_OPENCL = "OpenCL"
_BOTH = "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE"


def source_patch(source: Source, line: int, before: Statement | None, after: Statement | None) -> tuple[str, str]:
    """Return a line of a program before and after, both empty if the test is of no program."""
    named = language(source.name)
    if not named or not line or line > source.text.count("\n") + 1:
        return "", ""
    text = source.line(line).strip()
    if before is None:
        return text, "" if after is None else _inserted(named, after)
    return text, "" if after is None else _changed(text, before, after)


def _inserted(named: str, statement: Statement) -> str:
    """Return a new statement in a language."""
    opencl = named == _OPENCL
    if isinstance(statement, Call):
        return f"barrier({_BOTH});" if opencl else "__syncthreads();"
    if not isinstance(statement, Fence):
        return ""
    ordering, level = _ORDERINGS[statement.mode.ordering], statement.mode.scope.level
    if not isinstance(level, Scope) or level not in _SCOPES:
        return ""
    if opencl:
        return f"atomic_work_item_fence({_BOTH}, memory_order_{ordering}, memory_scope_{_SCOPES[level][2]});"
    if statement.mode.ordering is Ordering.SEQ_CST and level in _FENCES and named in ("HIP", "CUDA"):
        return f"{_FENCES[level]}();"
    return f"__scoped_atomic_thread_fence(__ATOMIC_{ordering.upper()}, __MEMORY_SCOPE_{_SCOPES[level][1]});"


def _changed(text: str, before: Statement, after: Statement) -> str:
    """Return a line with the words for another ordering and scope; nothing if not one word says each."""
    one, other = getattr(before, "mode", None), getattr(after, "mode", None)
    if not isinstance(one, AccessMode) or not isinstance(other, AccessMode) or one.tags != other.tags:
        return ""
    failures = isinstance(before, CmpXchg) and isinstance(after, CmpXchg) and before.failure is not after.failure
    if failures or one.av != other.av or Ordering.NOT_ATOMIC in (one.ordering, other.ordering):
        return ""
    if one.ordering is not other.ordering:
        old, new = _ORDERINGS.get(one.ordering, ""), _ORDERINGS.get(other.ordering, "")
        pairs = [(f"__ATOMIC_{old.upper()}", f"__ATOMIC_{new.upper()}"), (f"memory_order_{old}", f"memory_order_{new}")]
        text = _replaced(text, pairs)
    if one.scope != other.scope:
        was, is_ = one.scope.level, other.scope.level
        if not isinstance(was, Scope) or not isinstance(is_, Scope) or was not in _SCOPES or is_ not in _SCOPES:
            return ""
        forms = ("__HIP_MEMORY_SCOPE_", "__MEMORY_SCOPE_", "memory_scope_")
        pairs = [(f"{form}{_SCOPES[was][k]}", f"{form}{_SCOPES[is_][k]}") for k, form in enumerate(forms)]
        if was in _FENCES and is_ in _FENCES:
            pairs.append((_FENCES[was], _FENCES[is_]))
            found = re.search(rf"\batomic[A-Z][A-Za-z]*?{_SUFFIXES[was]}\b(?=\()", text)
            if found and was is not is_:
                bare = found[0].removesuffix("_block").removesuffix("_system")
                pairs.append((found[0], f"{bare}{_SUFFIXES[is_]}"))
        text = _replaced(text, pairs)
    return text


def _replaced(text: str, pairs: list[tuple[str, str]]) -> str:
    """Return a line with the one word that is there replaced; nothing if none or several are."""
    found = [(old, new) for old, new in pairs for _ in re.findall(rf"(?<!\w){re.escape(old)}(?!\w)", text)]
    if len(found) != 1:
        return ""
    ((old, new),) = found
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, text)
