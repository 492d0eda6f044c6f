"""`python -m tests.next DIRECTORY`: make llc-24 and opt-24 of the wheel of triton 3.9 (300 MB to load, 500 on disk)."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

WHEEL = "triton==3.9.*"
LIBRARY = "triton/_C/libtriton.so"


def main(arguments: list[str]) -> int:
    """Download, unpack, and write the program; return the exit code."""
    target = Path(arguments[0]).resolve()
    target.mkdir(parents=True, exist_ok=True)
    library = target / LIBRARY
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=target) as folder:
            get = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            subprocess.run([*get, "--dest", folder, WHEEL], check=True)
            (wheel,) = Path(folder).glob("triton-*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extract(LIBRARY, target)
    code = Path(__file__).parent / "llvm.py"
    for name in ("opt", "llc"):
        program = target / f"{name}-24"
        command = f'exec "{sys.executable}" "{code}" {name} "{library}" "$@"'
        program.write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
        program.chmod(0o755)
        print(program)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
