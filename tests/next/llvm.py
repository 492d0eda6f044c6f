"""`python tests/next/llvm.py (llc|opt) LIBRARY [OPTIONS] [FILE]`: llc or opt, by the LLVM in triton's library.

What goes in: IR in a file or on standard input, and options of the program. What comes out, on standard output: of llc
assembly, or with `-stop-after` or `-stop-before` machine code; of opt IR. Options that the library has no place for are
given to LLVM's own command line; llc's optimization level is the library's. Of opt there are the default pipelines
alone, `-O1` to `-O3`: functions come out internal, and the module has a constant `keep` that holds their addresses.
"""

from __future__ import annotations

import ctypes
import importlib.util
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

VERSION = "LLVM version 24.0.0git"
TRIPLE = "amdgcn-amd-amdhsa"


def main(arguments: list[str]) -> int:
    """Compile or optimize; return the exit code."""
    program, library, *options = arguments
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
    words = (ctypes.c_char_p * (len(given) + 1))(program.encode(), *(option.encode() for option in given))
    ctypes.CDLL(library).LLVMParseCommandLineOptions(len(words), words, None)
    if program == "opt":
        print(_optimized(module, text, options), end="")
        return 0
    cpu, features = (",".join(_values(options, name)) for name in ("-mcpu=", "-mattr="))
    print(module.llvm.translate_to_asm(text, TRIPLE, cpu, features, [], False, False, False), end="")
    return 0


OURS = ("-mcpu=", "-mattr=", "-mtriple=", "-O", "-o", "-S")
"""Options that are arguments of the library's functions, or not needed."""


def _optimized(module: Any, text: str, options: list[str]) -> str:
    """Return IR after a default pipeline: the library links it to a module that names its functions."""
    (level,) = (option for option in options if option in ("-O1", "-O2", "-O3"))
    with tempfile.TemporaryDirectory() as folder:
        source, holder = Path(folder) / "source.ll", Path(folder) / "holder.mlir"
        source.write_text(text, encoding="utf-8")
        holder.write_text(_holder(re.findall(r"^define [^@]*@([\w.]+)\(", text, re.MULTILINE)), encoding="utf-8")
        context, dialects = module.llvm.context(), module.ir.context()
        module.ir.load_dialects(dialects)
        linked = module.llvm.to_module(module.ir.parse_mlir_module(str(holder), dialects), context)
        (cpu,) = _values(options, "-mcpu=") or [""]
        if any(triple == TRIPLE for triple in _values(options, "-mtriple=")):
            module.llvm.attach_datalayout(linked, TRIPLE, cpu, "")
        module.llvm.link_extern_libs(linked, [str(source)])
        module.llvm.optimize_module(linked, getattr(module.llvm, f"OPTIMIZE_{level[1:]}"))
        return str(linked)


def _holder(names: list[str]) -> str:
    """Return a module that declares functions and keeps their addresses."""
    kind = f"!llvm.array<{len(names)} x ptr>"
    lines = [f"llvm.func @{name}()" for name in names]
    lines += [f"llvm.mlir.global external constant @keep() : {kind} {{", f"%v0 = llvm.mlir.undef : {kind}"]
    for number, name in enumerate(names):
        lines.append(f"%a{number} = llvm.mlir.addressof @{name} : !llvm.ptr")
        lines.append(f"%v{number + 1} = llvm.insertvalue %a{number}, %v{number}[{number}] : {kind}")
    return "\n".join(["module {", *lines, f"llvm.return %v{len(names)} : {kind}", "}", "}"])


def _values(options: list[str], name: str) -> list[str]:
    return [option.removeprefix(name) for option in options if option.startswith(name)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
