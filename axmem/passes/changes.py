"""What a pass has changed of a function, in one form for all changes that are the same.

What goes in: a function of a module before and after a pass. What comes out: a `FunctionChange`: two texts in which
names of values, blocks, parameters and tags are numbers by their first use. Loops that are executed twice are rows,
what was changed apart are changes of their own, and operations that the pass left as they were, and of which the others
use nothing, are left out: they are a context like any other. So a change is the same wherever a pass makes it.
"""

from __future__ import annotations

import re
from itertools import count

from axmem.front.records import dataclass, replace
from axmem.passes.modules import LOCAL, RESULT, ModuleFunction, ModuleText, called, inlined, is_label, split
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
_THUNK = re.compile(r"  (?:%[\w.$-]+ = )?tail call .*?@([\w.$-]+)\((.*)\)$")
_MEMORY = re.compile(r"\b(?:load|store|atomicrmw|cmpxchg|fence|call)\b")


@dataclass(frozen=True, slots=True)
class FunctionChange:
    """A function before and after, each as the text of a module without its head."""

    before: str
    after: str

    @property
    def size(self) -> int:
        """How much there is to judge: operations on memory on both sides, and lines."""
        text = self.before + self.after
        return 1000 * len(_MEMORY.findall(text)) + text.count("\n")


@dataclass(frozen=True, slots=True)
class Made:
    """A change that a pass has made: of the whole function, and its pieces.

    With a piece that has fences, which order nothing by themselves, stand the same pieces between two more operations.
    """

    whole: FunctionChange
    pieces: tuple[tuple[FunctionChange, tuple[FunctionChange, ...]], ...]


def made(name: str, before: ModuleText, after: ModuleText) -> Made | str | None:
    """Return what became of a function: nothing if it is as it was; in words if there is nothing to compare."""
    old, new = before.functions[name], after.functions.get(name)
    if new is None:
        return GONE
    if old.body == new.body and before.nodes == after.nodes:
        return None
    new = _behind(new, after)
    if len(old.parameters) != len(new.parameters) or old.result != new.result:
        return GONE
    one, other = (scalars(replace(f, body=inlined(f.body, m))) for f, m in ((old, before), (new, after)))
    other = replace(_renamed(other, dict(zip(_bare(new), _bare(old), strict=True))), parameters=old.parameters)
    if one.body == other.body:
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


def _behind(function: ModuleFunction, module: ModuleText) -> ModuleFunction:
    """Return what a function does that only calls another one with its own parameters."""
    if len(function.body) != 2 or (match := _THUNK.match(function.body[0])) is None:
        return function
    given = [each.rpartition(" ")[2] for each in split(match[2])]
    callee = module.functions.get(match[1])
    if callee is None or sorted(given) != sorted(function.names) or len(given) != len(callee.parameters):
        return function
    names = {name[1:]: own[1:] for name, own in zip(callee.names, given, strict=True)}
    return replace(_renamed(callee, names), parameters=function.parameters)


def _bare(function: ModuleFunction) -> list[str]:
    return [name[1:] for name in function.names]


def _renamed(function: ModuleFunction, names: dict[str, str]) -> ModuleFunction:
    """Return a function with other names; whoever had one of the new names before has another then."""
    if all(old == new for old, new in names.items()):
        return function
    clash = {new: f"{new}.was" for old, new in names.items() if new not in names and new != old}
    found = {**clash, **names}
    body = tuple(LOCAL.sub(lambda m: f"%{found.get(m[1], m[1])}", line) for line in function.body)
    return replace(function, body=body)


def named(function: ModuleFunction) -> ModuleFunction:
    """Return a function whose values and blocks are called by numbers, in the order in which they are defined."""
    names = {name: name for name in _bare(function)}
    values, blocks = count(), count()
    for line in function.body:
        if is_label(line):
            names.setdefault(line[:-1], f"b{next(blocks)}")
        elif match := RESULT.match(line):
            names.setdefault(match[1], f"v{next(values)}")

    def name(match: re.Match[str]) -> str:
        return f"%{names.get(match[1], 'entry')}"

    body = (f"{names[line[:-1]]}:" if is_label(line) else LOCAL.sub(name, line) for line in function.body)
    return replace(function, body=tuple(body))


def _others(function: ModuleFunction, module: ModuleText) -> list[str]:
    """Return the functions of the module that a function calls, as text, and what is declared of those elsewhere."""
    found: dict[str, str] = {}
    ahead = [*called(function)]
    while ahead:
        name = ahead.pop(0)
        if name in found:
            continue
        if name in module.functions:
            each = module.functions[name]
            each = named(replace(each, body=inlined(each.body, module)))
            found[name] = _text(name, each)
            ahead += called(each)
        elif name in module.declared:
            found[name] = module.declared[name] + "\n"
    return list(found.values())


def _change(one: ModuleFunction, other: ModuleFunction, after: ModuleText) -> FunctionChange:
    """Return the change from one function to another: only parameters that one of them uses, pointers by first use.

    `after` is the module of the other one, which has the functions that it calls.
    """
    others = _others(other, after)
    one, other = named(one), named(other)
    used = list(dict.fromkeys(n for f in (one, other) for line in f.body for n in LOCAL.findall(line)))
    kept = sorted((p for p in one.parameters if _bare_name(p) in used), key=lambda p: used.index(_bare_name(p)))
    pointers = [p for p in kept if p.startswith("ptr")]
    if len(pointers) == 1:
        kept = [p.replace(" noalias", "") for p in kept]
    names: dict[str, str] = {}
    for p in kept:
        letter = "p" if p.startswith("ptr") else _bare_name(p)
        same = sum(each.startswith(letter) for each in names.values())
        names[_bare_name(p)] = f"{letter}{same}" if letter == "p" else letter
    parameters = tuple(f"{p.rpartition(' ')[0]} %{names[_bare_name(p)]}" for p in kept)
    texts = [_text(NAME, named(replace(_renamed(f, names), parameters=parameters))) for f in (one, other)]
    texts[1] += "".join(f"\n{each}" for each in others)
    first = _TAG.search("".join(texts))
    if first and first[1] == "b":
        swapped = {"a": "b", "b": "a"}
        texts = [_TAG.sub(lambda m: f'!"sync", !"{swapped[m[1]]}"', text) for text in texts]
    return FunctionChange(*map(_numbered, texts))


def _bare_name(parameter: str) -> str:
    return parameter.rpartition("%")[2]


def _text(name: str, function: ModuleFunction) -> str:
    head = f"define {function.result} @{name}({', '.join(function.parameters)}) {{"
    return "\n".join((head, *function.body, "}")) + "\n"


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
