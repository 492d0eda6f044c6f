"""Code objects, read through LLVM's tools: their code, and what they say of their kernels.

What goes in: a file, as bytes. What comes out: the text that llvm-objdump makes of it; and, as assembly, that text with
the kernels' descriptors and the metadata that their launches go by. Raises InputError where a tool is not found, or
fails.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

from axmem.front.files import MEGABYTES
from axmem.front.source import mistake

_ELF = b"\x7fELF"
_VERSIONS = (*(f"-{number}" for number in range(26, 17, -1)), "")
_DESCRIPTOR = re.compile(
    r"^([0-9a-f]{16}) <\S+\.kd>:\n(\.amdhsa_kernel .*?\n)(\.end_amdhsa_kernel)$", re.MULTILINE | re.DOTALL
)
_DUMPED = re.compile(r"^ ([0-9a-f]{4,16}) ((?:[0-9a-f]{8} ){1,4})", re.MULTILINE)
_RSRC2 = 52
"""Where in a descriptor stands how many registers the user's values take, in five bits behind the first."""
_METADATA = re.compile(r"AMDGPU Metadata: (---\n.*?^\.\.\.$)", re.MULTILINE | re.DOTALL)
_TARGET = re.compile(r"^amdhsa\.target: +'?([^'\s]+)'?$", re.MULTILINE)
SECONDS = 120


def is_object(content: bytes) -> bool:
    """Say whether this is a code object."""
    return content.startswith(_ELF)


def code_object(path: str) -> bytes:
    """Return what a file holds if it is a code object, else nothing."""
    try:
        with open(path, "rb") as file:
            return file.read(MEGABYTES * 2**20) if file.read(len(_ELF)) == _ELF and not file.seek(0) else b""
    except OSError:
        return b""


def flagged(name: str, content: bytes) -> str:
    """Return the processor that the flags of a code object are for, nothing of other files."""
    if not is_object(content):
        return ""
    tool = tool_of("llvm-readobj", "this is a code object", name, f"llvm-objdump -d -t -l {name} > k.s")
    found = re.search(r"EF_AMDGPU_MACH_AMDGCN_(GFX\w+)", run([tool, "--file-headers", "-"], content, name))
    return found[1].lower().replace("_", "-") if found else ""


def disassembled(name: str, content: bytes) -> tuple[str, str]:
    """Return what a disassembler prints of a code object, and its command."""
    command = f"llvm-objdump -d -t -l {name}"
    return _dumped(name, content, f"{command} > k.s", "-d", "-t", "-l"), command


def assembly(name: str, content: bytes) -> tuple[str, str]:
    """Return a code object as assembly that says what a compiler's file says, and the command that prints its first
    lines, the code: behind them stand the kernels' descriptors, and the metadata."""
    command = f"llvm-objdump -d -r {name}"
    tool = tool_of("llvm-readobj", "this is a code object", name, f"{command} > k.s")
    metadata = _METADATA.search(run([tool, "--notes", "-"], content, name))
    if metadata is None:
        raise mistake(name, "this code object says nothing of its kernels", "it is to be one of amdgcn-amd-amdhsa")
    code = _dumped(name, content, f"{command} > k.s", "-d", "-r")
    data = _dumped(name, content, f"{command} > k.s", "-D", "-s", "-j", ".rodata")
    target = _TARGET.search(metadata[1])
    rest = [*_descriptors(data), "\t.amdgpu_metadata", metadata[1], "\t.end_amdgpu_metadata", ""]
    rest = [f'\t.amdgcn_target "{target[1]}"', *rest] if target else rest
    return command, "\n".join([code, *rest])


def _descriptors(data: str) -> Iterator[str]:
    """Yield the descriptors of the kernels, each with the number of registers that the user's values take, which the
    disassembler leaves out."""
    dumped: dict[int, int] = {}
    for match in _DUMPED.finditer(data):
        for number, byte in enumerate(bytes.fromhex(match[2].replace(" ", ""))):
            dumped[int(match[1], 16) + number] = byte
    for match in _DESCRIPTOR.finditer(data):
        at = int(match[1], 16) + _RSRC2
        count = (dumped[at] | dumped[at + 1] << 8) >> 1 & 0x1F
        yield f"{match[2]}\t.amdhsa_user_sgpr_count {count}\n{match[3]}"


def _dumped(name: str, content: bytes, instead: str, *options: str) -> str:
    tool = tool_of("llvm-objdump", "this is a code object", name, instead)
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "k.o")
        with open(made, "wb") as file:
            file.write(content)
        return run([tool, *options, made], b"", name)


def tool_of(word: str, what: str, name: str, command: str) -> str:
    """Return a program of LLVM that is found. Raises InputError, with a command to use elsewhere, if there is none."""
    for version in _VERSIONS:
        if found := shutil.which(word + version):
            return found
    raise mistake(name, f"{what}, and there is no {word} here", f"'{command}' makes what is read")


def run(command: list[str], content: bytes, name: str) -> str:
    """Return what a tool prints of a file. Raises InputError if it fails."""
    try:
        done = subprocess.run(command, input=content, capture_output=True, check=False, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise mistake(name, f"'{command[0]}' cannot be run: {error}") from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").splitlines()
        said = next((line for line in lines if line.strip()), f"exit code {done.returncode}")
        raise mistake(name, f"'{os.path.basename(command[0])}' failed: {said}")
    return done.stdout.decode(errors="replace")
