"""A picture as PNG or PDF: its SVG, drawn by a program that is found on the machine.

What goes in: an SVG document of ours. What comes out: the bytes of a file. The programs are librsvg's `rsvg-convert`
and Chromium, the first that is found; both know all of SVG that our pictures use, which CairoSVG does not
(`paint-order`). A picture is drawn on a light ground. Raises InputError, which says what to install, if there is no
such program.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from axmem.front.source import InputError, mistake

SCALE = 2
"""Pixels of a PNG to a pixel of the picture, so that it is sharp on paper and on dense screens."""
SECONDS = 120
"""More than any picture takes: a program that hangs is ended."""
HINT = "install rsvg-convert (Debian: librsvg2-bin) or Chromium, or write SVG"


def converted(svg: str, form: str) -> bytes:
    """Return an SVG document as `png` or `pdf`."""
    names = [name for name in PROGRAMS if shutil.which(name) is not None]
    if not names:
        raise mistake("--format", f"no program that makes {form.upper()} of SVG is found", HINT, text=form)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / f"picture.{form}"
        failed = _run(PROGRAMS[names[0]](names[0], svg, made), names[0], form)
        if failed is not None or not made.is_file():
            raise failed or _failure(names[0], form, "it wrote no file")
        return made.read_bytes()


def _run(command: list[str], name: str, form: str) -> InputError | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return _failure(name, form, str(error))
    said = next((line for line in done.stderr.splitlines() if line.strip()), f"exit code {done.returncode}")
    return _failure(name, form, said) if done.returncode else None


def _failure(name: str, form: str, said: str) -> InputError:
    return mistake("--format", f"'{name}' failed: {said}", "write SVG, and convert it by another program", text=form)


def _librsvg(name: str, svg: str, made: Path) -> list[str]:
    """Return the command of librsvg."""
    source = made.with_suffix(".svg")
    source.write_text(svg, encoding="utf-8")
    form = made.suffix[1:]
    return [name, f"--format={form}", *([f"--zoom={SCALE}"] if form == "png" else []), f"--output={made}", str(source)]


def _chromium(name: str, svg: str, made: Path) -> list[str]:
    """Return the command of a Chromium, which opens a page with the picture alone."""
    size = re.search(r'width="(\d+)" height="(\d+)"', svg)
    assert size is not None, "our pictures say how large they are"
    width, height = size.groups()
    page = made.with_suffix(".html")
    # What stands beyond the sheet by a fraction of a pixel would make another one.
    style = f"@page {{ size: {width}px {int(height) + 1}px; margin: 0 }} body {{ margin: 0 }} svg {{ display: block }}"
    page.write_text(f"<!doctype html><meta charset=utf-8><style>{style}</style>{svg}", encoding="utf-8")
    shown = {
        "png": [f"--screenshot={made}", f"--window-size={width},{height}", f"--force-device-scale-factor={SCALE}"],
        "pdf": [f"--print-to-pdf={made}", "--no-pdf-header-footer"],
    }
    # The page is ours and every text in it is escaped; where the user is root there is no sandbox.
    rooted = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    quiet = ["--headless", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={made.parent / 'profile'}", *rooted]
    return [name, *quiet, *shown[made.suffix[1:]], page.as_uri()]


PROGRAMS: dict[str, Callable[[str, str, Path], list[str]]] = {
    "rsvg-convert": _librsvg, "chromium": _chromium, "chromium-browser": _chromium, "google-chrome": _chromium,
}  # fmt: skip
"""The programs by their names, the best first, and what makes the command of each."""
