"""What a pass has changed of a function, in one form for all changes that are the same.

What goes in: a function of a module before and after a pass. What comes out: a `FunctionChange`: two texts in which
names of values, blocks, parameters and tags are numbers by their first use. Operations at the beginning and at the
end that the pass left as they were, and of which the others use nothing, are left out of its core: they are a context
like any other. So a change is the same wherever a pass makes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count

from axmem.front.records import dataclass, replace
from axmem.passes.modules import ModuleFunction, ModuleText, called, inlined, is_label, split
from axmem.passes.skeleton import skeleton

GONE, ARITHMETIC = "gone, or with other parameters", "changed beside its operations on memory"
"""What is said of functions that are not judged."""
NAME = "f"
"""What a function is called in a change."""
_LOCAL = re.compile(r"%([\w.$-]+)")
_RESULT = re.compile(r"  %([\w.$-]+) = ")
_INSERTED = re.compile(r"  %([\w.$-]+) = insertvalue .*, i32 (\S+), \d+$")
_OPERATION = re.compile(r"  (%[\w.$-]+ = )?(load|store|atomicrmw|cmpxchg|fence)\b")
_ADDRESS = re.compile(r"  %[\w.$-]+ = (?:getelementptr|addrspacecast) ")
_FENCE = re.compile(r"  fence ")
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
    """A change that a pass has made: of the whole function, and its core.

    Where the core has fences, which order nothing by themselves, `framed` has the whole between two more operations.
    """

    whole: FunctionChange
    core: FunctionChange
    framed: tuple[FunctionChange, ...] = ()


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
    one, other = (replace(f, body=inlined(f.body, m)) for f, m in ((old, before), (new, after)))
    other = replace(_renamed(other, dict(zip(_bare(new), _bare(old), strict=True))), parameters=old.parameters)
    if one.body == other.body:
        return None
    bones = skeleton(one), skeleton(other)
    if bones[0] is not None and bones[0] == bones[1]:
        return ARITHMETIC
    others = _others(other, after)
    whole = _change(one, other, others)
    rows = _rows(one, other)
    if rows is None:
        return Made(whole, whole)
    left = _trimmed(rows)
    core = whole if left == rows else _change(*left.functions(one, other), others)
    if not any(_FENCE.match(line) for lines in left.lines for line in lines):
        return Made(whole, core)
    both = _with_frame(one), _with_frame(other)
    framed = (_change(*_framed(rows, frame).functions(*both), others) for frame in _FRAMES)
    return Made(whole, core, tuple(framed))


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
    body = tuple(_LOCAL.sub(lambda m: f"%{found.get(m[1], m[1])}", line) for line in function.body)
    return replace(function, body=body)


def _named(function: ModuleFunction) -> ModuleFunction:
    """Return a function whose values and blocks are called by numbers, in the order in which they are defined."""
    names = {name: name for name in _bare(function)}
    values, blocks = count(), count()
    for line in function.body:
        if is_label(line):
            names.setdefault(line[:-1], f"b{next(blocks)}")
        elif match := _RESULT.match(line):
            names.setdefault(match[1], f"v{next(values)}")

    def name(match: re.Match[str]) -> str:
        return f"%{names.get(match[1], 'entry')}"

    body = (f"{names[line[:-1]]}:" if is_label(line) else _LOCAL.sub(name, line) for line in function.body)
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
            each = _named(replace(each, body=inlined(each.body, module)))
            found[name] = _text(name, each)
            ahead += called(each)
        elif name in module.declared:
            found[name] = module.declared[name] + "\n"
    return list(found.values())


def _change(one: ModuleFunction, other: ModuleFunction, others: Sequence[str]) -> FunctionChange:
    """Return the change from one function to another: only parameters that one of them uses, pointers by first use."""
    one, other = _named(one), _named(other)
    used = list(dict.fromkeys(n for f in (one, other) for line in f.body for n in _LOCAL.findall(line)))
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
    texts = [_text(NAME, _named(replace(_renamed(f, names), parameters=parameters))) for f in (one, other)]
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


# ---------------------------------------------------------------- what was left as it was


@dataclass(frozen=True, slots=True)
class _Rows:
    """Two functions without branches: the addresses that both compute, their other lines, the values they return."""

    known: frozenset[str]
    addresses: tuple[str, ...]
    lines: tuple[tuple[str, ...], tuple[str, ...]]
    returned: tuple[tuple[str, ...], tuple[str, ...]]

    def functions(self, one: ModuleFunction, other: ModuleFunction) -> tuple[ModuleFunction, ModuleFunction]:
        """Return functions that do what the rows do."""
        type_ = _type(len(self.returned[0]))
        both = zip((one, other), self.lines, self.returned, strict=True)
        bodies = ((f, (*_needed(self.addresses, own), *own, *_returning(values, type_))) for f, own, values in both)
        before, after = (replace(f, result=type_, body=body) for f, body in bodies)
        return before, after


def _rows(one: ModuleFunction, other: ModuleFunction) -> _Rows | None:
    """Return two functions as rows; None if one has branches, or they make their results in unlike ways."""
    first, second = _row(one), _row(other)
    if first is None or second is None or len(first[1]) != len(second[1]):
        return None
    addresses = [tuple(line for line in own if _ADDRESS.match(line)) for own, _ in (first, second)]
    if addresses[0] != addresses[1]:
        return None
    known = frozenset((*one.names, *map(_defined, addresses[0])))
    lines = [tuple(line for line in own if line not in addresses[0]) for own, _ in (first, second)]
    return _Rows(known, addresses[0], (lines[0], lines[1]), (first[1], second[1]))


def _row(function: ModuleFunction) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the lines of a function but for those that make its result, and the values of that."""
    *body, last = function.body
    if any(is_label(line) or line.lstrip().startswith("br ") for line in function.body):
        return None
    if last == "  ret void":
        return tuple(body), ()
    returned: list[str] = []
    whole = last.rpartition(" ")[2]
    while body and (match := _INSERTED.match(body[-1])) and f"%{match[1]}" == whole:
        returned.insert(0, match[2])
        whole = body.pop().partition(" = ")[2].rpartition(", i32 ")[0].rpartition(" ")[2]
    if not returned:
        return (tuple(body), (whole,)) if last.startswith("  ret i32 ") else None
    return (tuple(body), tuple(returned)) if whole == "poison" else None


def _trimmed(rows: _Rows) -> _Rows:
    """Return rows without the operations at their ends that are the same and that nothing else needs."""
    lines, returned = [list(own) for own in rows.lines], [list(own) for own in rows.returned]
    for end in (0, -1):
        while _apart(lines, returned, end, rows.known):
            names = [_defined(own.pop(end)) for own in lines]
            places = [k for k, name in enumerate(returned[0]) if names[0] and name == names[0]]
            for own in returned:
                for k in reversed(places):
                    del own[k]
    if not lines[0] and not lines[1]:
        return rows
    sides = [tuple(map(tuple, both)) for both in (lines, returned)]
    return replace(rows, lines=(sides[0][0], sides[0][1]), returned=(sides[1][0], sides[1][1]))


def _framed(rows: _Rows, frame: tuple[str, str]) -> _Rows:
    """Return rows with an operation before them and one behind them, of memory that nothing else accesses."""
    lines = [(frame[0], *own, frame[1]) for own in rows.lines]
    read = tuple(filter(None, map(_defined, frame)))
    returned = [(*own, *read) for own in rows.returned]
    return replace(rows, lines=(lines[0], lines[1]), returned=(returned[0], returned[1]))


def _with_frame(function: ModuleFunction) -> ModuleFunction:
    """Return a function with the pointers of a frame."""
    return replace(function, parameters=(*function.parameters, *(f"ptr noalias %{name}" for name in _PLACES)))


_PLACES = ("first.at", "last.at")
_FRAMES = (
    ("  store i32 1, ptr %first.at, align 4", "  store atomic i32 1, ptr %last.at monotonic, align 4"),
    ("  %first = load atomic i32, ptr %first.at monotonic, align 4", "  %last = load i32, ptr %last.at, align 4"),
    (
        "  store atomic i32 1, ptr %first.at monotonic, align 4",
        "  %last = load atomic i32, ptr %last.at monotonic, align 4",
    ),
)
"""What a fence may order: what it releases, what it acquires, and a store before a load if it is seq_cst."""


def _defined(line: str) -> str:
    return f"%{match[1]}" if (match := _RESULT.match(line)) else ""


def _operands(line: str) -> set[str]:
    return {f"%{name}" for name in _LOCAL.findall(line.partition(" = ")[2] if _RESULT.match(line) else line)}


def _apart(lines: Sequence[Sequence[str]], returned: Sequence[Sequence[str]], end: int, known: frozenset[str]) -> bool:
    """Whether both rows begin, or end, with one operation on memory that nothing else needs.

    Its operands are parameters and numbers, and what it reads is returned at the same places or not at all. A fence
    stays: it may do what one does that is gone.
    """
    if not lines[0] or not lines[1]:
        return False
    one, other = (own[end] for own in lines)
    names = _defined(one), _defined(other)
    if _OPERATION.match(one) is None or _FENCE.match(one) or not _operands(one) <= known:
        return False
    if one.replace(names[0] or " ", "", 1) != other.replace(names[1] or " ", "", 1):
        return False
    rest = [own[1:] if end == 0 else own[:-1] for own in lines]
    if names[0] and any(name in _operands(line) for name, own in zip(names, rest, strict=True) for line in own):
        return False
    places = [[k for k, value in enumerate(own) if value == name] for own, name in zip(returned, names, strict=True)]
    return not names[0] or places[0] == places[1]


def _needed(addresses: Sequence[str], lines: Sequence[str]) -> Iterator[str]:
    """Yield the addresses that lines use, in their order."""
    used = {name for line in lines for name in _operands(line)}
    needed = []
    for line in reversed(addresses):
        if _defined(line) in used:
            used |= _operands(line)
            needed.append(line)
    return reversed(needed)


def _type(values: int) -> str:
    return {0: "void", 1: "i32"}.get(values, f"{{ {', '.join(['i32'] * values)} }}")


def _returning(values: Sequence[str], type_: str) -> Iterator[str]:
    """Yield the lines that return values."""
    if len(values) < 2:
        yield f"  ret i32 {values[0]}" if values else "  ret void"
        return
    whole = "poison"
    for k, value in enumerate(values):
        yield f"  %result{k} = insertvalue {type_} {whole}, i32 {value}, {k}"
        whole = f"%result{k}"
    yield f"  ret {type_} {whole}"
