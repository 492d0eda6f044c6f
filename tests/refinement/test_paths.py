"""Changes of functions that are proved for contexts of any size, path by path, beside what is like them and wrong."""

from __future__ import annotations

import pytest

from axmem.formats.ir.pairs import function_pairs
from axmem.front.source import Source
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.functions import ALIKE, judged_pair
from axmem.refinement.judging import CARRIED, Judgement, Question
from axmem.refinement.soundness import SAME

LLVM = ModelChoice("llvm")


def answer(before: str, after: str, head: str = "") -> Judgement:
    """Return what is known of a pair of bodies `type(parameters) body` without a context."""
    text = head
    for name, each in (("src", before), ("tgt", after)):
        kind, _, rest = each.strip().partition("(")
        parameters, _, body = rest.partition(")")
        text += f"define {kind} @{name}({parameters}) {{\n{body.replace('; ', chr(10))}\n}}\n"
    (pair,) = function_pairs(Source("f.ll", text))
    return judged_pair(pair, LLVM, Question(context=0, seconds=None)).judgement


NODE = "i32(ptr %r) %p = load atomic ptr, ptr %r {}, align 8; %v = load i32, ptr %p; "
RACE = "i32(ptr %r) %p = load atomic ptr, ptr %r acquire, align 8; "
PUSH = (
    "i1(ptr %r, i64 %n) %o = load atomic i64, ptr %r monotonic, align 8; "
    "%q = cmpxchg ptr %r, i64 {}, i64 {} {} {}, align 8; "
)
FORK = "i32(ptr %r, i32 %a) %v = load atomic i32, ptr %r acquire, align 4; %c = icmp eq i32 %v, 0; "
CHOOSE = (
    "br i1 %c, label %yes, label %no\nyes:; br label %end\nno:; br label %end\n"
    "end:; %x = phi i32 [ {}, %yes ], [ %v, %no ]; ret i32 %x"
)
SLOT = "i32(ptr %r) %s = alloca i32, align 4; %v = load atomic i32, ptr %r acquire, align 4; store i32 %v, ptr %s; "
SWITCH = "switch i32 %v, label %no [ i32 0, label %yes ]\nyes:; ret i32 {}\nno:; ret i32 %v"
PROVED = [
    # Through a pointer that was loaded: who loads it twice may load it once.
    (NODE.format("acquire") + "%w = load i32, ptr %p; %s = add i32 %v, %w; ret i32 %s",
     NODE.format("acquire") + "%s = shl i32 %v, 1; ret i32 %s"),
    (NODE.format("acquire") + "ret i32 %v", "i32(ptr %r) %n = load atomic i64, ptr %r acquire, align 8; "
     "%p = inttoptr i64 %n to ptr; %v = load i32, ptr %p; ret i32 %v"),
    (NODE.format("monotonic") + "ret i32 %v", NODE.format("acquire") + "ret i32 %v"),
    # A compare-exchange ends as it did; what it writes may be written otherwise.
    (PUSH.format("%o", "%n", "seq_cst", "monotonic") + "%k = extractvalue { i64, i1 } %q, 1; ret i1 %k",
     PUSH.format("%o", "%n", "seq_cst", "acquire") + "%k = extractvalue { i64, i1 } %q, 1; ret i1 %k"),
    (PUSH.format("1", "2", "release", "monotonic") + "%k = extractvalue { i64, i1 } %q, 1; "
     "%z = select i1 %k, i1 true, i1 false; ret i1 %z",
     PUSH.format("1", "2", "acq_rel", "acquire") + "%k = extractvalue { i64, i1 } %q, 1; ret i1 %k"),
    # A choice in the place of a branch, and what the branch says of a value.
    (FORK + CHOOSE.format("%a"), FORK + "%x = select i1 %c, i32 %a, i32 %v; ret i32 %x"),
    (FORK + CHOOSE.format("%v"), FORK + "ret i32 %v"),
    (FORK + CHOOSE.format("%v"), FORK + CHOOSE.format("0")),
    (FORK + CHOOSE.format("%a"), FORK + SWITCH.format("%a")),
    # Memory of its own is none.
    (SLOT + "%w = load i32, ptr %s; ret i32 %w",
     "i32(ptr %r) %v = load atomic i32, ptr %r acquire, align 4; ret i32 %v"),
]  # fmt: skip
WRONG = [
    (NODE.format("acquire") + "ret i32 %v", NODE.format("monotonic") + "ret i32 %v"),
    (RACE + "%v = load atomic i32, ptr %p acquire, align 4; %w = load atomic i32, ptr %p acquire, align 4; "
     "%s = sub i32 %v, %w; ret i32 %s", RACE + "%v = load atomic i32, ptr %p acquire, align 4; ret i32 %v"),
    (RACE + "%v = load i32, ptr %p; store i32 1, ptr %r; ret i32 %v",
     RACE + "store i32 1, ptr %r; %v = load i32, ptr %p; ret i32 %v"),
    (RACE + "ret i32 0", RACE + "%v = load i32, ptr %p; ret i32 0"),  # That may be a pointer to nothing.
    (NODE.format("acquire") + "%s = shl i32 %v, 1; ret i32 %s",
     NODE.format("acquire") + "%s = add i32 %v, %v; ret i32 %s"),  # The first is even.
    (PUSH.format("%o", "%n", "seq_cst", "acquire") + "%k = extractvalue { i64, i1 } %q, 1; ret i1 %k",
     PUSH.format("%o", "%n", "seq_cst", "monotonic") + "%k = extractvalue { i64, i1 } %q, 1; ret i1 %k"),
    (PUSH.format("%o", "%n", "seq_cst", "monotonic") + "%k = extractvalue { i64, i1 } %q, 1; ret i1 %k",
     PUSH.format("%o", "%n", "acq_rel", "monotonic") + "%k = extractvalue { i64, i1 } %q, 1; ret i1 %k"),
    (PUSH.format("1", "2", "release", "monotonic") + "%k = extractvalue { i64, i1 } %q, 1; ret i1 %k",
     PUSH.format("1", "3", "release", "monotonic") + "%k = extractvalue { i64, i1 } %q, 1; ret i1 %k"),
    (FORK + CHOOSE.format("%a"), FORK + "%x = select i1 %c, i32 %v, i32 %a; ret i32 %x"),
    (FORK + CHOOSE.format("%a"), FORK + SWITCH.format("1")),
    (FORK + "%x = select i1 %c, i32 %a, i32 %v; ret i32 %x", FORK + CHOOSE.format("%a")),  # A branch on undef.
    (FORK + CHOOSE.format("%v"), FORK + CHOOSE.format("1")),
    (SLOT + "%w = load i32, ptr %s; ret i32 %w",
     "i32(ptr %r) %v = load atomic i32, ptr %r monotonic, align 4; ret i32 %v"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), PROVED)
def test_what_does_the_same_along_each_path_is_proved(before: str, after: str) -> None:
    found = answer(before, after)
    assert found.verdict == "sound", found.reasons
    assert found.how in (CARRIED, SAME, ALIKE)


@pytest.mark.parametrize(("before", "after"), WRONG)
def test_what_does_not_is_not_proved(before: str, after: str) -> None:
    assert answer(before, after).how not in (CARRIED, SAME)
