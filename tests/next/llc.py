"""`python tests/next/llc.py LIBRARY [OPTIONS] [FILE]`: what llc does, by the LLVM in triton's library.

What goes in: IR in a file or on standard input, and options of llc. What comes out: assembly, or with `-stop-after` or
`-stop-before` machine code, on standard output. Options that the library has no place for are given to LLVM's own
command line; the optimization level is the library's.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from pathlib import Path

VERSION = "LLVM version 24.0.0git"
TRIPLE = "amdgcn-amd-amdhsa"


def main(arguments: list[str]) -> int:
    """Compile; return the exit code."""
    library, *options = arguments
    if "--version" in options:
        print(VERSION)
        return 0
    spec = importlib.util.spec_from_file_location("libtriton", library)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.llvm.init_targets()
    files = [option for option in options if not option.startswith("-")]
    text = Path(files[0]).read_text(encoding="utf-8") if files else sys.stdin.read()
    given = [option for option in options if option.startswith("-") and not option.startswith(OURS) and option != "-"]
    words = (ctypes.c_char_p * (len(given) + 1))(b"llc", *(option.encode() for option in given))
    ctypes.CDLL(library).LLVMParseCommandLineOptions(len(words), words, None)
    cpu, features = (",".join(_values(options, name)) for name in ("-mcpu=", "-mattr="))
    print(module.llvm.translate_to_asm(text, TRIPLE, cpu, features, [], False, False, False), end="")
    return 0


OURS = ("-mcpu=", "-mattr=", "-mtriple=", "-O", "-o")
"""Options that are arguments of the library's function, or not needed."""


def _values(options: list[str], name: str) -> list[str]:
    return [option.removeprefix(name) for option in options if option.startswith(name)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
