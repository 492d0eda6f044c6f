"""Wrong changes of a thread, each at every scope and class of tags, asked in contexts of the size that they need.

Statements are separated by semicolons. `@` stands for the scope, `#` for the tags of what synchronizes. The thread is
alone: whoever notices is a context.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

from axmem.commands.pages.soundness import VERDICT_OF
from axmem.front.source import Source
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.iterations import mapped
from axmem.refinement.pairs import refine
from axmem.refinement.soundness import outcomes_sound
from tests.controls import Control

SCOPES = ("wavefront", "workgroup", "cluster", "agent", "")
"""The scopes, of syncscope("…"); the last is the system. What is of one thread orders nothing that others could see."""
TAGS = ("", "f:a", "f:a f:b", "amdgcn-av:none", "amdgpu-synchronize-as:global")
MODELS = ("llvm", "amdgpu")

HEAD = "litmus {}\nglobal x = 0, y = 0, f = 0\nthread P0 @ agent 0, cluster 0, workgroup 0, wavefront 0 {{\n{}\n}}\n"


@dataclass(frozen=True)
class Change:
    """A wrong change: how many operations a context needs that shows it, and why it is wrong.

    `scoped`: it is wrong at every scope; `tagged`: of these tags.
    """

    name: str
    before: str
    after: str
    context: int
    why: str
    scoped: bool = True
    tagged: tuple[str, ...] = ("",)


PLAIN_TAGS = ("", "f:a", "f:a f:b")
RELEASE, ACQUIRE = "store atomic 1, f@ release#", "a = load atomic f@ acquire#"
MESSAGE = "who acquires the flag sees what was stored before it, by [LangRef] release and acquire"
TAKEN = "what was stored before the flag that an acquire reads is seen behind it"
CHANGES = (
    Change("release becomes monotonic", f"store 1, x; {RELEASE}", "store 1, x; store atomic 1, f@ monotonic#", 2,
           MESSAGE, tagged=PLAIN_TAGS),
    Change("a store moves down over a release", f"store 1, x; {RELEASE}", f"{RELEASE}; store 1, x", 2, MESSAGE,
           tagged=PLAIN_TAGS),
    Change("an atomic store moves down over a release", f"store atomic 1, x@ monotonic; {RELEASE}",
           f"{RELEASE}; store atomic 1, x@ monotonic", 2, MESSAGE, tagged=PLAIN_TAGS),
    Change("a computed store moves down over a release", f"v = load y; w = v + 1; store w, x; {RELEASE}",
           f"v = load y; w = v + 1; {RELEASE}; store w, x", 2, MESSAGE, tagged=PLAIN_TAGS),
    Change("a release fence goes", "store 1, x; fence@ release#; store atomic 1, f@ monotonic",
           "store 1, x; store atomic 1, f@ monotonic", 2, MESSAGE, tagged=(*PLAIN_TAGS, TAGS[4])),
    Change("a store moves down over a release fence", "store 1, x; fence@ release#; store atomic 1, f@ monotonic",
           "fence@ release#; store 1, x; store atomic 1, f@ monotonic", 2, MESSAGE, tagged=(*PLAIN_TAGS, TAGS[4])),
    Change("a store that a release publishes goes",
           f"store atomic 1, x@ monotonic; {RELEASE}; store atomic 2, x@ monotonic",
           f"{RELEASE}; store atomic 2, x@ monotonic", 2, MESSAGE, tagged=PLAIN_TAGS),
    Change("acquire becomes monotonic", f"{ACQUIRE}; b = load x", "a = load atomic f@ monotonic#; b = load x", 2, TAKEN,
           tagged=PLAIN_TAGS),
    Change("a load moves up over an acquire", f"{ACQUIRE}; b = load x", f"b = load x; {ACQUIRE}", 2, TAKEN,
           tagged=PLAIN_TAGS),
    Change("an atomic load moves up over an acquire", f"{ACQUIRE}; b = load atomic x@ monotonic",
           f"b = load atomic x@ monotonic; {ACQUIRE}", 2, TAKEN, tagged=PLAIN_TAGS),
    Change("an acquire fence goes", "a = load atomic f@ monotonic; fence@ acquire#; b = load x",
           "a = load atomic f@ monotonic; b = load x", 2, TAKEN, tagged=(*PLAIN_TAGS, TAGS[4])),
    Change("a load moves up over an acquire fence", "a = load atomic f@ monotonic; fence@ acquire#; b = load x",
           "a = load atomic f@ monotonic; b = load x; fence@ acquire#", 2, TAKEN, tagged=(*PLAIN_TAGS, TAGS[4])),
    Change("a load is merged over an acquire", f"b = load x; {ACQUIRE}; c = load x", f"b = load x; {ACQUIRE}; c = b", 2,
           TAKEN, tagged=PLAIN_TAGS),
    Change("the tags of a release become others", "store 1, x; store atomic 1, f@ release  # f:a",
           "store 1, x; store atomic 1, f@ release  # f:b", 2, "f:a and f:b are incompatible ([MMRA]): an f:a acquire"),
    Change("a release gets tags", "store 1, x; store atomic 1, f@ release",
           "store 1, x; store atomic 1, f@ release  # f:a", 2, "an f:b acquire is incompatible with it then ([MMRA])"),
    Change("an exchange is torn", "r = atomicrmw add x, 1@ monotonic",
           "r = load atomic x@ monotonic; s = r + 1; store atomic s, x@ monotonic", 1,
           "a store between the two is lost, and no read-modify-write loses it"),
    Change("a load becomes two", "r = load atomic x@ monotonic; s = r",
           "r = load atomic x@ monotonic; s = load atomic x@ monotonic", 1, "a store between them makes them unlike"),
    Change("a store sinks into nothing", "store atomic 1, x@ monotonic", "fence@ acquire", 0, "x stays 0 at last"),
    Change("a stored number changes", "store atomic 1, x@ monotonic", "store atomic 2, x@ monotonic", 0, "x is 2"),
    Change("stores of one location swap", "store atomic 1, x@ monotonic; store atomic 2, x@ monotonic",
           "store atomic 2, x@ monotonic; store atomic 1, x@ monotonic", 0, "x is 1 at last"),
    Change("a register changes", "r = load atomic x@ monotonic; s = r + 1", "r = load atomic x@ monotonic; s = r + 2",
           0, "s is 2"),
    Change("a load becomes a number", "r = load atomic x@ monotonic", "r = 5", 0, "x holds 0 alone"),
    Change("a number that is stored is computed otherwise", "r = load y; s = r + 1; store atomic s, x@ monotonic",
           "r = load y; s = r + 2; store atomic s, x@ monotonic", 0, "x is 2"),
    Change("an update stores another sum", "r = atomicrmw add x, 1@ monotonic", "r = atomicrmw add x, 2@ monotonic", 0,
           "x is 2"),
    Change("an update becomes a load", "r = atomicrmw add x, 1@ monotonic", "r = load atomic x@ monotonic", 0,
           "x stays 0"),
    Change("a store is speculated", "r = load atomic f@ monotonic; if r == 1 {; store atomic 1, x@ monotonic; }",
           "r = load atomic f@ monotonic; store atomic 1, x@ monotonic", 0, "x is 1 though f is 0"),
    Change("seq_cst becomes acq_rel", "store atomic 1, x@ seq_cst; r = load atomic y@ seq_cst",
           "store atomic 1, x@ release; r = load atomic y@ acquire", 2,
           "store buffering: both threads read 0, which the order of seq_cst excludes"),
)  # fmt: skip


def narrowed() -> Iterator[Change]:
    """Yield what synchronizes at a scope narrowed to each below it: who is in the one and not in the other notices."""
    for wide, narrow in ((w, n) for k, w in enumerate(SCOPES) for n in ("singlethread", *SCOPES[:k])):
        scopes = [f' syncscope("{scope}")' if scope else "" for scope in (wide, narrow)]
        for name, text in (
            ("release", "store 1, x; store atomic 1, f{} release"),
            ("acquire", "a = load atomic f{} acquire; b = load x"),
        ):
            title = f"the {name} of {wide or 'system'} scope is narrowed to {narrow}"
            why = f"a thread of the {wide or 'system'} outside the {narrow}"
            yield Change(title, text.format(scopes[0]), text.format(scopes[1]), 2, why, scoped=False)


def controls() -> Iterator[Control]:
    """Yield the controls of programs."""
    for change, model in product((*CHANGES, *narrowed()), MODELS):
        for scope, tags in product(SCOPES if change.scoped else ("",), change.tagged):
            words = {"@": f' syncscope("{scope}")' if scope else "", "#": f"  # {tags}" if tags else ""}
            before, after = (_text(text, words if change.scoped else {}) for text in (change.before, change.after))
            ask = partial(in_contexts, before, after, model, change.context)
            shown = (scope or "system") if change.scoped else ""
            yield Control(f"refine {model}", change.name, shown, tags, change.why, ask)
    for change in CHANGES:
        if not change.context:
            before, after = (_text(text, {"@": "", "#": ""}) for text in (change.before, change.after))
            yield Control("refine closed", change.name, "", "", change.why, partial(closed, before, after))


def _text(body: str, words: dict[str, str]) -> str:
    lines = []
    for line in body.split("; "):
        for word, text in words.items():
            line = line.replace(word, text, 1) if word == "@" or line.endswith("#") else line
        lines.append(line)
    return HEAD.format("control", "\n".join(lines))


def in_contexts(before: str, after: str, model: str, events: int) -> str:
    """Return what is said of two programs in every context of so many operations."""
    change = mapped(parse(before, "before"), parse(after, "after"), Source("--map-iterations", ""))
    return VERDICT_OF[outcomes_sound(change, ModelChoice(model), events).finding.status]


def closed(before: str, after: str) -> str:
    """Return what is said of two programs alone."""
    return refine(before, after, "amdgpu", explained=False).verdict
