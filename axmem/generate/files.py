"""The files of generated tests.

What goes in: tests and a directory. What comes out: one `.litmus` file for each test and the list `@all`. Invariant: a
file is never a part of a test, no file is replaced unless that was asked for, and `@all` names files that are there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from axmem.generate.suites import Generated
from axmem.inputs import about_file
from axmem.output import write_whole
from axmem.source import InputError

LIST = "@all"


def write_suite(tests: Iterable[Generated], directory: str, *, force: bool = False) -> int:
    """Write the tests and their list; return how many tests. Raises InputError before anything has been replaced."""
    texts = {f"{generated.test.name}.litmus": generated.text for generated in tests}
    listing = "".join(f"{name}\n" for name in texts)
    try:
        os.makedirs(directory, exist_ok=True)
        present = set(os.listdir(directory))
    except FileExistsError:
        raise InputError([about_file(directory, "this is a file, and a directory is wanted")]) from None
    except OSError as error:
        raise InputError([about_file(directory, f"cannot write here: {error.strerror or error}")]) from None
    existing = [name for name in (*texts, LIST) if name in present]
    if existing and not force:
        more = f", and {len(existing) - 1} more of the files to be written" if len(existing) > 1 else ""
        first = os.path.join(directory, existing[0])
        raise InputError([about_file(first, f"this file is there already{more}", "--force replaces them")])
    for name, text in (*texts.items(), (LIST, listing)):
        write_whole(os.path.join(directory, name), text)
    return len(texts)
