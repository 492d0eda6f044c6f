"""Settings of a project: `axmem.toml`, or `[tool.axmem]` in `pyproject.toml`, in the folder of work or above it.

What goes in: the folder, and the words of a command. What comes out: the words that the settings add in front of them.
Invariant: an option that the command line has is not added, and what a file says wrongly is an error at its place.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from axmem.front.files import content
from axmem.front.notes import remark
from axmem.front.options import Joined
from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean, mistake

OWN, SHARED_FILE, TABLE = "axmem.toml", "pyproject.toml", "tool.axmem"
OPTIONS = {"models": ("--model", "--models"), "target": ("--target",), "timeout": ("--timeout",)}
"""The options for which a setting stands."""
CLANG = "AXMEM_CLANG"
"""The variable of the environment that names a clang, perhaps with options: `clang-22 -O1 -DN=4`."""
_WANTED = {
    "models": "a list of names of models",
    "target": "the name of a processor",
    "timeout": "a number of seconds",
    "clang": "a command",
}
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


class Settings(NamedTuple):
    """What a file sets, each as the words of an option."""

    source: Source
    values: Mapping[str, tuple[str, ...]]


def settings() -> Settings | None:
    """Return the settings of the folder of work, or of the nearest one above it that has some.

    Raises InputError for what is wrong with them.
    """
    try:
        folder = os.getcwd()
    except OSError:  # It has been removed.
        return None
    while True:
        for name in (OWN, SHARED_FILE):
            path = os.path.join(folder, name)
            text = _text(path, shared=name == SHARED_FILE)
            if text is not None and (name == OWN or TABLE in text):
                source = Source(os.path.relpath(path), text)
                table = _table(source, shared=name == SHARED_FILE)
                if table is not None:
                    return Settings(source, {key: _value(source, key, value) for key, value in table.items()})
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def placed(error: InputError, found: Settings, words: Sequence[str]) -> InputError:
    """Return an error about an option that the settings give and the words of the command do not, at its setting."""
    named = {word.split("=")[0] for word in words}
    keys = {flag: key for key, flags in OPTIONS.items() for flag in flags if named.isdisjoint(flags)}
    moved = []
    for each in error.diagnostics:
        key = keys.get(each.source.name)
        moved.append(_at(found.source, key, each.message, each.hint) if key in found.values and key else each)
    return InputError(moved)


def choose_clang(found: Settings) -> None:
    """Have sources compiled by the clang of the settings, unless the environment names one."""
    if "clang" in found.values:
        os.environ.setdefault(CLANG, found.values["clang"][0])


def added(found: Settings, parser: argparse.ArgumentParser, words: Sequence[str]) -> Iterator[str]:
    """Yield what is added to the words of a command: models where it takes several, a target where it needs one."""
    named = {word.split("=")[0] for word in words}
    for key, flags in OPTIONS.items():
        action = parser._option_string_actions.get(flags[0])
        if key not in found.values or action is None or action.choices or not named.isdisjoint(flags):
            continue
        several = isinstance(action, argparse._AppendAction | Joined)
        if not {"models": several, "target": action.required, "timeout": True}[key]:
            continue
        remark(f"{found.source.name} sets {key}")
        for value in found.values[key]:
            yield flags[0]
            yield value


def _text(path: str, *, shared: bool) -> str | None:
    """Return the text of a file, or None if it is not there, or is a shared one that cannot be read."""
    if not os.path.lexists(path):
        return None
    try:
        return content(path).decode("utf-8")
    except (OSError, ValueError) as reason:
        if shared:
            return None
        why = "it is not UTF-8" if isinstance(reason, UnicodeDecodeError) else getattr(reason, "strerror", None)
        raise mistake(os.path.relpath(path), f"cannot read this file: {why or reason}") from None


def _table(source: Source, *, shared: bool) -> dict[str, Any] | None:
    """Return the table of a file, or None if a shared one has none."""
    import tomllib  # noqa: PLC0415 -- where there is a file

    try:
        whole = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as reason:
        if shared:  # It is not ours, and others say what is wrong with it.
            return None
        place = _PLACE.search(str(reason))
        span = Span(int(place[1]), int(place[2])) if place else Span(1, 1)
        message = f"this is no TOML: {_PLACE.sub('', str(reason)).strip().lower()}"
        raise InputError([Diagnostic(source, span, message)]) from None
    if not shared:
        return whole
    tools = whole.get("tool")
    found = tools.get("axmem") if isinstance(tools, dict) else None
    return found if isinstance(found, dict) else None


def _value(source: Source, key: str, value: object) -> tuple[str, ...]:
    """Return the words of a setting."""
    if key not in _WANTED:
        hint = did_you_mean(key, _WANTED) or f"settings are {', '.join(_WANTED)}"
        _refuse(source, key, f"there is no setting '{key}'", hint)
    if key == "models" and isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return tuple(value)
    if key == "timeout" and isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return (str(value),)
    if key in ("target", "clang") and isinstance(value, str) and value:
        return (value,)
    _refuse(source, key, f"'{key}' is to be {_WANTED[key]}", "")


def _refuse(source: Source, key: str, message: str, hint: str) -> NoReturn:
    raise InputError([_at(source, key, message, hint)])


def _at(source: Source, key: str, message: str, hint: str) -> Diagnostic:
    """Return what is wrong with a setting, at its key."""
    lines = source.text.split("\n")
    place = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]|\s*\[.*\b{re.escape(key)}\b")
    line = next((k for k, each in enumerate(lines, 1) if place.match(each)), 1)
    column = lines[line - 1].find(key) + 1
    return Diagnostic(source, Span(line, max(1, column), len(key)), message, hint)
