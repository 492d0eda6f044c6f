"""The record: for each target and kernel the LLVM IR and the assembly that clang 22 makes of it at O2.

What goes in: nothing. What comes out: `read()`, a mapping from (target, kernel) to both texts. `COMMAND` is how they
were made; each distinct line stands once in the file.
"""

from __future__ import annotations

import json
import lzma
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent
FILE = FOLDER / "recorded.json.xz"
TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1250")
KERNELS = tuple(sorted(path.stem for path in (FOLDER / "kernels").glob("*.cl")))
COMMAND = ("clang-22", "-x", "cl", "-cl-std=CL2.0", "-O2", "-target", "amdgcn-amd-amdhsa", "-nogpulib",
           "-Xclang", "-finclude-default-header", "-S")  # fmt: skip
Key = tuple[str, str]
Compiled = tuple[str, str]


def compiled(target: str, kernel: str) -> Compiled:
    """Return the LLVM IR, with the comments of the source, and the assembly."""
    source = f"{kernel}.cl"
    command = [*COMMAND, f"-mcpu={target}", "-o", "-", source]
    lines = (FOLDER / "kernels" / source).read_text(encoding="utf-8").splitlines()
    said = [f";{line.removeprefix('//')}" for line in lines if line.startswith("// axmem:")]
    return "\n".join([*said, _run([*command, "-emit-llvm"])]), _run(command)


def _run(command: list[str]) -> str:
    return subprocess.run(command, cwd=FOLDER / "kernels", capture_output=True, text=True, check=True).stdout


def make() -> dict[Key, Compiled]:
    """Compile every kernel for every target."""
    return {(target, kernel): compiled(target, kernel) for target in TARGETS for kernel in KERNELS}


def write(found: dict[Key, Compiled]) -> None:
    """Write the record."""
    lines: dict[str, int] = {}
    texts = {"|".join(key): [[lines.setdefault(line, len(lines)) for line in text.splitlines()] for text in both]
             for key, both in found.items()}  # fmt: skip
    document = json.dumps({"command": COMMAND, "lines": list(lines), "texts": texts}, separators=(",", ":"))
    FILE.write_bytes(lzma.compress(document.encode(), preset=9 | lzma.PRESET_EXTREME))


def read() -> dict[Key, Compiled]:
    """Return the record."""
    document = json.loads(lzma.decompress(FILE.read_bytes()))
    found: dict[Key, Compiled] = {}
    for key, both in document["texts"].items():
        target, kernel = key.split("|")
        ir, assembly = ("\n".join(document["lines"][number] for number in text) + "\n" for text in both)
        found[target, kernel] = ir, assembly
    return found


if __name__ == "__main__":
    write(make())
