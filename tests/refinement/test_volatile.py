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
