"""`axmem passes`: functions on trial, without LLVM: an opt that is recorded, and one of whose faults we know.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.commands.pages.passes import summary
from axmem.formats.ir.pairs import sides
from axmem.formats.ir.printer import defined, lines
from axmem.front.records import replace
from axmem.front.source import Source
from axmem.litmus.words import OperationKind, Ordering
from axmem.passes import batches
from axmem.passes.asking import Inquiry, judged
from axmem.passes.batches import Batch, OptTarget, ran
from axmem.passes.changes import ARITHMETIC, GONE, FunctionChange, Made, made
from axmem.passes.enumeration import SMALL, every, of, random
from axmem.passes.fragments import Fragment, FragmentOperation, FragmentShape, ModeMark, function
from axmem.passes.kept import batches_run
from axmem.passes.known import CAUSES, cause
from axmem.passes.modules import ModuleText, module_of
from axmem.passes.passes import ALL, pass_names
from axmem.passes.straight import straightened
from axmem.passes.trial import ChangeEntry, Trial, TrialOptions
from axmem.refinement import opt_runs
from axmem.refinement.inclusion import BOUNDED, HELD
from axmem.refinement.kept_findings import store_of
from axmem.refinement.timed import Timed
from tests.drawn import WHOLE, in_full, some
from tests.passes import recorded, seeded
from tests.passes.recorded import FOUND, FRAGMENTS
from tests.paths import ROOT


def module(body: str, parameters: str = "ptr %x, ptr %y", result: str = "void", name: str = "f") -> str:
    """Return a module of a function whose lines are separated by semicolons."""
    lines = "".join(
        f"  {line.strip()}\n" if not line.endswith(":") else f"{line.strip()}\n" for line in body.split(";")
    )
    return f"define {result} @{name}({parameters}) {{\n{lines}}}\n"


def change(before: str, after: str, parameters: str = "ptr %x, ptr %y", result: str = "void") -> Made:
    found = made("f", *(module_of(module(body, parameters, result)) for body in (before, after)))
    assert isinstance(found, Made)
    return found


def core(made: Made) -> FunctionChange:
    """Return the only piece of a change."""
    ((found, _),) = made.pieces
    return found


# ---------------------------------------------------------------- what goes in


def test_all_functions_of_a_size_are_enumerated_once() -> None:
    """Numbers that change are spaces that change: pages that name them are no longer of these functions."""
    assert [len({*every(size)}) for size in ((1, 2) if WHOLE else (1,))] == [564, 283_489][: 2 if WHOLE else 1]
    assert len([*every(1)]) == 564
    rows = [*of(SMALL, 2)]
    texts = {function("f", each, 1) for each in rows}
    assert len(texts) == len(rows) == len({*rows})


def test_random_functions_are_the_same_for_a_seed() -> None:
    first, second, other = ([*islice(random(seed, 4), 300)] for seed in (1, 1, 2))
    assert first == second != other
    assert {each.shape for each in first} == set(FragmentShape) and any(each.cast for each in first)


@pytest.mark.parametrize("space", [0, 1])
def test_functions_are_read(space: int) -> None:
    for each in [*islice(every(1), 0, None, 7), *islice(random(0, 4), 200)]:
        text = function("f", each, space) + batches.TAIL
        assert not sides(Source("f.ll", text))["f"].diagnostics, text


def test_names_of_passes() -> None:
    assert pass_names("dse,default<O2>, early-cse<a;b>,function(gvn,dse)") == (
        "dse", "default<O2>", "early-cse<a;b>", "function(gvn,dse)",
    )  # fmt: skip
    assert pass_names("all,dse") == ALL and pass_names(" , ") == () and pass_names("O2") == ("default<O2>",)


# ---------------------------------------------------------------- what a change is


def test_a_change_is_the_same_wherever_it_is_made() -> None:
    """Names of values, pointers and tags do not matter, nor do operations at the ends that are as they were."""
    load = "load i32, ptr %x, align 4"
    one = change(f"%a = {load};ret void", "ret void")
    other = change(
        f"store i32 1, ptr %y, align 4;%b = {load};%c = load atomic i32, ptr %y acquire, align 4;ret void",
        "store i32 1, ptr %y, align 4;%c = load atomic i32, ptr %y acquire, align 4;ret void",
    )
    assert core(one) == one.whole == core(other) != other.whole
    assert "ptr %p0)" in core(one).before and "%p1" not in core(other).before


def test_tags_have_no_names() -> None:
    first, second = (
        made(
            "f",
            module_of(module(f"store i32 1, ptr %{p}, align 4, !mmra !0;ret void") + f'!0 = !{{!"sync", !"{tag}"}}\n'),
            module_of(module("ret void")),
        )
        for p, tag in (("x", "a"), ("y", "b"))
    )
    assert isinstance(first, Made) and isinstance(second, Made)
    assert core(first) == core(second) and '!{!"sync", !"a"}' in core(first).before


def test_what_others_need_stays() -> None:
    """What was read before keeps the load; fences stay that one may do the work of; so does what is returned."""
    load, dead = "%a = load i32, ptr %x, align 4", "%d = load atomic i32, ptr %x acquire, align 4"
    store = "store i32 %a, ptr %y, align 4;ret void"
    used = change(f"{load};{dead};{store}", f"{load};{store}")
    assert core(used).before.count("load") == 2 and "store" not in core(used).before
    fenced = change(f"fence release;fence release;{load};ret void", f"fence release;{load};ret void")
    ((piece, framed),) = fenced.pieces
    assert piece.before.count("fence") == 2 and "load" not in piece.before and len(framed) == 3
    moved = change(
        f"{load};%b = load i32, ptr %y, align 4;ret i32 %a", f"{load};%b = load i32, ptr %y, align 4;ret i32 %b",
        result="i32",
    )  # fmt: skip
    assert core(moved) == moved.whole


def test_what_is_changed_apart_is_two_changes() -> None:
    """Each in its place, also if one becomes a loop; a load that nobody uses vanishes alone."""
    first, second = "%a = atomicrmw add ptr %x, i32 1 {}, align 4", "store atomic i32 1, ptr %y {}, align 4"
    both = change(
        f"{first.format('acquire')};{second.format('release')};ret i32 %a",
        f"{first.format('monotonic')};{second.format('monotonic')};ret i32 %a",
        result="i32",
    )
    assert [piece.before.count("align") for piece, _ in both.pieces] == [1, 1]
    assert [piece.before.count("define i32") for piece, _ in both.pieces] == [1, 0]
    loop = "%o = load i32, ptr %x, align 4;br label %l;l:;%c = phi i32 [ %o, %entry ], [ %n, %l ];"
    loop += "%w = add i32 %c, 1;%p = cmpxchg ptr %x, i32 %c, i32 %w acquire monotonic, align 4;"
    loop += "%n = extractvalue { i32, i1 } %p, 0;%s = extractvalue { i32, i1 } %p, 1;br i1 %s, label %e, label %l;e:"
    expanded = change(
        f"{first.format('acquire')};{second.format('release')};ret i32 %a",
        f"entry:;{loop};{second.format('monotonic')};ret i32 %n",
        result="i32",
    )
    assert [("cmpxchg" in piece.after, "release" in piece.before) for piece, _ in expanded.pieces] == [
        (True, False), (False, True),
    ]  # fmt: skip
    assert expanded.pieces[1][0] == both.pieces[1][0]
    load = "%a = load i32, ptr %x, align 4"
    idle = change(f"{load};%b = load i32, ptr %x, align 4;ret i32 %b", f"{load};ret i32 %a", result="i32")
    assert core(idle) == core(change(f"{load};ret void", "ret void"))
    assert core(
        change(f"{load};store i32 1, ptr %x, align 4;ret void", "store i32 1, ptr %x, align 4;ret void")
    ) == core(change(f"{load};ret void", "ret void"))


def test_which_address_space_a_pointer_is_into_is_known_if_it_was_cast() -> None:
    """AtomicExpand asks it; of a pointer that is generic from the beginning nothing is known."""
    asked = (
        "entry:;{}%q = call i1 @llvm.amdgcn.is.private(ptr %c);br i1 %q, label %b, label %e;b:;br label %e;e:;ret void"
    )
    (known, other) = (
        straightened(module_of(module(asked.format(cast), f"ptr addrspace(1) %p{given}")).function("f"))
        for cast, given in (("%c = addrspacecast ptr addrspace(1) %p to ptr;", ""), ("", ", ptr %c"))
    )
    assert known is not None and not any("call" in line for line in lines(known)) and other is None


LOOPED = [each for each in of(SMALL, 2, FragmentShape.LOOP) if sum(o.reads for o in each.operations) < 2]


def test_a_loop_of_constants_is_a_row() -> None:
    """So what a pass does to a loop and to a row is one change; what goes on for long, or is tested, stays a loop."""
    operations = (FragmentOperation(OperationKind.LOAD, used=False),)
    loop = function("f", Fragment(operations, (0,), FragmentShape.LOOP), 0)
    gone = loop.replace("  %r0 = load i32, ptr %x, align 4\n", "")
    found = made("f", module_of(loop), module_of(gone))
    assert isinstance(found, Made) and core(change("%a = load i32, ptr %x, align 4;ret void", "ret void")) in (
        piece for piece, _ in found.pieces
    )
    for wrong in (
        loop.replace("icmp eq i32 %j, 2", "icmp eq i32 %j, -1"),
        loop.replace("eq i32 %j, 2", "eq i32 %r0, 2"),
    ):
        assert straightened(module_of(wrong).function("f")) is None


@pytest.mark.parametrize("number", ["-1", "1000000000"])
def test_a_loop_that_does_nothing_for_long_ends_the_search(number: str) -> None:
    """Its operations are none, so that no row grows: how many blocks are executed is bounded, too."""
    counting = f"%j = add i32 %i, 1;%m = icmp eq i32 %j, {number};br i1 %m, label %e, label %l"
    body = f"entry:;br label %l;l:;%i = phi i32 [ 0, %entry ], [ %j, %l ];{counting};e:;ret void"
    endless = "entry:;br label %l;l:;br label %l"
    assert [straightened(module_of(module(each)).function("f")) for each in (body, endless)] == [None, None]


@pytest.mark.parametrize(
    "fragment", some(LOOPED, of=900), ids=lambda each: "-".join(o.kind.value for o in each.operations)
)
def test_a_row_does_what_the_loop_does(fragment: Fragment) -> None:
    """In contexts of one operation, in both directions."""
    text = function("f", fragment, 0)
    row = straightened(module_of(text).function("f"))
    assert row is not None and not any("br " in line for line in lines(row))
    written = defined(row)
    for before, after in ((text, written), (written, text)):
        assert judged(Inquiry(FunctionChange(before, after), "", "llvm", 1, None)).verdict in HELD


def test_what_is_no_change_of_memory_is_not_judged() -> None:
    address, rest = "%z = getelementptr {}i8, ptr %x, i64 4", "store i32 1, ptr %z;br label %c;c:;ret void"
    before = f"{address.format('')};br i1 true, label %b, label %c;b:;{rest}"
    after = f"br i1 true, label %b, label %c;b:;{address.format('nuw ')};{rest}".replace("%b", "%d").replace("b:", "d:")
    one, other = (module_of(module(body)) for body in (before, after))
    assert made("f", one, other) == ARITHMETIC
    assert isinstance(made("f", one, module_of(module(after.replace("i64 4", "i64 8")))), Made)
    assert made("f", one, ModuleText({}, {})) == GONE
    assert made("f", one, module_of(module(after, "ptr %x"))) == GONE
    assert made("f", one, one) is None


def test_a_function_that_calls_another_is_what_that_does() -> None:
    """As mergefunc leaves it: the other has its parameters in another order."""
    before = module_of(module("store i32 1, ptr %x, align 4;fence release;store i32 2, ptr %y, align 4;ret void"))
    callee = module(
        "store i32 1, ptr %b, align 4;fence release;store i32 2, ptr %a, align 4;ret void", "ptr %a, ptr %b", name="g"
    )
    thunk = module("tail call void @g(ptr %1, ptr %0);ret void", "ptr %0, ptr %1")
    assert made("f", before, module_of(thunk + callee)) is None
    wrong = made("f", before, module_of(thunk + callee.replace("release", "acquire")))
    assert isinstance(wrong, Made) and "fence acquire" in core(wrong).after


# ---------------------------------------------------------------- what opt does


def opt_of(folder: Path, code: str) -> str:
    """Return an opt that runs Python with `text`, what it is given, and `passes`."""
    path = folder / "opt"
    path.write_text(
        f"#!{sys.executable}\nimport os, sys, time\ntext = sys.stdin.read()\n"
        f"passes = [w for w in sys.argv if w.startswith('-passes=')]\n{code}\nsys.stdout.write(text)\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


SMALL_BATCH = tuple((f"f{k}", function(f"f{k}", each, 0)) for k, each in enumerate(of(SMALL, 1)))


@pytest.mark.parametrize(("code", "said"), [
    ("sys.exit('opt: unknown pass name')", "opt: unknown pass name"),
    ("if 'f3(' in text: os.kill(os.getpid(), 11)", "f3: opt ends by SIGSEGV"),
    ("if 'f3(' in text: time.sleep(60)", "16 functions: opt runs for more than 1 s"),
    ("if text.count('define'): text = 'garbage'", "16 functions: opt prints no module"),
    ("text = text.replace('  fence acquire\\n', '  wall\\n')",
     "f8: opt prints what is not read: 'wall' is no instruction of LLVM IR that is known here"),
])  # fmt: skip
def test_what_opt_does_not_do_is_said_of_it_alone(
    code: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opt_runs, "SECONDS", 1)
    dropping = "if passes == ['-passes=drop']: text = text.replace('  fence acquire\\n', '')"
    target = OptTarget(opt_of(tmp_path, f"{dropping}\nelif passes:\n  {code}"))
    failed, dropped = ran(Batch(1, SMALL_BATCH, ("fail", "drop"), target))
    assert failed.failures == (said,)
    assert not dropped.failures and [name for name, _ in dropped.changed]


def test_an_opt_that_is_gone_is_said(tmp_path: Path) -> None:
    (failed,) = ran(Batch(1, SMALL_BATCH, ("dse",), OptTarget(str(tmp_path / "none"))))
    assert failed.failures == ("opt cannot be run: No such file or directory",)
    lost = opt_of(tmp_path, "text = text.replace('@f3(', '@other(')")
    (failed,) = ran(Batch(1, SMALL_BATCH, ("dse",), OptTarget(lost)))
    assert failed.failures == ("opt does not write what it reads: 1 functions are missing",)


# ---------------------------------------------------------------- what is said of it


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    """Return the trial of what was recorded, under LLVM's model."""
    opt = recorded.install(tmp_path_factory.mktemp("opt"))
    asked = TrialOptions(recorded.target(opt), tuple(FOUND), ("llvm",), 2, first=2, seconds=None)
    found = Trial(asked)
    assert len([*found.run(FRAGMENTS.values())]) == 7
    return found


@in_full
def test_the_causes_are_found_without_being_told(tried: Trial) -> None:
    """Each in what opt made of a function that nobody chose for it, and with its page; nothing else is unsound."""
    pages = {name: {page_of(e) for e in tried.entries.values() if name in e.passes} - {""} for name in FOUND}
    assert all(FOUND[name] in pages[name] for name in FOUND), pages
    assert {len(found) for found in pages.values()} <= {1, 2}
    verdicts = [known[1].verdict for e in tried.entries.values() if (known := e.known("llvm"))]
    assert sorted(each in HELD for each in verdicts) == [False] * 7 + [True] * 2


@in_full
def test_a_frame_is_asked_at_once_in_contexts_that_show_what_it_is_for(tmp_path: Path) -> None:
    """A deleted fence is found before anything else is asked in contexts of two operations."""
    opt = recorded.install(tmp_path)
    found = Trial(TrialOptions(recorded.target(opt), ("instcombine",), ("llvm",), 2, seconds=None))
    entry = next(found.run(FRAGMENTS.values()))
    assert page_of(entry) == FOUND["instcombine"]
    sizes = {(answer.context, change in entry.framed) for (_, change), answer in entry.answers.items()}
    assert sizes == {(1, False), (2, True)}


def page_of(entry: ChangeEntry) -> str:
    known = entry.known("llvm")
    assert known is not None
    found = cause(known[0], entry.passes) if known[1].verdict == "unsound" else None
    return found.path if found else ""


def test_every_cause_has_a_page() -> None:
    assert all((ROOT / each.path).is_file() for each in CAUSES)


@in_full
def test_a_cause_is_not_that_of_another_pass(tried: Trial) -> None:
    for entry in tried.entries.values():
        known = entry.known("llvm")
        assert known is not None and cause(known[0], ["a pass that nobody knows"]) is None


def test_an_interrupted_run_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second time nothing is asked, and opt is not run; what is said is the same to the byte."""
    opt, kept = seeded.install(tmp_path), tmp_path / "kept"
    words = ["passes", "--passes", "loads-swapped,no-volatile-load", "--all", "--events", "1", "--context", "1"]
    words += ["--models", "llvm", "--opt", opt, "--run", str(kept)]
    first = main(words), capsys.readouterr().out
    entries = {path: path.read_text() for path in kept.glob("answers/*/*.json")}
    assert first[0] == 1 and "no-volatile-load" in first[1] and len(entries) > 1
    assert (main([*words, "-j", "2"]), capsys.readouterr().out) == first
    assert {path: path.read_text() for path in kept.glob("answers/*/*.json")} == entries


def test_what_there_was_no_time_for_is_counted_and_not_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = TrialOptions(
        OptTarget(seeded.install(tmp_path)), ("no-acquire-fence",), ("llvm",), 1, seconds=None, until=100.0
    )
    now = iter([0.0])
    monkeypatch.setattr("axmem.passes.trial.time.time", lambda: next(now, 200.0))
    found = Trial(asked)
    assert not [*found.run(of(SMALL, 1))] and found.cut is True
    assert [entry.known("llvm") for entry in found.entries.values()] == [None]
    assert summary(found).startswith("not all was asked: 16 functions")


def test_what_the_time_cut_is_not_asked_again_in_the_same_contexts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of contexts of a size, smaller ones alone may be known when the time is over."""
    asked: list[Inquiry] = []

    def cut(inquiries: Iterable[Inquiry], *_: object) -> Iterator[tuple[Inquiry, Timed]]:
        for each in inquiries:
            asked.append(each)
            assert len(asked) < 99
            yield each, Timed(BOUNDED, context=0)

    monkeypatch.setattr("axmem.passes.trial.answers", cut)
    target = OptTarget(seeded.install(tmp_path))
    found = Trial(TrialOptions(target, ("no-acquire-fence",), ("llvm",), 2, 1, None))
    assert not [*found.run(of(SMALL, 1))]
    assert len(asked) == len({(each.change, each.context) for each in asked})


@pytest.mark.parametrize("first", some([0, 1], of=2))
def test_what_is_asked_at_once_or_at_the_end_is_the_same(first: int, tmp_path: Path) -> None:
    """Entries, their order and what is known of them; at the end, the largest contexts alone are asked."""
    target = OptTarget(seeded.install(tmp_path))
    asked = TrialOptions(target, ("no-acquire-fence", "no-volatile-load"), ("llvm",), 1, first, None)
    found = Trial(asked)
    told = {entry.number for entry in found.run(of(SMALL, 1))}
    known = [entry.known("llvm") for entry in found.entries.values()]
    assert not found.cut and known and None not in known
    assert told == {entry.number for entry in found.entries.values() if entry.unsound(("llvm",))}
    other = Trial(replace(asked, first=1 - first))
    assert len([*other.run(of(SMALL, 1))]) == len(told)
    assert [*other.entries] == [*found.entries]
    for one, entry in zip(known, other.entries.values(), strict=True):
        again = entry.known("llvm")
        assert one is not None and again is not None and one[1].verdict == again[1].verdict


def test_a_store_that_was_made_by_another_program_is_not_taken(tmp_path: Path) -> None:
    store = store_of(str(tmp_path / "kept"))
    assert store is not None
    batch = Batch(1, SMALL_BATCH, ("no-acquire-fence",), OptTarget(seeded.install(tmp_path)))
    (first,) = batches_run([batch], store=store)
    (second,) = batches_run([batch], store=store)
    assert first == second and first[1][0].changed
    other = Batch(1, SMALL_BATCH, ("no-release-fence",), batch.target)
    ((_, (found,)),) = batches_run([other], store=store)
    assert found.name == "no-release-fence"


@pytest.mark.parametrize("name", some([seed.name for seed in seeded.RIGHT], of=4))
def test_a_right_change_is_not_flagged(name: str, tmp_path: Path) -> None:
    """In contexts of one operation; `make controls` asks wrong ones in larger contexts."""
    asked = TrialOptions(OptTarget(seeded.install(tmp_path)), (name,), ("llvm",), 1, seconds=None)
    found = Trial(asked)
    assert not [*found.run(right_functions(name))]
    verdicts = {known[1].verdict for e in found.entries.values() if (known := e.known("llvm"))}
    assert found.entries and verdicts <= HELD


def right_functions(name: str) -> Iterator[Fragment]:
    """Yield few functions to which a right change applies."""
    load, fence = OperationKind.LOAD, OperationKind.FENCE
    rows = {
        "loads-swapped": [FragmentOperation(load), FragmentOperation(load)],
        "no-plain-load": [FragmentOperation(load, used=False)],
        "acquire-for-monotonic": [FragmentOperation(load, Ordering.MONOTONIC)],
        "seq-cst-for-release": [FragmentOperation(OperationKind.STORE, Ordering.RELEASE)],
        "seq-cst-fence": [FragmentOperation(fence, Ordering.ACQ_REL)],
        "fence-twice": [FragmentOperation(fence, Ordering.RELEASE)],
        "untagged-fence": [FragmentOperation(fence, Ordering.RELEASE, ModeMark.TAG_A)],
        "system-for-agent": [FragmentOperation(fence, Ordering.RELEASE, ModeMark.AGENT)],
        "load-over-release": [FragmentOperation(OperationKind.STORE, Ordering.RELEASE), FragmentOperation(load)],
        "forwarded-over-acquire": [
            FragmentOperation(OperationKind.STORE), FragmentOperation(load, Ordering.ACQUIRE), FragmentOperation(load),
        ],
        "strong": [FragmentOperation(OperationKind.CMPXCHG, Ordering.SEQ_CST, failure=Ordering.SEQ_CST, weak=True)],
    }  # fmt: skip
    places = tuple(range(0, 2 * len(rows[name]), 2)) if len(rows[name]) < 3 else (0, 2, 0)
    yield Fragment(tuple(rows[name]), places, apart=True)


# ---------------------------------------------------------------- the command


def test_an_unsound_change_is_shown_and_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both functions, the context, the page, the command of opt; and a file that opt reads as it is."""
    opt = seeded.install(tmp_path)
    words = ["passes", "--passes", "doubled-update", "--all", "--events", "1", "--count", "80", "--generic"]
    words += ["--context", "1"]
    assert main([*words, "--models", "llvm", "--opt", opt, "--save", str(tmp_path / "saved")]) in (0, 1)
    out = capsys.readouterr().out
    saved = sorted((tmp_path / "saved").iterdir())
    assert out.count("cause: not known") == len(saved)
    for path in saved:
        text = path.read_text()
        assert text.startswith(f"; seeded-opt -S -passes=doubled-update {path.name}\n")
        assert sides(Source(path.name, text))["f"].function.blocks


def test_a_page_and_a_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    opt = seeded.install(tmp_path)
    words = ["passes", "--passes", "no-volatile-load,nothing", "--all", "--events", "1", "--count", "200"]
    words += ["--context", "0", "--models", "llvm", "--opt", opt, "--format"]
    assert main([*words, "markdown"]) == 1
    page = capsys.readouterr().out
    assert "| `nothing` | opt: unknown pass name 'nothing' | 1 |" in page and "## Unsound changes" in page
    assert main([*words, "text"]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("200 functions, 2 passes, of which opt failed at nothing: ")
    assert main([*words, "json"]) == 1
    record = json.loads(capsys.readouterr().out)["trial"]
    assert record["functions"] == 200 and record["failures"][0]["pass"] == "nothing"
    assert {each["verdicts"][0]["verdict"] for each in record["changes"]} == {"unsound"}


@pytest.mark.parametrize(("words", "message"), [
    (["--all", "--opt", "/no/opt"], "there is no program '/no/opt'"),
    (["--all", "--events", "4", "--opt", sys.executable], "--random SEED tries larger ones"),
    (["--all", "--passes", ",", "--opt", sys.executable], "which passes? None is named"),
    (["--all", "--models", "no-such-model", "--opt", sys.executable], "no-such-model"),
    (["--opt", sys.executable], "--all --random"),
    (["--all", "--random", "1"], "not allowed with"),
])  # fmt: skip
def test_what_is_wrong_with_the_options_is_said(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        assert main(["passes", *words]) == 2
    except SystemExit as ended:
        assert ended.code == 2
    assert message in capsys.readouterr().err
