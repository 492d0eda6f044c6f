"""The pairs of the library: what each file says of them.

What goes in: the `.ll` files beside this one. What comes out: `Pair`s, each with the functions `@src.NAME` and
`@tgt.NAME` and what stands in the head above them, a line `; pair NAME: what was changed` and then

    ; report: the public report, or the rule of the LangRef after which the pair was written
    ; verdict: sound | unsound | sequential | llvm sound, amdgpu unsound
    ; why: one sentence
    ; arguments: %c = 0, %q = @p        (in the context below; otherwise each pointer has memory of its own)
    ; memory: x = i64 0; y = i32 7      (what pointers point to, if it is not `i32 0`)
    ; context:                          (of an unsound pair: what tells the two functions apart)
    ;   thread Q { … }
    ;   exists (…)

In a context `P` is the thread of the function, with its result as `P:return`. A context that writes `thread P` itself
has a line `fragment` in it, where the function stands. For a function with a call that the tests of axmem do not have,
`@closed.tgt.NAME` stands in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
MODELS = ("llvm", "amdgpu")
SOUND, UNSOUND, SEQUENTIAL = "sound", "unsound", "sequential"
"""A change is `sequential` if only arithmetic decides it, which is left to Alive2."""
KEYS = ("report", "verdict", "why", "arguments", "memory", "context")
_HEAD = re.compile(r"; pair (?P<name>\w+): (?P<what>.*)")
_KEY = re.compile(rf"; (?P<key>{'|'.join(KEYS)}):(?: (?P<text>.*))?")


@dataclass(frozen=True, slots=True)
class Pair:
    """A change and what is known of it; `shared` are the lines of the module that belong to no pair."""

    topic: str
    name: str
    what: str
    head: Mapping[str, str]
    shared: str
    functions: str

    @property
    def label(self) -> str:
        """Return the name with the topic."""
        return f"{self.topic}/{self.name}"

    @property
    def verdicts(self) -> Mapping[str, str]:
        """Return the verdict under each model."""
        said = self.head["verdict"]
        if said in (SOUND, UNSOUND, SEQUENTIAL):
            return dict.fromkeys(MODELS, said)
        return dict(part.split() for part in said.split(", "))

    @property
    def text(self) -> str:
        """Return the module with both functions, as `axmem refine` and Alive2 read it."""
        return re.sub(
            r"^define [^\n]*@closed\..*?^}\n", "", f"{self.shared}\n{self.functions}", flags=re.DOTALL | re.MULTILINE
        )

    def side(self, side: str) -> str:
        """Return the module with one of the functions, `src` or `tgt`, or what stands for it in closed tests."""
        for name in (f"closed.{side}.{self.name}", f"{side}.{self.name}"):
            if found := re.search(rf"^define [^\n]*@{name}\(.*?^}}\n", self.functions, re.DOTALL | re.MULTILINE):
                return f"{self.shared}\n{found[0].replace('@closed.', '@')}"
        raise ValueError(f"{self.label} has no function @{side}.{self.name}")

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Return type and name of each parameter."""
        found = re.search(rf"@src\.{self.name}\(([^{{]*)\)", self.functions)
        assert found, f"{self.label} has no parameters"
        listed = (p.split() for p in found[1].split(",") if p.strip())
        return tuple((" ".join(words[:-1]), words[-1].removeprefix("%")) for words in listed)


def pairs_of(path: Path) -> Iterator[Pair]:
    """Return the pairs of a file."""
    shared: list[str] = []
    found: list[tuple[dict[str, str], list[str]]] = []
    key = ""
    for line in path.read_text().splitlines():
        if head := _HEAD.fullmatch(line):
            found.append(({"name": head["name"], "what": head["what"]}, []))
            key = "what"
        elif found and line.startswith(";") and not found[-1][1]:
            said = found[-1][0]
            if entry := _KEY.fullmatch(line):
                key = entry["key"]
                said[key] = entry["text"] or ""
            else:
                said[key] += ("\n" if key == "context" else " ") + line.removeprefix(";").lstrip(" ")
        elif line[:1] in ("@", "!") or line.startswith(("declare", "target")):
            shared.append(line)
        elif line and not line.startswith(";"):
            found[-1][1].append(line)
    for said, body in found:
        rest = {k: text for k, text in said.items() if k in KEYS}
        yield Pair(path.stem, said["name"], said["what"], rest, "\n".join(shared), "\n".join(body) + "\n")


def library() -> tuple[Pair, ...]:
    """Return all pairs, by topic."""
    return tuple(pair for path in sorted(HERE.glob("*.ll")) for pair in pairs_of(path))
