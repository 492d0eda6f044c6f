"""The package as others get it: a wheel from a clean copy, the README's commands and examples, the Makefile."""

from __future__ import annotations

import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from itertools import chain
from pathlib import Path

import pytest

from axmem.cli import COMMANDS, main
from axmem.model.library import names
from tests.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
EXAMPLE = "litmus/corpus/amdgpu/MP+st-rel.none+acq-ld.litmus"
JUNK = (".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of the sources, without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT, folder / "axmem", symlinks=True, ignore=shutil.ignore_patterns(*JUNK))
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(folder / "axmem")], check=True, env=clean_environment())
    (built,) = folder.glob("*.whl")
    return built


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}


def test_the_wheel_has_every_module_and_model(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    found = [glob.glob(f"axmem/**/*.{kind}", root_dir=ROOT, recursive=True) for kind in ("py", "cat", "toml", "proof")]
    made = set(chain.from_iterable(found))
    assert {f"axmem/model/{name}.cat" for name in names()} <= made
    assert {path for path in made if not path.startswith("axmem/litmus/corpus/")} <= inside
    assert "axmem/py.typed" in inside
    top = {name.split("/")[0] for name in inside}
    assert top == {"axmem", next(name for name in top if name.endswith(".dist-info"))}


def test_the_wheel_works_on_its_own(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    shutil.copy(ROOT / EXAMPLE, tmp_path / "test.litmus")
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import axmem\n"
        "assert axmem.__file__.startswith(sys.argv[1]), axmem.__file__\n"
        "result = axmem.outcomes(axmem.parse_file('test.litmus'), 'amdgpu')\n"
        "print(result.verdict, *result.states(), sep='\\n')\n"
        "import axmem.encoder, axmem.litmus, axmem.model\n"
        "assert all(m.__file__.startswith(sys.argv[1]) for m in (axmem.encoder, axmem.litmus, axmem.model))\n"
    )
    command = [sys.executable, "-I", "-c", program, str(tmp_path / "site")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["sometimes", "P1:r0=0  P1:r1=undef", "P1:r0=1  P1:r1=undef"]


def test_the_wheel_names_its_command_and_version(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (entry,) = [n for n in archive.namelist() if n.endswith("entry_points.txt")]
    assert "axmem = axmem.cli:main" in archive.read(entry).decode()
    from axmem import __version__

    assert f"axmem-{__version__}-" in wheel.name


# ---------------------------------------------------------------- README, Makefile, continuous integration


def blocks(text: str) -> list[str]:
    return re.findall(r"^ *```\w*\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)


def test_the_readme_shows_a_test_as_it_is() -> None:
    shown = next(b for b in blocks(README) if b.startswith("litmus "))
    assert (ROOT / EXAMPLE).read_text(encoding="utf-8").startswith(shown)


@pytest.mark.parametrize(
    "page",
    [
        "README.md", "docs/commands.md", "docs/convert.md", "docs/explain.md", "docs/repair.md", "docs/trace.md",
        "docs/verify.md", "docs/findings/mmra-no-go.md", "docs/convergence.md", "docs/uniformity.md",
        "docs/findings/exit-phi.md", "docs/findings/left-for-another-cycle.md", "docs/findings/successor-order.md",
        "docs/findings/tokens-ignored.md",
    ],
)  # fmt: skip
def test_commands_print_what_is_shown(
    page: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    shown = [b for b in blocks((ROOT / page).read_text(encoding="utf-8")) if b.startswith("$ axmem ")]
    assert shown
    for block in shown:
        command, output = block.split("\n", 1)
        main(shlex.split(command.removeprefix("$ axmem ")))
        printed = seconds(capsys.readouterr().out)
        # A line with an ellipsis stands for any lines.
        pattern = re.escape(seconds(output)).replace("\\ \\ \\ \\ …\\\n", "(?s:.*)")
        assert re.fullmatch(pattern, printed), printed


def test_every_command_is_documented() -> None:
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")]
    for command in COMMANDS:
        assert any(f"\n## `axmem {command}`\n" in page or f"\n`axmem {command}` " in page for page in pages), command


def seconds(text: str) -> str:
    return re.sub(r"\d+\.\d+ s$", "T s", text, flags=re.MULTILINE)


def test_the_readme_s_python_works(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (program,) = [b for b in blocks(README) if "import axmem" in b]
    exec(re.sub(r"^  ", "", program, flags=re.MULTILINE), {})
    assert f"prints `{capsys.readouterr().out.strip()}`" in README


def test_the_readme_s_commands_are_those_of_the_makefile_and_of_continuous_integration() -> None:
    commands = [line.split("#")[0].strip() for b in blocks(README) if b.startswith("make ") for line in b.splitlines()]
    assert commands == ["make tables", "make test"]
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for command in commands:
        assert re.search(rf"^{command.removeprefix('make ')}:", MAKEFILE, re.MULTILINE)
        assert re.search(rf"^{command}$", run, re.MULTILINE)


def test_links_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "results").rglob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


def test_the_links_for_type_checkers_lead_to_the_rooms() -> None:
    for room in ("litmus", "convergence", "model", "encoder", "codegen"):
        link = ROOT / "axmem" / room
        assert link.is_symlink() and os.readlink(link) == f"../{room}"


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
