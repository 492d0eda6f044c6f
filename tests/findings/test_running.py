"""What `python -m tests.findings` says of a page that is not true: each kind of untruth is found, without LLVM."""

from __future__ import annotations

import pytest

from tests.findings.__main__ import differing, unlike
from tests.findings.pages import Repro, Shown, repro, shown

PAGE = """# [Pass] What is wrong

## Versions

| Version | Does |
| --- | --- |
| LLVM 22.1.8 | wrong |
| LLVM 24.0.0git | right |

## Command

```
$ llc-22 < docs/findings/x.ll | cat
```

## Expected

```
good
```

LLVM 24.0.0git:

```
good, too
```

## Actual

```
bad
```

```
$ llc-22 --version
LLVM
```
"""


def printing(text: str) -> Repro:
    """Return a command that prints a text, with a page that knows `good` and `bad`."""
    blocks = {"right": dict.fromkeys(("22", "24"), "good\n"), "wrong": dict.fromkeys(("22", "24"), "bad\n")}
    return Repro("page", f"echo {text}", {"22": "wrong", "24": "right"}, blocks["right"], blocks["wrong"])


@pytest.mark.parametrize(("text", "version", "said"), [
    ("bad", "22", ""),
    ("good", "24", ""),
    ("good", "22", "LLVM 22 is said to be wrong, and is right"),
    ("bad", "24", "LLVM 24 is said to be right, and is wrong"),
    ("else", "22", "LLVM 22 is said to be wrong, and is neither"),
])  # fmt: skip
def test_a_version_does_what_its_row_says(text: str, version: str, said: str) -> None:
    found = unlike(printing(text), version)
    assert [each.partition("\n")[0] for each in found] == [f"page: {said}"] * bool(said)


def test_a_command_that_prints_nothing_is_not_as_shown() -> None:
    assert differing(Shown("page", "true", "bad\n")) and not differing(Shown("page", "echo bad", "bad\n"))


def test_a_page_is_read() -> None:
    found = repro("x", PAGE)
    assert found is not None and found.versions == {"22": "wrong", "24": "right"}
    assert found.right == {"22": "good\n", "24": "good, too\n"} and found.wrong == {"22": "bad\n", "24": "bad\n"}
    assert found.of("24") == "llc-24 < docs/findings/x.ll | cat"
    assert [each.output for each in shown("x", PAGE)] == ["LLVM\n"]
