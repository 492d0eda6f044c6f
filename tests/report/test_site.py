"""`axmem doc report`: a suite as a static site, kept from run to run, compared with an older one, interrupted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from axmem.cli import main
from axmem.front.output import write_generated
from axmem.front.typing import override
from axmem.report.site import overview
from axmem.report.site.addresses import addresses_of, keys_of, part_of
from axmem.report.site.changes import changes
from axmem.report.site.model_pages import read_mutants
from axmem.report.site.overview import FAMILIES, ROWS, Overview
from tests.commands.test_page import HOSTILE, PLAIN
from tests.drawn import in_full
from tests.paths import CORPUS, RESULTS, ROOT

ATOMIC = PLAIN.replace("store 1, x", "store atomic 1, x monotonic").replace("load x", "load atomic x monotonic")
PASSING = (CORPUS / "base" / "MP+rel+acq.litmus").read_text(encoding="utf-8")


class _Page(HTMLParser):
    """The links, ids, scripts and elements of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [value for name in ("href", "src") if (value := found.get(name)) is not None]


def pages_of(folder: Path) -> dict[Path, _Page]:
    return {path.resolve(): _Page(path) for path in folder.rglob("*.html")}


def faults_of(folder: Path) -> Iterator[str]:
    """Yield dead links, ids that are there twice, and what the policy of the pages forbids."""
    pages = pages_of(folder)
    for path, page in pages.items():
        twice = {each for each in page.ids if page.ids.count(each) > 1}
        yield from (f"{path}: id {each} is there twice" for each in twice)
        for tag, attributes in page.tags:
            inline = tag == "style" or (tag == "script" and not attributes.get("src"))
            if inline or any(name.startswith("on") or name == "style" for name in attributes):
                yield f"{path}: <{tag} {attributes}> is forbidden by the policy"
        for link in page.links:
            if re.match(r"https?:|data:,$", link):
                continue
            target, _, anchor = unquote(link).partition("#")
            leads = (path.parent / target).resolve() if target else path
            if not leads.is_file() or not leads.is_relative_to(folder.resolve()):
                yield f"{path}: {link} leads nowhere"
            elif anchor and anchor not in pages[leads].ids:
                yield f"{path}: {link} has no such place"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    for name, text in {
        "a/MP": PASSING,
        "a/Plain": PLAIN,
        "b/Plain": PLAIN.replace("r0=7", "r0=0"),
        'b/Host"ile<b>': HOSTILE,
        "b/Wrong": "litmus Wrong\nthread P0 {\n  stoer 1, x\n}\nexists (true)\n",
    }.items():
        file = folder / f"{name}.litmus"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def reported(suite: Path, out: Path, *words: object) -> int:
    return main(["report", str(suite), "-o", f"{out}/", *map(str, words)])


def record(out: Path) -> dict[str, dict[str, object]]:
    return {test["key"]: test for test in json.loads((out / "index.json").read_text("utf-8"))["report"]["tests"]}


def test_a_site_of_a_suite(suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every link leads somewhere, hostile names and texts are texts, a wrong test has a page that says why."""
    out = tmp_path / "site"
    assert reported(suite, out, "--target", "gfx942", "--mutants", RESULTS / "mutants.md") == 2
    assert "Wrong.litmus:3:" in capsys.readouterr().err
    assert not list(faults_of(out))
    found = record(out)
    assert found["a/MP"]["address"] == "tests/a/MP.html"
    assert found["b/Wrong"]["status"] == "error"
    page = (out / "tests" / "a" / "MP.html").read_text("utf-8")
    for said in ("thread P0 @ agent 0", "excluded by", "Explanation under", "Machine code", "<svg", "sound"):
        assert said in page, said
    assert "default-src 'none'; script-src 'self'; style-src 'self';" in page
    (hostile,) = (out / "tests" / "b").glob("Host_ile_b_-*.html")
    assert "<img" not in hostile.read_text("utf-8") and "&lt;/script&gt;&lt;img" in hostile.read_text("utf-8")
    assert "<img" not in (out / "index.html").read_text("utf-8")
    # A rule leads to the tests that it decides, a definition to what it is made of.
    rule = (out / "rules" / "llvm" / "several-writes.html").read_text("utf-8")
    assert "../../tests/a/Plain.html" in rule
    model = (out / "models" / "amdgpu.html").read_text("utf-8")
    assert 'id="def-hb"' in model and 'href="#def-' in model and "red without it" in model
    schema = json.loads((ROOT / "docs/schema/report.schema.json").read_text("utf-8"))
    common = json.loads((ROOT / "docs/schema/common.schema.json").read_text("utf-8"))
    registry: Registry = Registry().with_resource("common.schema.json", Resource.from_contents(common))
    Draft202012Validator(schema, registry=registry).validate(json.loads((out / "index.json").read_text("utf-8")))


def test_pages_are_kept_and_those_of_tests_that_are_gone_are_removed(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, run = tmp_path / "site", tmp_path / "run"
    (suite / "b" / "Wrong.litmus").unlink()
    assert reported(suite, out, "--run", run, "--explain", "none") == 0
    first = {path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert reported(suite, out, "--run", run, "--explain", "none") == 0
    assert "4 pages were in" in capsys.readouterr().err
    assert {path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()} == first
    (suite / "b" / "Plain.litmus").unlink()
    mine = out / "tests" / "mine.html"
    mine.write_text("mine", encoding="utf-8")
    assert reported(suite, out, "--run", run, "--explain", "none") == 0
    assert not (out / "tests" / "b" / "Plain.html").exists()
    assert mine.read_text("utf-8") == "mine"
    assert "3 pages were in" in capsys.readouterr().err


def test_two_runs_are_compared(suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A test that changed, one that came and one that went; the page shows the outcomes that came."""
    old, new = tmp_path / "old", tmp_path / "new"
    (suite / "b" / "Wrong.litmus").unlink()
    plain = suite / "a" / "Plain.litmus"
    plain.write_text(ATOMIC, encoding="utf-8")
    reported(suite, old, "--explain", "none")
    plain.write_text(ATOMIC.replace("1, x", "3, x"), encoding="utf-8")
    (suite / "b" / "Plain.litmus").rename(suite / "b" / "Added.litmus")
    assert reported(suite, new, "--explain", "none", "--against", old) == 0
    assert "1 test changed, 1 added, 1 gone." in capsys.readouterr().out
    page = (new / "changes.html").read_text("utf-8")
    for word in ("a/Plain", "b/Added", "b/Plain", "<code>P1:r0=3</code>", "<code>P1:r0=1</code>"):
        assert word in page, word
    assert 'href="changes.html"' in (new / "index.html").read_text("utf-8")
    assert not list(faults_of(new))


def test_an_interrupted_run_keeps_its_pages(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written = write_generated

    def interrupt(texts: dict[str, str], directory: str, *, force: bool = False) -> tuple[str, ...]:
        if "tests/b/Plain.html" in texts:
            raise KeyboardInterrupt
        return written(texts, directory, force=force)

    monkeypatch.setattr("axmem.report.site.site.write_generated", interrupt)
    (suite / "b" / "Wrong.litmus").unlink()
    out = tmp_path / "site"
    assert reported(suite, out, "--explain", "none") == 130
    assert "interrupted: 1 of 4 tests were not answered" in capsys.readouterr().err
    assert len(record(out)) == 3 and (out / "tests" / "a" / "MP.html").is_file()
    assert "1 test was not answered" in (out / "index.html").read_text("utf-8")
    assert not list(out.rglob(".*"))
    assert not list(faults_of(out))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--models", "llvn"], "unknown model 'llvn'"),
        (["--target", "gfx0"], "gfx0"),
        (["--against", "nowhere"], "cannot read nowhere"),
        (["--against", "suite"], "cannot read"),
        (["--mutants", "suite/a/MP.litmus"], "has no table of mutations"),
        (["--specification", "X=javascript:alert(1)"], "begins with http"),
        (["-o", "suite/a/MP.litmus"], "this is a"),
        (["-o", "suite/a/MP.litmus/"], "a directory is wanted"),
    ],
)
def test_wrong_options(
    words: list[str], said: str, suite: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["report", "suite/a", "-o", "site/", *words]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("name", ["site.css", "index.html", "tests.js", "tests/a/MP.html"])
def test_files_of_others_are_kept(name: str, suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What stands where a page comes is refused before any test is answered."""
    out = tmp_path / "site"
    (out / name).parent.mkdir(parents=True)
    (out / name).write_text("mine", encoding="utf-8")
    assert reported(suite / "a", out, "--explain", "none") == 2
    assert "axmem did not write this file" in capsys.readouterr().err
    assert (out / name).read_text("utf-8") == "mine"
    assert name == "site.css" or [path for path in out.rglob("*") if path.is_file()] == [out / name]
    assert reported(suite / "a", out, "--explain", "none", "--force") == 0


def test_addresses_stay_and_are_told_apart() -> None:
    assert keys_of(["suite/a/X.litmus", "suite/b/X.litmus"]) == ["a/X", "b/X"]
    assert keys_of(["suite/a/X.litmus", "suite/a/X.ll"]) == ["a/X.litmus", "a/X.ll"]
    assert addresses_of(["a/X", "b/X+y"]) == ["tests/a/X.html", "tests/b/X+y.html"]
    upper, lower = addresses_of(["a/X", "a/x"])
    assert upper.lower() != lower.lower()
    for name in ("a b", "é", "..", "con", "<", "x" * 300):
        assert re.fullmatch(r"[A-Za-z0-9.+=_-]+", part_of(name)) and not part_of(name).startswith(".")
        assert len(part_of(name)) < 120


def test_no_page_has_a_row_for_each_of_many_tests() -> None:
    """Of 10,000 tests in one family and of 1,000 families."""
    names = [f"all/T{number}" for number in range(10_000)] + [f"f{number}/T" for number in range(1_000)]
    model = {
        "model": "llvm", "verdict": "never", "status": "ok", "relation": "", "flags": [], "undefined": [],
        "incomplete": [], "outcomes": [], "core": [], "undef": [], "cites": [],
    }  # fmt: skip
    tests = tuple(
        {
            "key": key, "address": address, "name": "T", "file": key, "shows": "</script>", "condition": "",
            "status": "ok", "errors": [], "models": [model], "targets": [],
        }
        for key, address in zip(names, addresses_of(names), strict=True)
    )  # fmt: skip
    found = Overview("Many", ("llvm",), (), tests)
    documents = dict(overview.pages(found))
    assert len(documents) == 1 + 10_000 // ROWS + 1_000
    rows = [len(b.rows) for d in documents.values() for b in d.blocks if hasattr(b, "rows")]
    assert max(rows) == ROWS and sum(rows) == 11_000
    assert (
        max(len(getattr(b, "rows", ())) for s in documents["index.html"].blocks for b in getattr(s, "blocks", ()))
        == FAMILIES
    )
    assert len(overview.search_rows(found)) < 2_000_000


def test_a_run_without_answers_is_no_change_of_verdicts() -> None:
    answered = {"models": [{"model": "llvm", "verdict": "never", "outcomes": ["x=1"]}], "targets": [], "status": "ok"}
    lost = {"models": [], "targets": [], "status": "unknown"}
    found = changes({"a": answered, "b": lost, "gone": answered}, {"a": lost, "b": lost}, whole=False)
    assert [(c.key, c.before, c.after) for c in found.changed] == [("a", "ok", "unknown")]
    assert found.unread == ("a", "b") and found.gone == ()


def test_mutations_are_read_from_their_page() -> None:
    found = read_mutants((RESULTS / "mutants.md").read_text("utf-8"), "mutants.md")
    assert "classic/CoWW+mono" in found["reads"]


@in_full
def test_the_site_of_the_corpus(tmp_path: Path) -> None:
    assert main(["report", str(CORPUS), "-o", f"{tmp_path}/site/", "-j", "2"]) in (0, 3)
    assert not list(faults_of(tmp_path / "site"))
