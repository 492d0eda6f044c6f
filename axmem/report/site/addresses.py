"""The addresses of a site's pages, which stay as long as the files and models are called the same.

What goes in: paths of tests, labels of models, names of rules. What comes out: paths of pages from the site's root.
Invariants: an address has letters of ASCII, digits and `.+=_-` alone, so that it stands in a link as it is; no two
differ in the case of letters alone, since some file systems keep only one of such files.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePath

LONGEST = 80
"""How many characters of a name are in an address; a digest stands for the others."""
DIGITS = 8
"""Of a digest that tells names apart."""
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


def part_of(name: str) -> str:
    """Return a name as a part of an address, with a digest if it is not the name itself."""
    safe = re.sub(r"[^A-Za-z0-9.+=_-]", "_", name)[:LONGEST]
    if safe == name and not name.startswith(".") and not _RESERVED.fullmatch(name):
        return safe
    return f"{safe.lstrip('.')}-{_digest(name)}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", errors="surrogatepass")).hexdigest()[:DIGITS]


def keys_of(paths: Iterable[str]) -> list[str]:
    """Return what tests are called by their files: `FAMILY/NAME`, from the directory that all of them are in."""
    names = [os.path.splitext(path)[0] for path in paths]
    folders = {os.path.dirname(os.path.abspath(name)) for name in names}
    # Of one directory alone its own name is the family.
    root = os.path.dirname(folders.pop()) if len(folders) == 1 else _common(folders)
    found = [PurePath(os.path.relpath(os.path.abspath(name), root)).as_posix() for name in names]
    twice = Counter(found)
    # Files that differ in what their names end with are told apart by that.
    return [
        key if twice[key] == 1 else f"{key}{os.path.splitext(path)[1]}" for key, path in zip(found, paths, strict=True)
    ]


def _common(folders: set[str]) -> str:
    try:
        return os.path.commonpath(folders) if folders else os.curdir
    except ValueError:  # They are on different drives.
        return os.curdir


def family_of(key: str) -> str:
    """Return the family of a test: the folder of its file."""
    return key.rpartition("/")[0] or "."


def addresses_of(keys: Sequence[str]) -> list[str]:
    """Return the addresses of tests."""
    plain = ["/".join(map(part_of, key.split("/"))) for key in keys]
    lower = Counter(each.lower() for each in plain)
    return [
        f"tests/{each}-{_digest(key)}.html" if lower[each.lower()] > 1 else f"tests/{each}.html"
        for key, each in zip(keys, plain, strict=True)
    ]


def family_address(family: str, page: int = 1) -> str:
    """Return the address of a page of a family."""
    number = f".page-{page}" if page > 1 else ""
    return f"families/{part_of(family.replace('/', '-'))}{number}.html"


def model_address(label: str) -> str:
    """Return the address of a model's page."""
    return f"models/{part_of(label)}.html"


def rule_address(label: str, rule: str) -> str:
    """Return the address of a rule's page."""
    return f"rules/{part_of(label)}/{part_of(rule)}.html"


def anchor_of_definition(name: str, *, rule: bool = False) -> str:
    """Return the anchor of a definition, or of a rule, on its model's page."""
    return f"{'rule' if rule else 'def'}-{part_of(name)}"


def root_of(address: str) -> str:
    """Return the way from a page to the root of the site: `../../`, or nothing."""
    return "../" * address.count("/")
