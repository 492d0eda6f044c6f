"""Loop metadata for tests in a short form: `unroll.count=4`, `unroll.enable`, `vectorize.followup_all={a;b=2}`."""

from __future__ import annotations

from axmem.litmus.loops import Attribute, LoopID
from axmem.litmus.terms import I1, I32, Number


def attribute(text: str) -> Attribute:
    """Return an attribute, `llvm.loop.` before its name."""
    name, equals, rest = text.partition("=")
    full = f"llvm.loop.{name}"
    if rest.startswith("{"):
        return Attribute(full, attributes=tuple(attribute(each) for each in rest[1:-1].split(";") if each))
    if rest in ("true", "false"):
        return Attribute(full, Number(int(rest == "true"), I1))
    return Attribute(full, Number(int(rest), I32) if equals else None)


def attributes(*texts: str) -> tuple[Attribute, ...]:
    """Return several attributes."""
    return tuple(map(attribute, texts))


def loop_id(*texts: str, name: str = "0") -> LoopID:
    """Return a LoopID with these attributes."""
    return LoopID(name, attributes(*texts))


def written(each: Attribute) -> str:
    """Return an attribute in the short form again, truth values as numbers; a LoopID in a list is `ID`.

    An access group is `group`, whichever it is.
    """
    name = each.name.removeprefix("llvm.loop.")
    if each.attributes:
        return f"{name}={{{';'.join(map(written, each.attributes))}}}"
    if each.groups:
        return f"{name}={{{';'.join('group' for _ in each.groups)}}}"
    if not name:
        return "ID"
    return name if each.value is None else f"{name}={each.value.value}"
