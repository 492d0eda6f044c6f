"""The tests that come with axmem: the corpus and the examples, wherever it is installed.

What goes in: a name such as `corpus/amdgpu`. What comes out: the path of what has it. Invariant: a path is of a real
file or directory below the two, whatever the name says.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from axmem.front.source import did_you_mean, mistake

SHIPPED = ("corpus", "examples")
"""The directories that come with axmem."""


def find_shipped(name: str) -> str | None:
    """Return the path of a file or directory that comes with axmem, by its name: None where there is none."""
    parts = Path(name).parts
    if not parts or parts[0] not in SHIPPED or ".." in parts:
        return None
    path = _root().joinpath(*parts)
    return str(path) if path.exists() else None


def shipped(name: str) -> str:
    """Return the path of a file or directory that comes with axmem, such as `corpus/amdgpu`; raise InputError."""
    path = find_shipped(name)
    if path is None:
        raise mistake(name, "nothing that comes with axmem has this name", near_shipped(name))
    return path


def find_model(name: str) -> bool:
    """Say whether a word is the name of a model that comes with axmem, perhaps with variants in brackets."""
    from importlib import resources  # noqa: PLC0415 -- loads more than a small command needs

    stem = name.split("[")[0].split(",")[0]
    return stem.replace("-", "").isalnum() and Path(str(resources.files("axmem.model")), f"{stem}.cat").is_file()


def near_shipped(name: str, *, guess: bool = True) -> str:
    """Return the hint that names what comes with axmem and is called so, or begins so, or at a guess almost so."""
    files = shipped_files()
    folders = {str(parent) for file in files for parent in PurePosixPath(file).parents} - {"."}
    names = (*sorted(folders), *files)
    last = PurePosixPath(name).name.lower()
    same = [known for known in names if last in (PurePosixPath(known).name.lower(), PurePosixPath(known).stem.lower())]
    begun = [known for known in files if PurePosixPath(known).name.lower().startswith(f"{last}+")]
    for known in (*same, *begun):
        return f"did you mean '@{known}'?"
    if not guess:
        return ""
    return did_you_mean(f"@{name}", (f"@{known}" for known in names)) or "axmem examples lists what comes with axmem"


def shipped_files() -> dict[str, Path]:
    """Return all files that come with axmem by their names, sorted by name."""
    files = [path for name in SHIPPED for path in (_root() / name).rglob("*") if path.is_file()]
    return {path.relative_to(_root()).as_posix(): path for path in sorted(files)}


def _root() -> Path:
    from importlib import resources  # noqa: PLC0415 -- loads more than a small command needs

    return Path(str(resources.files("axmem.litmus")))
