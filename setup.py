"""Which directories are which packages: the rooms at the top of the sources are packages of `axmem`.

This is what it costs that they stand at the top, and the only place that says so. A checkout has links
`axmem/ROOM -> ../ROOM`, for type checkers and for running in place. Archives lose links, and some systems write them as
files that hold the target. So the build does not look at them: wheels, source archives and editable installs follow
the mapping below. Sources that run in place without links have no mapping: the `__path__` line of `axmem/__init__.py`
is for them alone. `test_every_way_finds_the_rooms` in tests/repository/test_packaging.py tries every way.
"""

from pathlib import Path

from setuptools import find_packages, setup

ELSEWHERE = {"axmem", "tests"}
ROOMS = {path.parent.name for path in Path().glob("*/__init__.py")} - ELSEWHERE
OWN = [name for name in find_packages(".", include=["axmem", "axmem.*"]) if not ROOMS & set(name.split("."))]
PLACED = [f"axmem.{name}" for room in sorted(ROOMS) for name in find_packages(".", include=[room, f"{room}.*"])]

setup(packages=OWN + PLACED, package_dir={f"axmem.{room}": room for room in sorted(ROOMS)})
