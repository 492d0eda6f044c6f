"""Every diagnostic of the test language: `malformed/litmus/NAME.litmus` raises exactly the text in `NAME.expected`."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.formats.reading import parse, parse_file
from axmem.front.source import InputError
from tests.paths import MALFORMED

CASES = sorted((MALFORMED / "litmus").glob("*.litmus"))


def message(text: str, name: str = "<string>") -> str:
    with pytest.raises(InputError) as raised:
        parse(text, name)
    return str(raised.value)


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_malformed_test_is_refused_with_its_message(path: Path) -> None:
    expected = path.with_suffix(".expected").read_text("utf-8")
    assert message(path.read_text("utf-8"), path.name) + "\n" == expected


def test_every_expected_message_has_its_test() -> None:
    folder = CASES[0].parent
    assert {p.stem for p in folder.glob("*.expected")} == {p.stem for p in CASES}
    assert len(CASES) >= 35


def test_errors_come_in_the_order_of_the_text_and_all_at_once() -> None:
    text = "litmus t\nglobal x = 0\nthread P {\n  r = load y\n  fence monotonic\n  store i8 256, x\n}\nexists (P:q=0)\n"
    with pytest.raises(InputError) as raised:
        parse(text)
    assert [d.span.line for d in raised.value.diagnostics] == [4, 5, 6, 8]


def test_an_error_in_one_block_does_not_hide_the_next() -> None:
    found = message(
        "litmus t\nglobal x = 0\nthread P {\n  if 1) {\n    stor 1, x\n  }\n  loda x\n}\nthread Q {\n  stroe 1, x\n}\n"
    )
    assert [line.split(": ")[0] for line in found.split("\n") if "error" in line] == [
        "<string>:4:7", "<string>:5:5", "<string>:7:3", "<string>:10:3",
    ]  # fmt: skip


def test_a_name_is_reported_once_per_use_without_follow_on_errors() -> None:
    found = message("litmus t\nglobal i64 x = 0\nthread P {\n  r = load nowhere\n  s = r + 1\n  store i64 s, x\n}\n")
    assert found.count("error") == 1
    assert "'nowhere'" in found


def test_unreadable_files_are_input_errors(tmp_path: Path) -> None:
    binary = tmp_path / "binary.litmus"
    binary.write_bytes(b"litmus t\n\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        parse_file(binary)
    with pytest.raises(InputError, match="cannot read this file"):
        parse_file(tmp_path / "missing.litmus")
    with pytest.raises(InputError, match="cannot read this file"):
        parse_file(tmp_path)


def test_an_input_error_survives_pickling() -> None:
    with pytest.raises(InputError) as raised:
        parse("litmus t\n")
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_line_ends_and_byte_order_marks_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "windows.litmus"
    path.write_bytes("\ufefflitmus t\r\nglobal x = 0\r\nthread P {\r\n  store 1, x # a:b\r\n}\r\n".encode())
    assert parse_file(path) == parse("litmus t\nglobal x = 0\nthread P {\n  store 1, x # a:b\n}\n")


def test_an_access_that_its_ordering_makes_atomic_is_warned_of_where_tests_are_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.litmus"
    for word, warned in (("store", 1), ("store atomic", 0)):
        path.write_text(f"litmus t\nglobal x = 0\nthread P {{\n  {word} 1, x release\n}}\nexists (x=1)\n")
        assert main(["run", str(path)]) == 0
        assert capsys.readouterr().err.count("t.litmus:4:3: warning: 'release' makes this store atomic") == warned


def test_a_suffix_that_no_target_knows_is_warned_of_where_tests_are_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "litmus t\nglobal x = 0\nthread P {\n  store atomic 1, x release # %s\n}\nexists (x=1)\n"
    for tag, warned in (("amdgpu-synchronize-as:locl", 1), ("amdgpu-synchronize-as:local", 0), ("mine:own", 0)):
        path = tmp_path / "t.litmus"
        path.write_text(text % tag)
        for command in (["run", str(path)], ["table", str(path)]):
            assert main(command) == 0
            assert capsys.readouterr().err.count("warning: no target knows the suffix 'locl'") == warned
