"""Which directories are which packages: the rooms at the top of the sources are packages of `axmem`.

This is what it costs that they stand at the top, and the only place that says so. A checkout has links
`axmem/ROOM -> ../ROOM`, for type checkers and for running in place. Archives lose links, and some systems write them as
files that hold the target. So the build does not look at them: wheels, source archives and editable installs follow
the mapping below. Sources that run in place without links have no mapping: the `__path__` line of `axmem/__init__.py`
is for them alone. `test_every_way_finds_the_rooms` in tests/repository/test_packaging.py tries every way.

What shells and `man` look for, completion scripts and the manual page, is made of the parser when a wheel is built.
"""

import sys
from pathlib import Path
from typing import ClassVar

from setuptools import Command, find_packages, setup

ELSEWHERE = {"axmem", "tests"}
ROOMS = {path.parent.name for path in Path().glob("*/__init__.py")} - ELSEWHERE
OWN = [name for name in find_packages(".", include=["axmem", "axmem.*"]) if not ROOMS & set(name.split("."))]
PLACED = [f"axmem.{name}" for room in sorted(ROOMS) for name in find_packages(".", include=[room, f"{room}.*"])]
SHARED = {
    "bash": "share/bash-completion/completions/axmem",
    "zsh": "share/zsh/site-functions/_axmem",
    "fish": "share/fish/vendor_completions.d/axmem.fish",
    "man": "share/man/man1/axmem.1",
}
"""Where a shell, or man, looks for what is made for it, below the place where programs are installed."""


class SharedFiles(Command):
    """Make what shells and `man` look for, in the place of the files that would be copied."""

    user_options: ClassVar[list[tuple[str, str, str]]] = []

    def initialize_options(self) -> None:
        """Say nothing of where programs are installed."""
        self.install_dir = ""

    def finalize_options(self) -> None:
        """Take that from the command that installs."""
        self.install_dir = self.get_finalized_command("install").install_data

    def get_inputs(self) -> list[str]:
        """Return which files are copied."""
        return []

    def get_outputs(self) -> list[str]:
        """Return which files there are then."""
        return [str(Path(self.install_dir) / place) for place in SHARED.values()]

    def run(self) -> None:
        """Write them."""
        sys.path.insert(0, str(Path(__file__).parent))
        from axmem.cli import shell_text  # noqa: PLC0415  # Where nothing is built this is not needed.

        for what, place in zip(SHARED, self.get_outputs(), strict=True):
            Path(place).parent.mkdir(parents=True, exist_ok=True)
            Path(place).write_text(shell_text(what), encoding="utf-8")


setup(
    packages=OWN + PLACED,
    package_dir={f"axmem.{room}": room for room in sorted(ROOMS)},
    data_files=[("share", [])],
    cmdclass={"install_data": SharedFiles},
)
