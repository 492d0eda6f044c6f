"""A document as an editor has it, saved or not.

What goes in: its address, its text. What comes out: an `EditorDocument`, whose name is the path that messages and
includes know it by. Invariant: a model is read as models are read from files, with line feeds at the ends of lines.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from axmem.editor.tokens import languages
from axmem.front.records import dataclass
from axmem.front.source import Source
from axmem.model.library import path_of

LITMUS, CAT, RULE = "litmus", "cat", "rule"


@dataclass(frozen=True, slots=True)
class EditorDocument:
    """A text, and the path that it has, or would have; `kind` is the name of a language, empty for another's."""

    uri: str
    name: str
    kind: str
    text: str

    @property
    def source(self) -> Source:
        """The text with its name."""
        return Source(self.name, self.text)

    @property
    def models_beside(self) -> list[str]:
        """The paths of the models in the document's folder, sorted."""
        folder = os.path.dirname(self.name)
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        return [os.path.join(folder, name) for name in names if kind_of(name) == CAT]


def document(uri: str, text: str, root: str = "") -> EditorDocument:
    """Return the document at an address; one that is in no file is as if it were in the folder `root`."""
    name = path_of_uri(uri) or os.path.join(root or os.getcwd(), _bare(uri))
    kind = kind_of(name)
    return EditorDocument(uri, name, kind, re.sub(r"\r\n?", "\n", text) if kind == CAT else text)


def kind_of(name: str) -> str:
    """Return the language of a file by what its name ends with, empty for another's."""
    return next((each.name for each in languages().values() if name.endswith(each.suffix)), "")


def path_of_uri(uri: str) -> str:
    """Return the path of a `file:` address, empty for one of another kind."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return ""
    return os.path.realpath(url2pathname(parts.path))


def uri_of(source: Source, known: Callable[[str], str] = lambda _: "") -> str:
    """Return the address of the file that has a source's text, as `known` has it by its path; empty if none has."""
    path = path_of(source)
    if path is None:
        return ""
    return known(os.path.realpath(path)) or Path(os.path.realpath(path)).as_uri()


def _bare(uri: str) -> str:
    """Return a file name for the address of what is in no file: `untitled:Untitled-1` is `Untitled-1`."""
    return re.sub(r"[^\w.-]+", "-", unquote(uri.partition(":")[2])).strip("-") or "untitled"
