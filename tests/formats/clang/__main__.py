"""`python -m tests.formats.clang`: record what clang 22 makes of the kernels beside this file.

Each `NAME.cl` or `NAME.c` becomes `NAME.O0.ll` and `NAME.O2.ll`: the command, the source's comments that say how it is
launched, and clang's module without what is long and says nothing here.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent
LANGUAGES = {".cl": ("-x", "cl", "-cl-std=CL2.0"), ".c": ("-x", "c", "-std=c17")}
LEVELS = ("O0", "O2")
LEFT_OUT = (
    r' "[a-z-]+"="[^"]*"| "amdgpu-[a-z-]+"',
    r" !kernel_arg_[a-z_]+ ![0-9]+",
    r"^(; Function|; Module|source_filename|target datalayout).*\n",
    r"^!(llvm.module.flags|opencl.ocl.version) = .*\n",
    r"^\n(?=\n)",
)
"""What is long in clang's modules and says nothing here."""


def command(source: Path, level: str) -> list[str]:
    """Return the command that compiles a kernel, in its directory, to the standard output."""
    words = ["clang-22", "-target", "amdgcn-amd-amdhsa", "-nogpulib", *LANGUAGES[source.suffix], f"-{level}"]
    return [*words, "-S", "-emit-llvm", "-fno-ident", "-fno-discard-value-names", "-o", "-", source.name]


def recorded(source: Path, level: str) -> str:
    """Return what is kept of a kernel's module."""
    words = command(source, level)
    made = subprocess.run(words, cwd=FOLDER, capture_output=True, encoding="utf-8", check=True).stdout
    for words_left_out in LEFT_OUT:
        made = re.sub(words_left_out, "", made, flags=re.MULTILINE)
    asked = [f";{line[2:]}" for line in source.read_text("utf-8").splitlines() if line.startswith("// axmem:")]
    return "\n".join([f"; {' '.join(words)}", *asked, made])


def main() -> None:
    """Record every kernel."""
    for source in sorted(p for p in FOLDER.iterdir() if p.suffix in LANGUAGES):
        for level in LEVELS:
            (FOLDER / f"{source.stem}.{level}.ll").write_text(recorded(source, level), encoding="utf-8")


if __name__ == "__main__":
    main()
