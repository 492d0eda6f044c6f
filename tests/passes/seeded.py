"""An opt whose passes are changes that we know: wrong ones, and right ones.

What goes in: the arguments and the input of opt. What comes out: the module, in each function changed where a change
applies. `install` writes such an opt, which needs no LLVM. Each change says why it is wrong, or right; a pass has its
name. Functions are those that `axmem passes` makes: one instruction a line.
"""

from __future__ import annotations

import re
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.paths import ROOT

Lines = list[str]
Edit = Callable[[Lines], Lines]

LOAD, STORE = r"%\w+ = load i32, .*align 4$", r"store i32 .*align 4$"
"""A plain load and a plain store, without tags."""
_RESULT = re.compile(r"\s*(%\w+) = ")


def atomic(kind: str, ordering: str, mark: str = "") -> str:
    """Return what an atomic load or store of an ordering is, without tags."""
    head = "%\\w+ = " if kind == "load" else ""
    return (
        rf"{head}{kind} atomic i32 .*{mark} {ordering}, align 4$|{head}{kind} atomic i32, .*{mark} {ordering}, align 4$"
    )


def update(operation: str, ordering: str) -> str:
    """Return what an atomicrmw is."""
    return rf"%\w+ = atomicrmw {operation} .* {ordering}, align 4$"


def fence(ordering: str) -> str:
    """Return what a fence of system scope without tags is."""
    return rf"fence {ordering}$"


def swapped(first: str, second: str) -> Edit:
    """Return the change that moves the second of two operations up over the first."""

    def edit(lines: Lines) -> Lines:
        for k in range(len(lines) - 1):
            one, other = lines[k].strip(), lines[k + 1].strip()
            if re.match(first, one) and re.match(second, other) and _independent(one, other):
                return [*lines[:k], lines[k + 1], lines[k], *lines[k + 2 :]]
        return lines

    return edit


def _independent(one: str, other: str) -> bool:
    result = _RESULT.match(one)
    return result is None or not re.search(rf"{result[1]}\b", other)


def each(pattern: str, change: Callable[[str], list[str]]) -> Edit:
    """Return the change that puts other lines in the place of the first line of a kind."""

    def edit(lines: Lines) -> Lines:
        for k, line in enumerate(lines):
            if re.match(pattern, line.strip()):
                return [*lines[:k], *change(line), *lines[k + 1 :]]
        return lines

    return edit


def dropped(pattern: str) -> Edit:
    """Return the change that deletes an operation whose result nobody uses."""

    def edit(lines: Lines) -> Lines:
        for k, line in enumerate(lines):
            result = _RESULT.match(line)
            rest = lines[:k] + lines[k + 1 :]
            used = result is not None and any(re.search(rf"{result[1]}\b", each) for each in rest)
            if re.match(pattern, line.strip()) and not used:
                return rest
        return lines

    return edit


def words(pattern: str, old: str, new: str) -> Edit:
    """Return the change that puts other words into an operation."""
    return each(pattern, lambda line: [re.sub(old, new, line, count=1)])


def doubled(pattern: str) -> Edit:
    """Return the change that executes an operation twice."""
    return each(pattern, lambda line: [re.sub(r"%\w+ = ", "%again = ", line), line])


def loaded(line: str) -> list[str]:
    """Return an update as a load."""
    match = re.match(r"(\s*%\w+) = atomicrmw \w+ (.*?), i32 \d+ (.*)$", line)
    assert match is not None
    return [f"{match[1]} = load atomic i32, {match[2]} {match[3]}"]


def in_two(line: str) -> list[str]:
    """Return an exchange as a load and a store."""
    match = re.match(r"(\s*%\w+) = atomicrmw xchg (.*?), i32 (\d+) (.*)$", line)
    assert match is not None
    return [
        f"{match[1]} = load atomic i32, {match[2]} monotonic, align 4",
        f"  store atomic i32 {match[3]}, {match[2]} monotonic, align 4",
    ]


def forwarded(between: str) -> Edit:
    """Return the change that takes what was stored for what is loaded, over an operation between them."""

    def edit(lines: Lines) -> Lines:
        for k in range(len(lines) - 2):
            store = re.match(r"\s*store i32 (\d+), (.*), align 4$", lines[k])
            load = re.match(r"\s*(%\w+) = load i32, (.*), align 4$", lines[k + 2])
            if store and load and store[2] == load[2] and re.match(between, lines[k + 1].strip()):
                return _replaced(lines, k + 2, load[1], store[1])
        return lines

    return edit


def _replaced(lines: Lines, at: int, name: str, value: str) -> Lines:
    rest = lines[:at] + lines[at + 1 :]
    return [re.sub(rf"{name}(?!\w)", value, line) for line in rest]


def unguarded(pattern: str) -> Edit:
    """Return the change that executes what stands in the arm of a branch before the branch."""

    def edit(lines: Lines) -> Lines:
        for k, line in enumerate(lines):
            branch = next((j for j in range(k, -1, -1) if lines[j].strip().startswith("br i1")), None)
            if branch is not None and re.match(pattern, line.strip()):
                return [*lines[:branch], line, *lines[branch:k], *lines[k + 1 :]]
        return lines

    return edit


def reused(first: str, between: str) -> Edit:
    """Return the change by which a load has what an earlier one of the same memory had, over an operation between."""

    def edit(lines: Lines) -> Lines:
        for k in range(len(lines) - 2):
            one, other = (re.match(r"\s*(%\w+) = load (.*)$", lines[j]) for j in (k, k + 2))
            if one is None or other is None or one[2] != other[2]:
                continue
            if re.match(first, lines[k].strip()) and re.match(between, lines[k + 1].strip()):
                return _replaced(lines, k + 2, other[1], one[1])
        return lines

    return edit


@dataclass(frozen=True)
class Seed:
    """A change: its name, the change of lines, why it is wrong (or right), the model under which it is so."""

    name: str
    edit: Edit
    why: str
    model: str = "llvm"


ORDER = "what was acquired, or is to be released, is no longer ordered"
WRONG = (
    Seed("load-over-acquire", swapped(atomic("load", "acquire"), LOAD), ORDER),
    Seed("load-over-seq-cst", swapped(atomic("load", "seq_cst"), LOAD), ORDER),
    Seed("load-over-acquire-fence", swapped(fence("acquire"), LOAD), ORDER),
    Seed("load-over-acq-rel-fence", swapped(fence("acq_rel"), LOAD), ORDER),
    Seed("store-over-acquire", swapped(atomic("load", "acquire"), STORE), ORDER),
    Seed("store-over-acquire-fence", swapped(fence("acquire"), STORE), ORDER),
    Seed("release-over-store", swapped(STORE, atomic("store", "release")), ORDER),
    Seed("release-over-load", swapped(LOAD, atomic("store", "release")), ORDER),
    Seed("release-fence-over-store", swapped(STORE, fence("release")), ORDER),
    Seed("release-fence-over-load", swapped(LOAD, fence("release")), ORDER),
    Seed("load-over-update", swapped(update("add", "acquire"), LOAD), ORDER),
    Seed("update-over-store", swapped(STORE, update("add", "release")), ORDER),
    Seed(
        "seq-cst-load-over-store",
        swapped(atomic("store", "seq_cst"), atomic("load", "seq_cst")),
        "two threads that do so may both read 0",
    ),
    Seed("no-acquire-fence", dropped(fence("acquire")), ORDER),
    Seed("no-release-fence", dropped(fence("release")), ORDER),
    Seed("no-acq-rel-fence", dropped(fence("acq_rel")), ORDER),
    Seed("no-seq-cst-fence", dropped(fence("seq_cst")), ORDER),
    Seed("no-store", dropped(atomic("store", "monotonic")), "nobody else reads what was stored"),
    Seed("no-update", dropped(update("add", "monotonic")), "memory does not count"),
    Seed("no-volatile-load", dropped(r"%\w+ = load volatile i32"), "a volatile access is executed as often as before"),
    Seed("monotonic-for-acquire", words(atomic("load", "acquire"), "acquire", "monotonic"), ORDER),
    Seed("monotonic-for-release", words(atomic("store", "release"), "release", "monotonic"), ORDER),
    Seed("acquire-for-acq-rel-fence", words(fence("acq_rel"), "acq_rel", "acquire"), ORDER),
    Seed("release-for-acq-rel-fence", words(fence("acq_rel"), "acq_rel", "release"), ORDER),
    Seed("acquire-for-acq-rel-update", words(update("add", "acq_rel"), "acq_rel", "acquire"), ORDER),
    Seed("release-for-acq-rel-update", words(update("add", "acq_rel"), "acq_rel", "release"), ORDER),
    Seed("monotonic-for-seq-cst-update", words(update("add", "seq_cst"), "seq_cst", "monotonic"), ORDER),
    Seed("plain-load", words(atomic("load", "monotonic"), "atomic (.*) monotonic", r"\1"), "it races, and is undef"),
    Seed("plain-store", words(atomic("store", "monotonic"), "atomic (.*) monotonic", r"\1"), "who loads it has undef"),
    Seed("plain-unordered-load", words(atomic("load", "unordered"), "atomic (.*) unordered", r"\1"), "it is undef"),
    Seed("no-volatile", words(r"%\w+ = load volatile i32", " volatile", ""), "a volatile access stays one"),
    Seed(
        "agent-for-system-acquire",
        words(atomic("load", "acquire"), " acquire", r' syncscope("agent") acquire'),
        "another agent's release is no longer acquired",
        "amdgpu",
    ),
    Seed(
        "agent-for-system-release",
        words(atomic("store", "release"), " release", r' syncscope("agent") release'),
        "another agent no longer acquires it",
        "amdgpu",
    ),
    Seed(
        "agent-for-system-fence",
        words(fence("release"), "fence", 'fence syncscope("agent")'),
        "another agent no longer acquires it",
        "amdgpu",
    ),
    Seed("tagged-release", words(atomic("store", "release"), "$", ", !mmra !0"), "an acquire with tag b misses it"),
    Seed("tagged-acquire", words(atomic("load", "acquire"), "$", ", !mmra !0"), "it misses a release with tag b"),
    Seed("tagged-fence", words(fence("release"), "$", ", !mmra !0"), "an acquire with tag b misses it"),
    Seed("doubled-update", doubled(update("add", "monotonic")), "it counts twice"),
    Seed("doubled-store", doubled(atomic("store", "monotonic")), "it hides what was stored between"),
    Seed("update-as-load", each(update("or", r"\w+"), loaded), "nobody reads from it, so that a release is lost"),
    Seed("exchange-in-two", each(update("xchg", r"\w+"), in_two), "another thread may write between the two"),
    Seed("reused-over-acquire", reused(LOAD, atomic("load", "acquire")), "what was acquired may be newer"),
    Seed("unguarded-store", unguarded(STORE), "it is executed though its condition does not hold"),
    Seed("unguarded-update", unguarded(r"%\w+ = atomicrmw add"), "it is executed though its condition does not hold"),
)
"""Changes that are wrong."""
RIGHT = (
    Seed("loads-swapped", swapped(LOAD, LOAD), "plain loads are not ordered"),
    Seed("no-plain-load", dropped(LOAD), "nobody uses what it reads"),
    Seed("acquire-for-monotonic", words(atomic("load", "monotonic"), "monotonic", "acquire"), "it orders more"),
    Seed("seq-cst-for-release", words(atomic("store", "release"), "release", "seq_cst"), "it orders more"),
    Seed("seq-cst-fence", words(fence("acq_rel"), "acq_rel", "seq_cst"), "it orders more"),
    Seed("fence-twice", doubled(fence("release")), "the second one orders nothing more"),
    Seed("untagged-fence", words(r"fence \w+, !mmra", ", !mmra.*", ""), "it orders more"),
    Seed("system-for-agent", words(r'fence syncscope\("agent"\)', r' syncscope\("agent"\)', ""), "more are ordered"),
    Seed("load-over-release", swapped(atomic("store", "release"), LOAD), "a release orders what is before it"),
    Seed(
        "forwarded-over-acquire", forwarded(atomic("load", "acquire")), "nobody could write behind the store in order"
    ),
    Seed("strong", words(r"%\w+ = cmpxchg weak", " weak", ""), "it fails less often"),
)
"""Changes that are right."""
SEEDS = {seed.name: seed for seed in (*WRONG, *RIGHT)}


def changed(text: str, edit: Edit) -> str:
    """Return a module with a change in each function to which it applies."""
    out: Lines = []
    inside: Lines | None = None
    for line in text.split("\n"):
        if line.startswith("define "):
            inside = []
            out.append(line)
        elif line == "}" and inside is not None:
            out += [*edit(inside), line]
            inside = None
        elif inside is not None:
            inside.append(line)
        else:
            out.append(line)
    return "\n".join(out)


def main() -> int:
    """Do as opt does; return the exit code."""
    text = sys.stdin.read() if "--version" not in sys.argv else "LLVM version 22.0.0"
    named = [word.partition("=")[2] for word in sys.argv[1:] if word.startswith("-passes=")]
    for name in named:
        if name not in SEEDS:
            print(f"opt: unknown pass name '{name}'", file=sys.stderr)
            return 1
        text = changed(text, SEEDS[name].edit)
    sys.stdout.write(text)
    return 0


def install(folder: Path) -> str:
    """Write such an opt into a directory; return its path."""
    path = folder / "seeded-opt"
    path.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from tests.passes.seeded import main\nsys.exit(main())\n",
        encoding="utf-8",
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)
