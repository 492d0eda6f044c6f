"""Changes with known answers that are made from tables: ten kinds, each wrong and right, in eight forms.

What goes in: nothing. What comes out: `Pair`s as those of the files: `wrong()` has 80 that are unsound, each with the
context that shows it, and `right()` 80 that are sound. A kind is what is changed; a form is the type, the scope, the
address space and the place in the function where that stands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.refinement.known.library import SOUND, UNSOUND, Pair

LOCATIONS = ("x", "y", "f", "g", "z", "w")
NARROWER = {"": "agent", "agent": "workgroup", "workgroup": "wavefront"}
BESIDE = {"": "agent 1", "agent": "agent 0, workgroup 1", "workgroup": "agent 0, workgroup 0, wavefront 1"}
"""Where another thread is in the scope and not in the next narrower one, with P in the first place of all."""


@dataclass(frozen=True, slots=True)
class Form:
    """A type, a scope and an address space; `flat` if generic pointers are used, and where the change stands."""

    name: str
    type_: str = "i32"
    scope: str = ""
    space: int = 0
    flat: bool = False
    surrounded: bool = False
    branched: bool = False

    def at(self, name: str, narrower: bool = False, ordering: str = "") -> str:
        """Return a pointer operand, with the scope and the ordering of an atomic access to it."""
        space = f" addrspace({self.space})" if self.space and not self.flat else ""
        pointer = f"ptr{space} {'%' if self.flat else '@'}{name}"
        return f"{pointer}{self.scoped(narrower)} {ordering}" if ordering else pointer

    def scoped(self, narrower: bool = False) -> str:
        """Return the scope as it stands after an operand."""
        scope = NARROWER[self.scope] if narrower else self.scope
        return f' syncscope("{scope}")' if scope else ""

    @property
    def size(self) -> int:
        """Return the bytes of the type."""
        return int(self.type_[1:]) // 8


FORMS = (
    Form("plain"),
    Form("long", type_="i64"),
    Form("byte", type_="i8"),
    Form("agent", scope="agent", space=1),
    Form("workgroup", scope="workgroup", space=1),
    Form("flat", space=1, flat=True),
    Form("surrounded", surrounded=True),
    Form("branched", branched=True),
)

Body = list[str]
Kind = Callable[[Form], tuple[Body, Body, Body, Body, str]]
"""Before and after of the wrong change, before and after of the right one, and the context that shows the first."""


def load(f: Form, register: str, name: str, ordering: str = "", tags: str = "") -> str:
    """Return a load, atomic with an ordering."""
    operand = f"{'atomic ' if ordering else ''}{f.type_}, {f.at(name, ordering=ordering)}"
    return f"%{register} = load {operand}, align {f.size}{tags}"


def store(f: Form, value: int, name: str, ordering: str = "", tags: str = "", narrower: bool = False) -> str:
    """Return a store, atomic with an ordering."""
    operand = f"{'atomic ' if ordering else ''}{f.type_} {value}, {f.at(name, narrower, ordering)}"
    return f"store {operand}, align {f.size}{tags}"


def fence(f: Form, ordering: str) -> str:
    """Return a fence."""
    return f"fence{f.scoped()} {ordering}"


def guarded(f: Form, value: str, flag: str = "a") -> Body:
    """Return how a value is the result where a flag has been read, and 7 elsewhere."""
    return [f"%k = icmp ne {f.type_} %{flag}, 0", f"%r = select i1 %k, {f.type_} %{value}, {f.type_} 7"]


def beside(f: Form, *operations: str) -> str:
    """Return another thread, as wide as the scope reaches; `@` stands for the scope."""
    lines = "".join(f"  {operation.replace(' @', f.scoped())}\n" for operation in operations)
    return f"thread Q @ {BESIDE[f.scope]} {{\n{lines}}}\n"


def sender(f: Form) -> str:
    """Return a thread that sends x by the flag f, and what tells that it was not seen."""
    return beside(f, "store 1, x", "store atomic 1, f @ release") + "exists (P:return=0)"


def receiver(f: Form, tags: str = "") -> str:
    """Return a thread that receives x by the flag f, and what tells that it does not see it."""
    return beside(f, f"r = load atomic f @ acquire{tags}", "s = load x") + "exists (Q:r=1 /\\ Q:s=0)"


def over_acquire(f: Form) -> tuple[Body, Body, Body, Body, str]:
    """A plain load moves up over an acquire load; down over it."""
    flag, data, result = load(f, "a", "f", "acquire"), load(f, "b", "x"), guarded(f, "b")
    low, high = [flag, data, *result], [data, flag, *result]
    return low, high, high, low, sender(f)


def over_release(f: Form) -> tuple[Body, Body, Body, Body, str]:
    """A plain store moves down over a release store; up over it."""
    data, flag = store(f, 1, "x"), store(f, 1, "f", "release")
    return [data, flag], [flag, data], [flag, data], [data, flag], receiver(f)


def dropped_fence(f: Form) -> tuple[Body, Body, Body, Body, str]:
    """An acquire fence is deleted; one of two equal ones."""
    flag, data, result = load(f, "a", "f", "monotonic"), load(f, "b", "x"), guarded(f, "b")
    one = [flag, fence(f, "acquire"), data, *result]
    return one, [flag, data, *result], [flag, fence(f, "acquire"), *one[1:]], one, sender(f)


def weakened(f: Form) -> tuple[Body, Body, Body, Body, str]:
    """A release store becomes monotonic; a monotonic one becomes release."""
    strong, weak = ([store(f, 1, "x"), store(f, 1, "f", o)] for o in ("release", "monotonic"))
    return strong, weak, weak, strong, receiver(f)


def scoped(f: Form) -> tuple[Body, Body, Body, Body, str]:
    """The scope of a release store becomes the next narrower one; the next wider one."""
    wide, narrow = ([store(f, 1, "x"), store(f, 1, "f", "release", narrower=n)] for n in (False, True))
    return wide, narrow, narrow, wide, receiver(f)


def tagged(f: Form) -> tuple[Body, Body, Body, Body, str]:
    """A release store takes a tag that it did not have; loses the tag that it has."""
    bare, with_tag = ([store(f, 1, "x"), store(f, 1, "f", "release", tags=t)] for t in ("", ", !mmra !0"))
    return bare, with_tag, with_tag, bare, receiver(f, "  # foo:b")


def idempotent(f: Form) -> tuple[Body, Body, Body, Body, str]:
    """An atomicrmw that changes nothing becomes a load; becomes a stronger one."""
    first, pointer = [store(f, 1, "y"), fence(f, "release")], f"{f.at('x')}, {f.type_} 0{f.scoped()}"
    weak, strong = ([*first, f"%r = atomicrmw or {pointer} {o}, align {f.size}"] for o in ("monotonic", "acq_rel"))
    context = beside(f, "r = atomicrmw xchg x, 1 @ acquire", "s = load y") + "exists (P:return=0 /\\ Q:r=0 /\\ Q:s=0)"
    return weak, [*first, load(f, "r", "x", "monotonic")], weak, strong, context


def split(f: Form) -> tuple[Body, Body, Body, Body, str]:
    """A monotonic store of two elements becomes two plain stores; a plain one does."""
    wide = f"i{16 * f.size}"
    value = 1 + (1 << (8 * f.size))
    both = f"store atomic {wide} {value}, {f.at('p', ordering='monotonic')}, align {2 * f.size}"
    plain = f"store {wide} {value}, {f.at('p')}, align {2 * f.size}"
    halves = [
        f"store {f.type_} 1, {f.at('p')}, align {2 * f.size}",
        f"%q = getelementptr i8, {f.at('p')}, i64 {f.size}",
        f"store {f.type_} 1, {f.at('p').replace('@p', '%q').replace('%p', '%q')}, align {f.size}",
    ]
    return [both], halves, [plain], halves, beside(f, f"r = load atomic {wide} p @ monotonic") + "exists (Q:r=1)"


def loaded_again(f: Form) -> tuple[Body, Body, Body, Body, str]:
    """A monotonic load is executed once more; a second one takes the value of the first."""
    one, two = load(f, "a", "x", "monotonic"), load(f, "b", "x", "monotonic")
    once, twice = [one, f"%r = sub {f.type_} %a, %a"], [one, two, f"%r = sub {f.type_} %b, %a"]
    return once, twice, twice, once, beside(f, "store atomic 1, x @ monotonic") + "exists (P:return=1)"


def overwritten(f: Form) -> tuple[Body, Body, Body, Body, str]:
    """A store is deleted that is overwritten after a release and an acquire; after a release alone."""
    first, second = store(f, 1, "x"), store(f, 2, "x")
    release, acquire = store(f, 1, "f", "release"), load(f, "r", "g", "acquire")
    both = [release, acquire, second]
    operations = ("r = load atomic f @ acquire", "s = load x", "store atomic 1, g @ release")
    context = beside(f, *operations) + "exists (P:return=1 /\\ Q:r=1 /\\ Q:s=0)"
    return [first, *both], both, [first, release, second], [release, second], context


KINDS: tuple[Kind, ...] = (
    over_acquire, over_release, dropped_fence, weakened, scoped, tagged, idempotent, split, loaded_again, overwritten,
)  # fmt: skip


def wrong() -> tuple[Pair, ...]:
    """Return the changes that are unsound."""
    return tuple(_pair(kind, form, UNSOUND) for kind in KINDS for form in FORMS)


def right() -> tuple[Pair, ...]:
    """Return the changes that are sound."""
    return tuple(_pair(kind, form, SOUND) for kind in KINDS for form in FORMS)


def _pair(kind: Kind, form: Form, verdict: str) -> Pair:
    name = f"{kind.__name__}_{form.name}"
    *bodies, context = kind(form)
    chosen = bodies[:2] if verdict == UNSOUND else bodies[2:]
    functions = "".join(_function(side, name, form, body) for side, body in zip(("src", "tgt"), chosen, strict=True))
    head = {"report": "from a table", "verdict": verdict, "why": (kind.__doc__ or "").strip()}
    if verdict == UNSOUND:
        place = "thread P @ agent 0, workgroup 0, wavefront 0 {\nfragment\n}\n"
        head |= {"context": place + context, "arguments": "%c = 1"}
    return Pair(verdict, name, name.replace("_", " "), head, _shared(form), functions)


def _shared(form: Form) -> str:
    """Return the memory and the tags of a form."""
    space = f"addrspace({form.space}) " if form.space else ""
    lines = [f"@{name} = {space}global {form.type_} 0" for name in LOCATIONS]
    return "\n".join((*lines, f"@p = {space}global i{16 * form.size} 0", '!0 = !{!"foo", !"a"}'))


def _function(side: str, name: str, form: Form, body: Body) -> str:
    """Return a function of a form with a body, whose result is `%r` if it has one."""
    result = next((True for line in body if line.startswith("%r =")), False)
    type_, value = (form.type_, f"{form.type_} %r") if result else ("void", "void")
    lines = list(body)
    if form.flat:
        used = [n for n in (*LOCATIONS, "p") if any(f"%{n}" in line.replace(",", " ").split() for line in body)]
        lines = [f"%{n} = addrspacecast ptr addrspace(1) @{n} to ptr" for n in used] + lines
    if form.surrounded:
        lines = [store(form, 3, "z"), *lines, store(form, 4, "w")]
    if form.branched:
        ends = ["br label %end", "end:", *([f"%t = phi {type_} [ %r, %then ], [ 9, %entry ]"] if result else ())]
        lines = ["br i1 %c, label %then, label %end", "then:", *lines, *ends]
        lines.insert(0, "entry:")
        value = value.replace("%r", "%t")
    text = "".join(line + "\n" if line.endswith(":") else f"  {line}\n" for line in (*lines, f"ret {value}"))
    return f"define {type_} @{side}.{name}({'i1 %c' if form.branched else ''}) {{\n{text}}}\n"
