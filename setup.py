"""Which directories are which packages: the rooms at the top of the sources are packages of `axmem`.

The links `axmem/ROOM -> ../ROOM` of a checkout are not looked at: archives lose them, or hold them as files.
"""

from pathlib import Path

from setuptools import find_packages, setup

ELSEWHERE = {"axmem", "tests"}
ROOMS = {path.parent.name for path in Path().glob("*/__init__.py")} - ELSEWHERE
OWN = [name for name in find_packages(".", include=["axmem", "axmem.*"]) if not ROOMS & set(name.split("."))]
PLACED = [f"axmem.{name}" for room in sorted(ROOMS) for name in find_packages(".", include=[room, f"{room}.*"])]

setup(packages=OWN + PLACED, package_dir={f"axmem.{room}": room for room in sorted(ROOMS)})
