"""Snippets of LLVM IR, written here: what they expect was derived by hand, and both engines must agree with it.

Each file of `tests/formats/snippets` says in the title of its test why. The verdicts of the classical shapes (MP, SB,
LB, …) follow from [LangRef], "Memory Model for Concurrent Operations"; those with scopes, address spaces and tags from
[AMDGPU], "Memory Model". An outcome with undef is one of a race: [LangRef] lets the read return undef there.
"""

from functools import cache
from pathlib import Path

import pytest

from axmem.check.expectations import PASSED
from axmem.encoder.engines import Engine
from axmem.formats.forms import SNIPPET
from axmem.formats.reading import parse, parse_file
from axmem.front.source import InputError
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest
from tests.formats.judged import ENGINES, states
from tests.paths import ROOT

SNIPPETS = sorted((ROOT / "tests" / "formats" / "snippets").glob("*.ll"))


@cache
def read(path: Path) -> LitmusTest:
    return parse_file(path, SNIPPET)


def test_there_are_enough() -> None:
    assert len(SNIPPETS) >= 25
    assert all(read(path).description and read(path).name == path.stem for path in SNIPPETS)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.stem)
def test_what_a_snippet_expects(path: Path, engine: Engine) -> None:
    assert states(read(path), engine) == {PASSED}


@pytest.mark.parametrize("path", SNIPPETS, ids=lambda path: path.stem)
def test_it_is_what_it_is_printed_as(path: Path) -> None:
    assert parse(print_test(read(path))) == read(path)


def test_a_part_of_nothing_said_is_an_error() -> None:
    text = "%p = cmpxchg ptr %x, i32 0, i32 1 monotonic monotonic\n%v = extractvalue { i32, i1 } %p\n"
    with pytest.raises(InputError) as raised:
        parse(text, "s.ll", "llvm-snippet")
    assert str(raised.value) == (
        "s.ll:2:6: error: 'extractvalue' without an index\n"
        "  %v = extractvalue { i32, i1 } %p\n"
        "       ^~~~~~~~~~~~~~~~~~~~~~~~~~~"
    )


def test_a_function_whose_name_is_no_name_of_a_thread_gets_one() -> None:
    text = """
define void @0(ptr %data, ptr %flag) {
  store i32 1, ptr %data
  store atomic i32 1, ptr %flag release, align 4
  ret void
}
define void @a.b(ptr %flag) {
  store i32 2, ptr %flag
  ret void
}
  %f = load atomic i32, ptr %flag acquire, align 4
; axmem: exists (P2:%f=1)
"""
    read = parse(text, "names", SNIPPET)
    assert [thread.name for thread in read.threads] == ["_0", "a_b", "P2"]
    assert parse(print_test(read)) == read
