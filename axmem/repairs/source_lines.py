"""Edits in the words of the program that a test was compiled from.

What goes in: the source, a line of it, and what stands there before and after in the test. What comes out: the line as
it is, and as it is to be, or a line to be inserted before it. Invariant: a line is changed only where one word of it
says what changes; where none does, or several may, the second is empty.
"""

from __future__ import annotations

import re

from axmem.formats.forms import language
from axmem.front.source import Source
from axmem.litmus.kernels import Call
from axmem.litmus.syntax import AccessMode, CmpXchg, Fence, Statement
from axmem.litmus.words import Ordering, Scope

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
