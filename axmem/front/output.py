"""Where a command's text goes: to the standard output as it comes, or to a file at once.

What goes in: pieces of text. Invariant: a file named by `-o` is either the old one or the whole new one, never a part.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from axmem.front.source import mistake


@contextmanager
def output(path: str | None) -> Iterator[Callable[[str], None]]:
    """Provide a function that writes text: to the standard output, or to a file that appears when the block ends."""
    if path is None or path == "-":
        yield _print
        return
    pieces: list[str] = []
    yield pieces.append
    write_whole(path, "".join(pieces))


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number of things: `1 test`, `2 tests`."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def tally(verdicts: Iterable[str], order: Iterable[str], nothing: str) -> str:
    """Return how many tests there are, and of which verdicts, in an order: `12 tests: 11 sound, 1 unsound`."""
    found = Counter(verdicts)
    parts = [f"{found[verdict]} {verdict}" for verdict in order if found[verdict]]
    return f"{counted(found.total(), 'test')}: {', '.join(parts) or nothing}"


def document(indent: int = 2, **content: object) -> str:
    """Return a JSON document of version 1, its keys in the order given."""
    return json.dumps({"version": 1, **content}, indent=indent, ensure_ascii=False) + "\n"


@contextmanager
def writing_into(directory: str) -> Iterator[None]:
    """Turn what the file system refuses about a directory into an InputError."""
    try:
        yield
    except (FileExistsError, NotADirectoryError) as error:
        message = "cannot write here: this is a file, and a directory is wanted"
        raise mistake(str(error.filename or directory), message) from None
    except OSError as error:
        raise mistake(directory, f"cannot write here: {error.strerror or error}") from None


def write_whole(path: str, text: str) -> None:
    """Replace a file by a text in one step; raise InputError if that cannot be done."""
    content = text.encode("utf-8", errors="backslashreplace")
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as stream:
                stream.write(content)
            return
        _replace(os.path.realpath(path), content)
    except OSError as error:
        raise mistake(path, f"cannot write this file: {error.strerror or error}") from None


def write_directory(texts: Mapping[str, str], directory: str, *, force: bool = False) -> None:
    """Write texts to files of these names, the directory made if need be. Raises InputError before any is replaced.

    Without `force` a file that is there already is such an error.
    """
    with writing_into(directory):
        os.makedirs(directory, exist_ok=True)
        present = {name for name in texts if os.path.lexists(os.path.join(directory, name))}
    existing = [name for name in texts if name in present]
    if existing and not force:
        more = f", and {len(existing) - 1} more of the files to be written" if len(existing) > 1 else ""
        first = os.path.join(directory, existing[0])
        raise mistake(first, f"this file is there already{more}", "--force replaces them")
    write_tree(texts, directory)


def write_tree(texts: Mapping[str, str], directory: str) -> tuple[str, ...]:
    """Write texts to files of these paths in a directory, each whole or not at all; return the paths.

    Raises InputError if that cannot be done.
    """
    for path, text in texts.items():
        target = os.path.join(directory, path)
        with writing_into(directory):
            os.makedirs(os.path.dirname(target), exist_ok=True)
        write_whole(target, text)
    return tuple(sorted(texts))


def _replace(path: str, content: bytes) -> None:
    mode = os.stat(path).st_mode & 0o7777 if os.path.exists(path) else 0o666 & ~_umask()
    descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=f".{os.path.basename(path)}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
