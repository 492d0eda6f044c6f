"""`opt-22` on loops with metadata: the loops after a pass with their LoopIDs, its remarks and its warnings.

What goes in: a module, a pass. What comes out: the module after it, and what LLVM says of each function. Invariant:
nothing is guessed; a remark of a kind that is not known is an assertion.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.convergence.llvm import OPT

TARGETS = {"x86-64": ("-mtriple=x86_64--",), "amdgcn": ("-mtriple=amdgcn--", "-mcpu=gfx942")}

PASSES = {
    "unroll-full": "loop-simplify,lcssa,loop(loop-unroll-full)",
    "distribute": "loop-simplify,lcssa,loop-distribute",
    "vectorize": "loop-simplify,lcssa,loop-vectorize",
    "unroll-and-jam": "loop-simplify,lcssa,loop(loop-unroll-and-jam)",
    "unroll": "loop-simplify,lcssa,loop-unroll<O3>",
    "interchange": "loop-simplify,lcssa,loop(loop-interchange)",
    "versioning-licm": "loop-simplify,lcssa,loop(loop-versioning-licm)",
    "transform-warning": "transform-warning",
}
"""How opt spells each pass, with what it wants before it."""
FORCED_ONLY = "loop-simplify,lcssa,loop-vectorize<no-interleave-forced-only;vectorize-forced-only>"


@dataclass(slots=True)
class Said:
    """What LLVM says of a function: what was done, in its words, and warnings."""

    done: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


DONE = (
    (r"completely unrolled loop with (\d+) iterations", "unroll: full"),
    (r"unrolled loop by a factor of \d+ with run-time trip count", "unroll: runtime"),
    (r"unrolled loop by a factor of \d+", "unroll: partial"),
    (r" ?peeled loop by \d+ iterations", "unroll: peeled"),
    (r"vectorized loop .*", "vectorize: vectorized"),
    (r"interleaved loop .*", "vectorize: interleaved"),
    (r"distributed loop", "distribute"),
    (r"completely unroll and jammed loop .*", "jam: full"),
    (r"unroll and jammed loop .*", "jam"),
    (r"Loop interchanged with enclosing loop\.", "interchange"),
    (r" Versioned loop for LICM\. .*", "versioning-licm"),
)


def run(
    module: str, pass_: str, target: str, options: Iterable[str] = (), *, forced_only: bool = False
) -> tuple[str, dict[str, Said]]:
    """Return a module after a pass, and what is said of its functions; `options` are more of opt's."""
    passes = FORCED_ONLY if forced_only and pass_ == "vectorize" else PASSES[pass_]
    after, remarks = _opt(module, f"function({passes})", target, options)
    return after, _said(remarks)


def run_whole(module: str, level: str, target: str) -> dict[str, Said]:
    """Return the warnings that are left after all passes of a level; what passes say that they did is left out."""
    return _said(_opt(module, f"default<{level}>", target)[1], only="Failure")


def _opt(module: str, passes: str, target: str, options: Iterable[str] = ()) -> tuple[str, str]:
    """Return a module after passes, and the remarks."""
    with tempfile.TemporaryDirectory() as folder:
        remarks = Path(folder) / "remarks"
        command = [OPT, *TARGETS[target], *options, "-S", f"-pass-remarks-output={remarks}", f"-passes={passes}", "-"]
        done = subprocess.run(command, input=module, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:1000]
        return done.stdout, remarks.read_text(encoding="utf-8")


def _said(remarks: str, only: str = "") -> dict[str, Said]:
    """Return what is said of each function, or what remarks of one kind `only` say."""
    found: dict[str, Said] = {}
    for part in remarks.split("--- !")[1:]:
        if only and not part.startswith(f"{only}\n"):
            continue
        kind, function = part.split("\n", 1)[0], re.findall(r"^Function: +(\S+)", part, re.MULTILINE)[0]
        quoted = re.findall(r"^  - \w+: +(?:'((?:[^']|'')*)'|(.*))$", part, re.MULTILINE)
        text = "".join(one or other for one, other in quoted).removeprefix('"').removesuffix('"')
        said = found.setdefault(function, Said())
        if kind == "Failure":
            said.warnings.append(text)
        elif kind == "Passed" and not text.startswith("advising against"):
            word = next((word for pattern, word in DONE if re.fullmatch(pattern, text)), "")
            assert word, f"an unknown remark: {text}\n{part}"
            said.done.append(word)
    return found


# ---------------------------------------------------------------- loops and their LoopIDs


def loops(module: str) -> dict[str, list[tuple[str, list[str] | None]]]:
    """Return the loops of each function: the label of the latch, its attributes in short; None without a LoopID.

    Places of a source (`!DILocation`) are no attributes.
    """
    nodes = dict(re.findall(r"^(!\d+) = (?:distinct )?!\{(.*)\}$", module, re.MULTILINE))
    found = {}
    for name, body in re.findall(r"^define [^@]*@([\w.]+)\(.*?\{$(.*?)^\}$", module, re.MULTILINE | re.DOTALL):
        found[name] = [
            (label, None if loop is None else [_attribute(nodes, a) for a in _operands(nodes[loop])[1:] if a in nodes])
            for label, loop in _latches(body)
        ]
    return found


def _latches(body: str) -> Iterator[tuple[str, str | None]]:
    """Yield the blocks that go back to one above them in a depth-first search, each with its LoopID."""
    blocks = {m[1]: m[2] for m in re.finditer(r"^([-\w.]+):.*?$(.*?)(?=^[-\w.]+:|\Z)", body, re.MULTILINE | re.DOTALL)}
    targets = {name: re.findall(r"label %([-\w.]+)", text) for name, text in blocks.items()}
    state: dict[str, int] = {}
    waiting = [(next(iter(blocks)), False)]
    while waiting:
        name, left = waiting.pop()
        if left:
            state[name] = 2
            continue
        if name in state:
            continue
        state[name] = 1
        waiting.append((name, True))
        waiting += [(target, False) for target in reversed(targets[name]) if target not in state]
        for target in targets[name]:
            if state.get(target) == 1:
                loop = re.search(r"!llvm\.loop (!\d+)", blocks[name])
                yield name, None if loop is None else loop[1]


def _operands(text: str) -> list[str]:
    """Split a node at its commas."""
    parts, depth, quoted = [""], 0, False
    for character in text:
        quoted ^= character == '"'
        depth += not quoted and (character in "{(<") - (character in "})>")
        if character == "," and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _attribute(nodes: dict[str, str], reference: str) -> str:
    """Return an attribute in the short form of `tests.transform.metadata`."""
    if not nodes[reference]:
        return "group"
    name, *rest = _operands(nodes[reference])
    short = name[2:-1].removeprefix("llvm.loop.")
    if not rest:
        return short
    if rest[0].startswith("!"):
        return f"{short}={{{';'.join(_attribute(nodes, each) for each in rest)}}}"
    value = rest[0].split()[1]
    return f"{short}={ {'true': '1', 'false': '0'}.get(value, value) }"
