"""Every model of herd and Dartagnan about a machine or language that is read here loads from its own folder.

The checkouts, called `herdtools7` and `Dat3M`, are in the folder that AXMEM_PEERS names (`make peers PEERS=DIR` does);
one that is not there is skipped by its name. A model that loads judges the classical families, and each has
an execution: a name that stands for something else than its authors meant often leaves none. Of AArch64 herd's,
Dartagnan's and our model answer alike on our tests of the machine.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

import axmem
from axmem.front.source import InputError
from axmem.model.library import load
from tests.paths import ROOT
from tests.peers.classic import FAMILIES, classic

WHERE = os.environ.get("AXMEM_PEERS", "")
FOLDERS = {"herd": "herdtools7/herd/libdir", "dartagnan": "Dat3M/cat"}

HERD = (
    "sc sccat tso x86tso x86tso-mixed rc11 c11_orig c11_partialSC c11_simp simple-c11 riscv riscv-tso ppc arm "
    "simple-arm bpf uniproc uniproccat minimal minimalcat mini aarch64 aarch64/ArmARM-L.b/aarch64 "
    "aarch64/ArmARM-M.a/aarch64 aarch64/ArmARM-M.b/aarch64 aarch64/ArmARM-M.c/aarch64"
)
DARTAGNAN = (
    "aarch64 arm c11 c11-orig c11-partialsc opencl opencl-herd power ptx-v6.0 ptx-v7.5 rc11 riscv riscv-orig sc "
    "svcomp tso vmm vulkan vulkan-nochains"
)
LOADED = [f"herd/{name}" for name in HERD.split()] + [f"dartagnan/{name}" for name in DARTAGNAN.split()]
REFUSED = {
    "herd/mips": "mips", "herd/mips-tso": "mips", "herd/asl": "asl", "herd/aarch32": "aarch32",
    "dartagnan/imm": "imm", "dartagnan/linux-kernel": "linux",
}  # fmt: skip
"""Models of what is not read, and the word by which they are refused."""


def path_of(name: str) -> str:
    tradition, _, file = name.partition("/")
    path = Path(WHERE) / FOLDERS[tradition] / f"{file}.cat"
    if not WHERE or not path.is_file():
        pytest.skip(f"{FOLDERS[tradition]}/{file}.cat is not under AXMEM_PEERS")
    return str(path)


@pytest.mark.parametrize("name", LOADED)
def test_it_loads_and_every_test_has_an_execution(name: str) -> None:
    path = path_of(name)
    assert load(path).dialect.partition("/")[0] == name.partition("/")[0]
    for family in FAMILIES:
        assert axmem.outcomes(classic(family), path).consistent, family


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_by_architecture_in_one_line(name: str) -> None:
    path = path_of(name)
    with pytest.raises(InputError) as caught:
        load(path)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == f"models of {name.partition('/')[0]} about '{REFUSED[name]}' are not known"


@pytest.mark.parametrize("model", ["ec", "egc", "ev"])
@pytest.mark.parametrize("folder", ["mixed", "non-mixed"])
def test_what_needs_files_from_elsewhere_is_refused_in_one_line(folder: str, model: str) -> None:
    """They include a file that does not lie beside them, and with it define relations that we have no word for."""
    path = path_of(f"herd/arm-models/{folder}/{model}")
    with pytest.raises(InputError) as caught:
        load(path)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == 'cannot find the included file "aarch64hwreqs.cat"'


@cache
def ours(test: Path) -> axmem.Result:
    return axmem.outcomes(axmem.parse_file(test), "aarch64")


@pytest.mark.parametrize("name", ["herd/aarch64", "dartagnan/aarch64"])
def test_three_models_of_aarch64_answer_alike(name: str) -> None:
    path = path_of(name)
    tests = sorted((ROOT / "tests" / "formats" / "herd" / "aarch64").glob("*.litmus"))
    assert len(tests) > 50
    for test in tests:
        found = axmem.outcomes(axmem.parse_file(test), path)
        # Dartagnan's model takes a DSB for a DMB.
        if "dsb.st" not in test.name or name.startswith("herd"):
            assert found.outcomes == ours(test).outcomes, test.name
