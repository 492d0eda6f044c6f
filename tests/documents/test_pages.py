"""Every command that a page shows prints what the page shows; every file that it shows is that file; links lead on.

What goes in: README.md and all pages of docs/. A page is a session in one directory, in which the checkout's folders
are, and what the page's commands write. `$ cat FILE` shows a file of the checkout, or else makes the file that later
commands of the page read. A failure prints what the command printed.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from contextlib import redirect_stderr
from difflib import ndiff
from pathlib import Path

import pytest

from axmem.cli import build_parser, main
from axmem.formats.forms import language
from axmem.formats.sources import found_clang
from axmem.front.spelling import COMMANDS as CLI
from axmem.front.spelling import GROUPS, read, spelled
from tests.documents.pages import ANY, PAGES, Shown, agrees, blocks, named, sections, shown
from tests.drawn import WHOLE
from tests.golden import compare_golden
from tests.paths import ROOT

COMMANDS = {page: [each for block in blocks(page) for each in shown(block)] for page in PAGES}
RUN_ELSEWHERE = {
    "pytest": "tests/commands/test_pytest_plugin.py",
    "llc-22": "tests/findings/test_running.py",
    "llc-24": "tests/findings/test_running.py",
    "opt-22": "tests/findings/test_running.py",
    "clang-22": "tests/findings/test_running.py",
}
"""Programs other than axmem whose output pages show, with the test that runs them."""
LONG = {
    ("docs/rules.md", "axmem refine --rule litmus/examples/load-over-fence.rule --context 2"),
    ("docs/rules.md", "axmem refine --rule drop-tag"),
    ("docs/refine.md", "axmem refine --models llvm amdgpu --events 3"),
    ("docs/prove.md", "axmem prove --bounded P1 M-PO --events 3"),
    (
        "docs/findings/fixed/replayed-store.md",
        "axmem verify docs/findings/fixed/replayed-store.litmus --llc llc-22 --target gfx1250",
    ),
    (
        "docs/findings/unawaited-invalidate.md",
        "axmem verify docs/findings/unawaited-invalidate.litmus --llc llc-22 --target gfx90a",
    ),
}
"""Commands that take two seconds of a processor or more, and have a test beside them: they run where AXMEM_TEST_LONG is
set."""
TOGETHER = ("litmus", "docs", "tests", "model", "results")
"""What pages name by paths from the root of the checkout."""


def program(command: str) -> str:
    return shlex.split(command)[0]


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in TOGETHER:
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


def written(each: Shown, session: Path) -> str:
    """Return what `cat FILE` prints, after it has made a file that is neither in the checkout nor made before."""
    path = session / shlex.split(each.command)[1]
    if not path.exists():
        path.write_text(each.output, encoding="utf-8")
    return path.read_text(encoding="utf-8")


def test_there_are_commands_to_run() -> None:
    found = [each for page in PAGES for each in COMMANDS[page]]
    assert sum(program(each.command) == "axmem" for each in found) >= 60
    assert {program(each.command) for each in found} <= {"axmem", "cat", *RUN_ELSEWHERE}
    for place in RUN_ELSEWHERE.values():
        assert (ROOT / place).is_file()
    assert {(each.page, each.command) for each in found} >= LONG


UNCHECKED = re.compile(r"^axmem: note: LLVM's parser has not checked .*\n", re.MULTILINE)
"""What is said of IR where there is no llvmlite: pages are written where there is."""


@pytest.mark.usefixtures("longer_than_users_have")
@pytest.mark.parametrize(
    "page", [page for page in PAGES if COMMANDS[page]], ids=lambda page: str(page.relative_to(ROOT))
)
def test_commands_print_what_is_shown(page: Path, session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for each in COMMANDS[page]:
        words = shlex.split(each.command)
        if words[0] in RUN_ELSEWHERE or ((each.page, each.command) in LONG and not WHOLE):
            continue
        if "--llc" in words and shutil.which(words[words.index("--llc") + 1]) is None:
            continue
        if any(map(language, words[1:])) and words[0] != "cat" and not found_clang():
            continue
        if words[0] == "cat":
            printed = written(each, session)
        else:
            with redirect_stderr(sys.stdout):
                main(words[1:])
            printed = UNCHECKED.sub("", capsys.readouterr().out)
        if os.environ.get("AXMEM_UPDATE_GOLDENS") and not agrees(printed, each.output):
            write_anew(page, each, printed)
        else:
            assert agrees(printed, each.output), "\n".join(
                [f"{each.page}:{each.line}: {each.command}", *ndiff(each.output.splitlines(), printed.splitlines())]
            )
    compare_pictures(page, session)


def write_anew(page: Path, each: Shown, printed: str) -> None:
    """Write an output into a page, unless the page shows only a part of it."""
    shown_whole = ANY not in each.output
    text = page.read_text(encoding="utf-8")
    before = f"$ {each.command}\n{each.output}"
    assert shown_whole and text.count(before) == 1, f"{each.page}:{each.line}: write this by hand:\n{printed}"
    page.write_text(text.replace(before, f"$ {each.command}\n{printed}"), encoding="utf-8")


def compare_pictures(page: Path, session: Path) -> None:
    """Fail if a picture of the page is not what its commands make; AXMEM_UPDATE_GOLDENS writes it anew."""
    own = (path for path in session.iterdir() if path.name not in TOGETHER)
    made = {each.name: each for path in own for each in [path, *path.rglob("*")]}
    for target in re.findall(r"!\[[^]]*\]\(([^)]+\.svg)\)", page.read_text(encoding="utf-8")):
        compare_golden(made[Path(target).name].read_text(encoding="utf-8"), page.parent / target)


def test_command_lines_that_are_named_are_of_commands_and_options_that_there_are() -> None:
    commands = build_parser()[1].choices
    common = {"--completion", "--man", "--version", "--help"}
    for page in PAGES:
        for each in named(page):
            found = re.match(r"axmem ([\w-]+|[A-Z{.…])?", each.command)
            assert found is not None, each
            name = found[1] or ""
            if name.isupper() or name.startswith("-") or not name or name in "{.…":
                continue
            meant = read(each.command.split()[1:], CLI)
            if name in GROUPS and not meant.command:  # A group, or several of its commands.
                continue
            old = each.page == "CHANGELOG.md"
            assert meant.command and (old or not meant.instead), f"{each.page}:{each.line}: {each.command}"
            parser = commands[spelled(meant.command)]
            known = common | {option for action in parser._actions for option in action.option_strings}
            known |= {*spelled(meant.command).split()}
            for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", re.sub(r"'[^']*'|\"[^\"]*\"", "", each.command)):
                assert option in known, f"{each.page}:{each.line}: {each.command}: {option}"


def test_links_lead_somewhere() -> None:
    others = [page for folder in ("results", "litmus", "benchmarks") for page in (ROOT / folder).rglob("*.md")]
    for page in [*PAGES, *others]:
        for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", page.read_text(encoding="utf-8")):
            place = (page.parent / target) if target else page
            assert place.exists(), f"{page.relative_to(ROOT)}: {target}"
            if anchor and place.suffix == ".md":
                assert anchor in sections(place), f"{page.relative_to(ROOT)}: {target}#{anchor}"
