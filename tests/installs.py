"""Every way of installing axmem, on every Python of this machine: `python -m tests.installs [PYTHON…] [WAY…]`.

What goes in: the checkout, and the Pythons that were named or are found on the path and where pyenv keeps them. What
comes out: a table in Markdown, a row for each way and a column for each Python; exit code 1 if one does not work. An
install works if pip says nothing of a warning and the installed command runs, verifies and explains a test of the
corpus, away from the sources. It takes minutes and the package registry, so that it is no test of `make test`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.paths import ROOT

TEST = "@corpus/scopes/MP+rel.ag+acq.ag.litmus"
COMMANDS = (["run", TEST], ["verify", TEST, "--target", "gfx942"], ["explain", TEST, "--model", "amdgpu"])
ELSEWHERE = r"^(WARNING: (Location|Running pip as)|  warning: filtering not recognized by server).*\n"
"""Warnings that are about the machine's pip and git, not about what is installed."""
NEWEST = 20
"""Minor versions of Python 3 that are looked for."""


def main(arguments: Sequence[str]) -> int:
    """Try every way under every Python, and print the table."""
    named = [path for name in arguments if (path := shutil.which(name))]
    versions = {version(python): python for python in named or found_pythons()}
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        artefacts = made(base)
        chosen = set(arguments) & set(artefacts) or set(artefacts)
        rows = {
            way: [tried(python, way, target, base / f"{name}-{number}") for name, python in versions.items()]
            for number, (way, target) in enumerate(artefacts.items())
            if way in chosen
        }
    print("", "Install", *versions, "", sep=" | ")
    print("|" + " --- |" * (len(versions) + 1))
    for way, said in rows.items():
        print("", way, *said, "", sep=" | ")
    return int(any(word != "ok" for said in rows.values() for word in said))


def found_pythons() -> list[str]:
    """Return the Pythons that axmem supports and this machine has."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    names = [f"python3.{minor}" for minor in range(11, NEWEST)]
    candidates = [[shutil.which(name), *map(str, sorted(kept.glob(f"*/bin/{name}")))] for name in names]
    return [next(filter(works, filter(None, paths))) for paths in candidates if any(works(p) for p in paths if p)]


def works(python: str) -> bool:
    """Say whether a Python starts, which a name that only stands for one may not."""
    return subprocess.run([python, "-c", "import venv"], capture_output=True, check=False).returncode == 0


def version(python: str) -> str:
    """Return the version of a Python."""
    code = "import platform; print(platform.python_version())"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def made(base: Path) -> dict[str, Callable[[Path], Sequence[str]]]:
    """Make the artefacts of the last commit; return for each what pip is given, in a new folder if it changes it."""
    git = ["git", "-C", str(ROOT)]
    for kind in ("zip", "tar.gz"):
        subprocess.run(
            [*git, "archive", f"--format={kind}", "--prefix=axmem/", "-o", base / f"main.{kind}", "HEAD"], check=True
        )
    subprocess.run(["git", "clone", "-q", str(ROOT), str(base / "clone")], check=True)
    for what in ("build_wheel", "build_sdist"):
        code = f"import setuptools.build_meta as b; b.{what}(r'{base}')"
        subprocess.run([sys.executable, "-c", code], cwd=base / "clone", check=True, capture_output=True)
    (wheel,), (sdist,) = base.glob("*.whl"), base.glob("axmem-*.tar.gz")

    def checkout(folder: Path) -> Path:
        subprocess.run(["git", "clone", "-q", str(ROOT), str(folder / "checkout")], check=True)
        return folder / "checkout"

    def without_links(folder: Path) -> Path:
        zipfile.ZipFile(base / "main.zip").extractall(folder)
        return folder / "axmem"

    return {
        "wheel": lambda _: [str(wheel)],
        "sdist": lambda _: [str(sdist)],
        "zip": lambda _: [str(base / "main.zip")],
        "tar": lambda _: [str(base / "main.tar.gz")],
        "git+file": lambda _: [f"git+file://{base / 'clone'}"],
        "editable": lambda folder: ["--editable", str(checkout(folder))],
        "editable, without links": lambda folder: ["--editable", str(without_links(folder))],
        "in place": lambda folder: ["", str(checkout(folder))],
        "in place, without links": lambda folder: ["", str(without_links(folder))],
    }


def tried(python: str, way: str, target: Callable[[Path], Sequence[str]], folder: Path) -> str:
    """Install in one way and use what was installed; return `ok`, or what was wrong."""
    print(f"{way} with {python}", file=sys.stderr, flush=True)
    folder.mkdir()
    given = target(folder)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run([python, "-m", "venv", str(folder / "venv")], check=True)
    inside = folder / "venv" / "bin"
    wanted = ["z3-solver", "networkx", "tabulate"] if not given[0] else given
    steps = [[str(inside / "python"), "-m", "pip", "install", "--disable-pip-version-check", *wanted]]
    if given[0]:
        steps += [[str(inside / "axmem"), *command] for command in COMMANDS]
    else:
        environment["PYTHONPATH"] = given[1]
        steps += [[str(inside / "python"), "-m", "axmem", *command] for command in COMMANDS]
    for step in steps:
        done = subprocess.run(step, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        said = re.sub(ELSEWHERE, "", done.stdout + done.stderr, flags=re.MULTILINE)
        if done.returncode or (step is steps[0] and re.search("warning", said, re.IGNORECASE)):
            print(f"{way}: {' '.join(step)}\n{said}", file=sys.stderr)
            return f"{Path(step[0]).name} {step[1]} failed"
    shutil.rmtree(folder)
    return "ok"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
