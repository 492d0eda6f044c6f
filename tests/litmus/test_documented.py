"""The text of a test in the words of the documents is the same test, and says where each thread runs.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.formats.reading import parse, parse_file
from axmem.litmus.printer import print_test
from tests.drawn import some
from tests.paths import CORPUS_TESTS


@pytest.mark.parametrize("path", some(CORPUS_TESTS[::7], of=4), ids=lambda path: path.stem)
def test_it_is_the_same_test(path: Path) -> None:
    test = parse_file(path)
    assert print_test(parse(print_test(test, documented=True), path.name)) == print_test(test)


def test_it_has_the_documents_words_and_every_place() -> None:
    text = """litmus T
global x = 0
thread P0 { av.store.b32 1, x syncscope("agent") }
thread P1 { r0 = av.load.b32 x syncscope("agent") }
exists (P1:r0=1)
"""
    shown = print_test(parse(text, "T"), documented=True)
    assert 'store-available 1, x syncscope("agent")' in shown and 'r0 = load-visible x syncscope("agent")' in shown
    assert "thread P0 @ agent 0, workgroup 0 {" in shown and "thread P1 @ agent 0, workgroup 1 {" in shown
    assert "av.store.b32 1, x" in print_test(parse(text, "T")) and " @ " not in print_test(parse(text, "T"))
