"""The package as others get it: a wheel from a clean copy, the README's commands and examples, the Makefile.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from itertools import product
from pathlib import Path

import pytest

from axmem.cli import build_parser
from axmem.model.library import names
from tests.documents.pages import blocks, seconds
from tests.drawn import in_full, some
from tests.paths import ROOT

BLOCKS = [block.text for block in blocks(ROOT / "README.md")]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
EXAMPLE = "litmus/examples/narrow-release.litmus"
PROGRAM = """
import axmem
test = axmem.parse_file(axmem.shipped("examples/narrow-release.litmus"))
print(axmem.outcomes(test, "amdgpu").verdict)
"""
JUNK = (".git", ".venv", "build", "node_modules", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")


SETUP_ROOMS = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"axmem", "tests"}
"""The rooms at the top, as setup.py finds them."""
FINDS = """
import pkgutil, site, sys
from importlib import import_module
from pathlib import Path
place, home, *rooms = sys.argv[1:]
# The environment of the tests may be an editable install, whose finders come first.
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
for name in [name for name in sys.modules if name.startswith("__editable__")]:
    del sys.modules[name]
sys.path.insert(0, place)
site.addsitedir(place)
import axmem
# What stands at the top beside the rooms is no part of the package, except where it runs in place without links.
names = [m.name for m in pkgutil.iter_modules(axmem.__path__, "axmem.") if m.name != "axmem.__main__"]
assert {f"axmem.{room}" for room in rooms} <= set(names), names
for room in rooms:
    found = import_module(f"axmem.{room}")
    assert Path(found.__file__).resolve() == (Path(home) / room / "__init__.py").resolve(), found.__file__
    for part in pkgutil.walk_packages(found.__path__, f"axmem.{room}."):
        import_module(part.name)
assert not set(rooms) & set(sys.modules)
places = [m.__file__ for n, m in sys.modules.items() if n.split(".")[0] == "axmem"]
resolved = [Path(place).resolve() for place in places]
assert len(resolved) == len(set(resolved)) > 150
from axmem.cli import main
sys.exit(main(["run", "@corpus/axioms"]))
"""
"""Use what was installed at a place: the arguments are it, where the rooms are, and their names."""
BUILD = "import setuptools.build_meta as b, sys; print(getattr(b, sys.argv[1])(sys.argv[2]))"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the sources with their links, in a folder where they can be built."""
    folder = tmp_path_factory.mktemp("checkout") / "axmem"
    shutil.copytree(ROOT, folder, symlinks=True, ignore=shutil.ignore_patterns(*JUNK))
    return folder


@pytest.fixture(scope="module")
def unpacked(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the sources as pip unpacks a zip of them: each link is a file that holds its text."""
    folder = tmp_path_factory.mktemp("zip") / "axmem"
    shutil.copytree(checkout, folder, symlinks=True)
    for link in filter(Path.is_symlink, (folder / "axmem").iterdir()):
        text = os.readlink(link)
        link.unlink()
        link.write_text(text)
    return folder


@pytest.fixture(scope="module")
def archive(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source archive and unpack it."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(built("build_sdist", unpacked, folder)) as file:
        file.extractall(folder, filter="data")
    (made,) = filter(Path.is_dir, folder.iterdir())
    return made


@pytest.fixture(scope="module")
def wheel(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from sources without links, without the network."""
    return built("build_wheel", unpacked, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def wheel_of_archive(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the source archive."""
    return built("build_wheel", archive, tmp_path_factory.mktemp("again"))


def built(what: str, sources: Path, into: Path) -> Path:
    """Build an artefact, which must not print a warning."""
    command = [sys.executable, "-c", BUILD, what, str(into)]
    done = subprocess.run(
        command, cwd=sources, check=True, env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip
    assert not re.search("warning", done.stdout, re.IGNORECASE), done.stdout
    return into / done.stdout.splitlines()[-1]


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}


def test_the_wheel_has_every_module_model_and_test(wheel: Path) -> None:
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name and ".data/" not in name}
    rooms = [path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"]
    kinds: tuple[str, ...] = ("py", "cat", "toml", "proof", "litmus", "ll", "test", "rule", "md", "txt", "typed")
    kinds += ("css", "js", "json", "h", "hip", "s")
    made = {path.relative_to(ROOT).as_posix() for room in rooms for kind in kinds for path in room.rglob(f"*.{kind}")}
    assert inside == {path if path.startswith("axmem/") else f"axmem/{path}" for path in made}
    assert {f"axmem/model/{name}.cat" for name in names()} <= inside


@in_full
def test_the_source_archive_has_every_file_and_gives_the_same_wheel(
    archive: Path, wheel: Path, wheel_of_archive: Path, unpacked: Path
) -> None:
    there = {path.relative_to(archive) for path in archive.rglob("*") if path.is_file()}
    links = {Path("axmem", room.parent.name) for room in ROOT.glob("*/__init__.py")}
    wanted = {path.relative_to(unpacked) for path in unpacked.rglob("*") if path.is_file()} - links
    assert {path for path in wanted if path.parts[0] not in ("build", "axmem.egg-info")} <= there
    first, second = zipfile.ZipFile(wheel), zipfile.ZipFile(wheel_of_archive)
    assert set(first.namelist()) == set(second.namelist())
    assert all(first.read(name) == second.read(name) for name in first.namelist() if name.startswith("axmem/"))


@in_full
def test_the_source_archive_s_tests_run(archive: Path) -> None:
    """Some that are quick; what they test is the archive's own."""
    chosen = ["tests/litmus/test_words.py", "tests/front/test_inputs.py", "tests/convergence/test_cycles.py"]
    code = (
        "import sys, axmem, pytest; assert axmem.__file__.startswith(sys.path[0]); "
        "sys.exit(pytest.main(['-p', 'no:cacheprovider', *sys.argv[1:]]))"
    )
    environment = {**clean_environment(), "PYTHONPATH": str(archive), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, *chosen], cwd=archive, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and re.search(r"\d+ passed", done.stdout.splitlines()[-1]), done.stdout


@pytest.mark.parametrize(
    ("way", "links"),
    some([*product(("wheel", "editable", "in place"), (False, True)), ("source archive", False)]),
)
def test_every_way_finds_the_rooms(
    way: str, links: bool, checkout: Path, unpacked: Path, wheel: Path, wheel_of_archive: Path, tmp_path: Path
) -> None:
    """Import every module from what each way gives, each from one place and under one name, and judge some tests.

    A zip is installed as the wheel that is built from it, which is `wheel`: there are no links in it.
    """
    sources, site = checkout if links else unpacked, tmp_path / "site"
    if way == "in place":
        site = sources
    elif way == "editable":
        zipfile.ZipFile(built("build_editable", sources, tmp_path)).extractall(site)
    else:
        given = wheel_of_archive if way == "source archive" else wheel
        made = built("build_wheel", sources, tmp_path) if way == "wheel" and links else given
        zipfile.ZipFile(made).extractall(site)
    home = sources if way in ("in place", "editable") else site / "axmem"
    command = [sys.executable, "-I", "-c", FINDS, str(site), str(home), *SETUP_ROOMS]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.splitlines()[-1].startswith("5 tests, ")


def test_what_stands_at_the_top_is_known_everywhere_it_must_be() -> None:
    """Links and lists of the linter follow setup.py, and the two places that say where rooms are name each other."""
    assert {"litmus", "model", "encoder", "codegen"} <= SETUP_ROOMS
    for room in SETUP_ROOMS:
        link = ROOT / "axmem" / room
        assert not link.is_dir() or os.readlink(link) == f"../{room}"
    ruff = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]
    assert set(ruff["extend-exclude"]) == {f"axmem/{room}" for room in SETUP_ROOMS}
    banned = ruff["lint"]["flake8-tidy-imports"]["banned-api"]
    assert {name for name in banned if "." not in name} == SETUP_ROOMS
    setup, init = ((ROOT / name).read_text(encoding="utf-8") for name in ("setup.py", "axmem/__init__.py"))
    (line,) = re.findall(r"# (.*)\n *__path__", init)
    assert "setup.py" in line and "`axmem/__init__.py`" in setup and "test_every_way_finds_the_rooms" in setup


def test_the_readme_s_commands_work_from_the_wheel_alone(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    shown = next(b for b in BLOCKS if b.startswith("$ axmem "))
    command, output = shown.split("\n", 1)
    program = (
        "import sys; sys.path.insert(0, sys.argv.pop(1)); from axmem.cli import main; main(sys.argv[1:])\n"
        f"{PROGRAM}\n"
        "assert all(m.__file__.startswith(sys.path[0]) for n, m in sys.modules.items() if n.split('.')[0] == 'axmem')\n"
    )
    arguments = shlex.split(command.removeprefix("$ axmem "))
    run = [sys.executable, "-I", "-c", program, str(tmp_path / "site"), *arguments]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    printed = seconds(done.stdout)
    assert printed.startswith(seconds(output)) and printed.endswith("\nsometimes\n")


def test_the_wheel_brings_completion_and_the_manual_page(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    inside = {name.split(".data/data/")[1]: name for name in archive.namelist() if ".data/data/" in name}
    assert {*inside} == {
        "share/bash-completion/completions/axmem", "share/zsh/site-functions/_axmem",
        "share/fish/vendor_completions.d/axmem.fish", "share/man/man1/axmem.1",
    }  # fmt: skip
    for name in inside.values():
        text = archive.read(name).decode()
        assert "verify" in text and "refine" in text


def test_the_wheel_names_its_command_its_plugin_and_its_version(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (entry,) = [n for n in archive.namelist() if n.endswith("entry_points.txt")]
    points = archive.read(entry).decode()
    assert "[console_scripts]\naxmem = axmem.cli:process\n" in points
    assert "[pytest11]\naxmem = axmem.commands.pytest_plugin\n" in points
    from axmem import __version__

    assert f"axmem-{__version__}-" in wheel.name


# ---------------------------------------------------------------- README, Makefile, continuous integration


def test_the_readme_shows_a_test_as_it_is() -> None:
    shown = next(b for b in BLOCKS if b.startswith("litmus "))
    assert (ROOT / EXAMPLE).read_text(encoding="utf-8").startswith(shown)


def test_every_command_is_documented() -> None:
    """The first table of the page has each command, with a link to what describes it."""
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    listed = re.findall(r"\[`([a-z][\w -]*)`\]\(", page[: page.index("## Exit codes")])
    assert sorted(listed) == sorted(build_parser()[1].choices)


def test_the_readme_s_commands_are_those_of_the_makefile_and_of_continuous_integration() -> None:
    commands = [line.split("#")[0].strip() for b in BLOCKS if b.startswith("make ") for line in b.splitlines()]
    assert commands == ["make tables", "make test"]
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for command in commands:
        assert re.search(rf"^{command.removeprefix('make ')}:", MAKEFILE, re.MULTILINE)
        assert re.search(rf"^ *make (.* )?{command.removeprefix('make ')}\b", run, re.MULTILINE)


def test_the_version_is_the_same_everywhere() -> None:
    from axmem import __version__

    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in citation
    assert f"({__version__})" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_make_says_so_if_there_is_no_python(tmp_path: Path) -> None:
    make = shutil.which("make")
    assert make is not None, "these tests need make, as the README says"
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("sh", "echo"):
        (tools / tool).symlink_to(str(shutil.which(tool)))
    done = subprocess.run(
        [make, "test"], cwd=tmp_path, env={"PATH": str(tools)}, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0 and "no Python 3.11 or newer found" in done.stderr
