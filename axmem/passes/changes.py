"""What a pass has changed of a function, in one form for all changes that are the same.

What goes in: a function of a module before and after a pass. What comes out: a `FunctionChange`: two texts in which
names of values, blocks, parameters and tags are numbers by their first use. Loops that are executed twice are rows,
what was changed apart are changes of their own, and operations that the pass left as they were, and of which the others
use nothing, are left out: they are a context like any other. So a change is the same wherever a pass makes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from axmem.formats.ir.flow import used
from axmem.formats.ir.printer import Naming, defined, lines, local
from axmem.formats.ir.renaming import renamed
from axmem.formats.ir.syntax import Function
from axmem.front.records import dataclass, replace
from axmem.litmus.syntax import Register
from axmem.passes.modules import ENTRY, LABEL, ModuleText, body, callees, label_of, names_of
from axmem.passes.pieces import pieces
from axmem.passes.scalars import scalars, succeeded
from axmem.passes.skeleton import skeleton
from axmem.passes.straight import straightened

GONE, ARITHMETIC = "gone, or with other parameters", "changed beside its operations on memory"
"""What is said of functions that are not judged."""
NAME = "f"
"""What a function is called in a change."""
_TAG = re.compile(r'!"sync", !"([ab])"')
_NODE = re.compile(r"!\{(?:[^{}]|!\{[^{}]*\})*\}")
_MEMORY = frozenset({"load", "store", "atomicrmw", "cmpxchg", "fence", "call"})


@dataclass(frozen=True, slots=True)
class FunctionChange:
    """A function before and after, each as the text of a module without its head."""

    before: str
    after: str

    @property
    def size(self) -> int:
        """How much there is to judge: operations on memory on both sides, and lines."""
        text = self.before + self.after
        return 1000 * sum(word in _MEMORY for word in text.split()) + text.count("\n")


@dataclass(frozen=True, slots=True)
class Made:
    """A change that a pass has made: of the whole function, and its pieces.

    With a piece that has fences, which order nothing by themselves, stand the same pieces between two more operations.
    """

    whole: FunctionChange
    pieces: tuple[tuple[FunctionChange, tuple[FunctionChange, ...]], ...]


def made(name: str, before: ModuleText, after: ModuleText) -> Made | str | None:
    """Return what became of a function: nothing if it is as it was; in words if there is nothing to compare."""
    if name not in after.functions:
        return GONE
    old, new = before.function(name), after.function(name)
    if _alike(old, new):
        return None
    new = _behind(new, after)
    if len(old.parameters) != len(new.parameters) or old.result != new.result:
        return GONE
    one, other = scalars(old), replace(_renamed(scalars(new), names_of(new), names_of(old)), parameters=old.parameters)
    if _alike(one, other):
        return None
    whole = _change(one, other, after)
    other = succeeded(one, other)
    bones = skeleton(one), skeleton(other)
    if bones[0] is not None and bones[0] == bones[1]:
        return ARITHMETIC
    straight = straightened(one), straightened(other)
    found = pieces(straight[0] or one, straight[1] or other) if all(straight) else pieces(one, other)
    if found is None:
        return Made(whole, ((whole, ()),))
    changes = [(_change(*pair, after), tuple(_change(*each, after) for each in framed)) for pair, framed in found]
    changed = tuple((piece, framed) for piece, framed in changes if piece.before != piece.after)
    return Made(whole, changed) if changed else ARITHMETIC


def _alike(one: Function, other: Function) -> bool:
    """Say whether two bodies are the same to the letter."""
    return one.blocks == other.blocks and [*lines(one)] == [*lines(other)]


def _behind(function: Function, module: ModuleText) -> Function:
    """Return what a function does that only calls another one with its own parameters."""
    call, *rest = function.blocks[0].instructions
    if call.callee not in module.functions or len(rest) != 1 or call.leading[:1] != ("tail",):
        return function
    callee, own = module.function(call.callee), names_of(function)
    given = [each.value.name for each in call.operands if isinstance(each.value, Register)]
    if sorted(given) != sorted(own) or not len(call.operands) == len(own) == len(callee.parameters):
        return function
    return replace(_renamed(callee, names_of(callee), given), parameters=function.parameters)


def _renamed(function: Function, old: list[str], new: list[str]) -> Function:
    """Return a function with other names; whoever had one of the new names before has another then."""
    clash = {} if old == new else {name: f"{name}.was" for name in new if name not in old}
    return renamed(function, clash | dict(zip(old, new, strict=True)))


def numbered(function: Function, names: dict[str, str]) -> Naming:
    """Return names of which values and blocks have numbers, in the order in which they are defined.

    `names` are those of the parameters.
    """
    found = dict(names)
    values, blocks = count(), count()
    for line in body(function):
        if line.operation == LABEL:
            found[label_of(line)] = f"b{next(blocks)}"
        elif line.result:
            found[line.result] = f"v{next(values)}"
    return lambda name: local(found.get(name, ENTRY))


def _others(function: Function, module: ModuleText) -> Iterator[str]:
    """Yield the functions of the module that a function calls, as text, and what is declared of those elsewhere."""
    seen: set[str] = set()
    ahead = [*callees(function)]
    while ahead:
        name = ahead.pop(0)
        if name in seen:
            continue
        seen.add(name)
        if name in module.functions:
            each = module.function(name)
            yield _text(name, each, {own: own for own in names_of(each)})
            ahead += callees(each)
        elif name in module.declared:
            yield module.declaration(name)


def _change(one: Function, other: Function, after: ModuleText) -> FunctionChange:
    """Return the change from one function to another: only parameters that one of them uses, pointers by first use.

    `after` is the module of the other one, which has the functions that it calls.
    """
    uses = [*dict.fromkeys(name for each in (one, other) for line in body(each) for name in used(line))]
    first = {name: at for at, name in enumerate(uses)}
    kept = sorted((each for each in one.parameters if each.name in first), key=lambda each: first[each.name])
    if sum(each.type.kind == "ptr" for each in kept) == 1:
        kept = [replace(each, attributes=tuple(a for a in each.attributes if a != "noalias")) for each in kept]
    names: dict[str, str] = {}
    for each in kept:
        same = sum(name.startswith("p") for name in names.values())
        names[each.name] = f"p{same}" if each.type.kind == "ptr" else each.name
    texts = [_text(NAME, replace(f, parameters=tuple(kept)), names) for f in (one, other)]
    texts[1] += "".join(f"\n{each}" for each in _others(other, after))
    tag = _TAG.search("".join(texts))
    if tag and tag[1] == "b":
        swapped = {"a": "b", "b": "a"}
        texts = [_TAG.sub(lambda m: f'!"sync", !"{swapped[m[1]]}"', text) for text in texts]
    return FunctionChange(*map(_numbered, texts))


def _text(name: str, function: Function, names: dict[str, str]) -> str:
    return defined(replace(function, name=name, words=(), attributes=()), numbered(function, names))


def _numbered(text: str) -> str:
    """Return a text in which nodes of metadata stand at the end, by numbers."""
    nodes: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        inner = match[0]
        if inner.count("{") > 1:
            inner = "!{" + _NODE.sub(number, inner[2:-1]) + "}"
        return f"!{nodes.setdefault(inner, len(nodes))}"

    lines = [_NODE.sub(number, line) if "!{" in line else line for line in text.split("\n")]
    return "\n".join(lines) + "".join(f"\n!{k} = {node}" for node, k in nodes.items()) + "\n" * bool(nodes)
