"""A volatile access stays itself whatever its ordering, scope and tags; what these order is the model's to say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.refinement.test_functions import SOUND, UNSOUND, asked, pair

TAG = '\n!0 = !{!"foo", !"b"}\n'
ADD = "%a = atomicrmw volatile add ptr %p, i32 1{}, align 4{}; ret i32 %a"
STORE = "store {}volatile i32 2, ptr %p{}, align 4{}; ret i32 0"
RELEASED = "store i32 1, ptr %q, align 4; store atomic volatile i32 2, ptr %p {}, align 4; ret i32 0"
LOADED = "%a = load {}volatile i32, ptr %p{}, align 4; ret i32 %a"


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (ADD.format(' syncscope("agent") monotonic', ""), ADD.format(" monotonic", ""), SOUND),
        (ADD.format(" monotonic", ", !mmra !0"), ADD.format(" monotonic", ""), SOUND),
        (ADD.format(" monotonic", ""), ADD.format(" acq_rel", ""), SOUND),
        (STORE.format("", "", ", !mmra !0"), STORE.format("", "", ""), SOUND),
        (STORE.format("atomic ", " monotonic", ""), STORE.format("atomic ", " release", ""), SOUND),
        (LOADED.format("", ""), LOADED.format("atomic ", " monotonic"), SOUND),
        # Less than there was.
        (RELEASED.format("release"), RELEASED.format("monotonic"), UNSOUND),
        (RELEASED.format("release"), RELEASED.format('syncscope("agent") release'), UNSOUND),
        (LOADED.format("atomic ", " monotonic"), LOADED.format("", ""), UNSOUND),
        # Another access, one more, and none.
        (ADD.format(" monotonic", ""), ADD.format(" monotonic", "").replace("i32 1", "i32 2"), UNSOUND),
        (STORE.format("", "", ""), f"store volatile i32 2, ptr %p, align 4; {STORE.format('', '', '')}", UNSOUND),
        (STORE.format("", "", ""), STORE.format("", "", "").replace("volatile ", ""), UNSOUND),
        (STORE.format("", "", ""), STORE.format("", "", "").replace("%p", "%q"), UNSOUND),
    ],
)
def test_what_is_another_volatile_access(before: str, after: str, code: int, tmp_path: Path) -> None:
    text = pair(before, after) + TAG
    assert asked(tmp_path, text, "--model", "llvm", "--context", "2") == code


CALL, WRITE = "call void @f(i32 {})", "store volatile i32 {}, ptr %p, align 4"
BRANCH = "%c = icmp eq i32 %n, 5; br i1 %c, label %t, label %e\nt:; {}; br label %e\ne:; ret i32 0"


@pytest.mark.parametrize("access", [CALL, WRITE])
@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        # A number stands where the same was computed.
        (BRANCH.format("{n}"), BRANCH.format("{5}"), SOUND),
        (BRANCH.format("{n}"), BRANCH.format("{4}"), UNSOUND),
        ("%a = and i32 %n, 0; {a}; {2}; ret i32 0", "{0}; {2}; ret i32 0", SOUND),
        ("%a = and i32 %n, 1; {a}; {2}; ret i32 0", "{0}; {2}; ret i32 0", UNSOUND),
        # What is overwritten at once is seen from outside, too.
        ("{n}; {2}; ret i32 0", "%a = add i32 %n, 1; {a}; {2}; ret i32 0", UNSOUND),
        ("{n}; {2}; {n}; ret i32 0", "{2}; {n}; {n}; ret i32 0", UNSOUND),
    ],
)
def test_what_volatile_accesses_store_is_compared(
    access: str, before: str, after: str, code: int, tmp_path: Path
) -> None:
    def written(body: str) -> str:
        for value in ("n", "a"):
            body = body.replace(f"{{{value}}}", access.format(f"%{value}"))
        for number in "0245":
            body = body.replace(f"{{{number}}}", access.format(number))
        return body

    text = pair(written(before), written(after), parameters="ptr %p, i32 noundef %n") + "declare void @f(i32)\n"
    assert asked(tmp_path, text, "--model", "llvm", "--context", "0") == code
