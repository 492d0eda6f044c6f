"""Models that herd and Dartagnan publish load as they are, and say of the classical tests what is known of them.

They are looked for under the directory that AXMEM_PEER_MODELS names, with folders `herd` and `dartagnan`, each with the
models of that tool and what they include; a model that is not there is skipped by its name.

What is known: x86 is a total store order, which reorders a write and a later read alone. ARMv7 and Power reorder what
fences and dependencies do not order; Power's LWSYNC does not order a write before a later read, nor make writes reach
all threads at once (Sarkar et al., PLDI 2011; Alglave et al., TOPLAS 2014). RISC-V's writes reach all at once. C11 has
fences of seq_cst that do not make relaxed accesses sequentially consistent, RC11 has (Lahav et al., PLDI 2017), and
forbids load buffering. PTX: Lustig et al., ASPLOS 2019.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

import axmem
from axmem.encoder.engines import Engine
from axmem.front.source import InputError
from axmem.model.library import load
from tests.peers.classic import ACROSS, COHERENCE, FAMILIES, classic

WHERE = os.environ.get("AXMEM_PEER_MODELS", "")

MODES = {
    "relaxed": {},
    "release/acquire": {"write": "release", "read": "acquire"},
    "seq_cst": {"write": "seq_cst", "read": "seq_cst"},
    "fences": {"between": "fence seq_cst"},
    "light fences": {"between": "fence acq_rel"},
}

NONE = ""
EVERY = " ".join(ACROSS)
STORE_BUFFERS = "SB R"
NO_ORDER_TO_READS = "SB R 2+2W IRIW"
"""What release and acquire, or fences of them, do not forbid."""
REFUSED = None

X86 = {
    "relaxed": STORE_BUFFERS, "release/acquire": STORE_BUFFERS, "seq_cst": NONE, "fences": NONE,
    "light fences": STORE_BUFFERS,
}  # fmt: skip
SC = dict.fromkeys(MODES, NONE)
ARM = {"relaxed": EVERY, "release/acquire": REFUSED, "seq_cst": REFUSED, "fences": NONE, "light fences": NONE}
POWER = {**ARM, "light fences": "SB R IRIW"}
RISCV = {**X86, "relaxed": EVERY, "seq_cst": REFUSED}
RC11 = {
    "relaxed": EVERY.replace("LB ", ""), "release/acquire": NO_ORDER_TO_READS, "seq_cst": NONE, "fences": NONE,
    "light fences": NO_ORDER_TO_READS,
}  # fmt: skip
C11 = {**RC11, "relaxed": EVERY, "fences": "IRIW"}
SIMPLE = {
    # It has po and coherence in one acyclic relation, and its fences of seq_cst neither acquire nor release.
    "relaxed": "MP SB LB S R WRC ISA2 IRIW", "release/acquire": "SB R IRIW", "seq_cst": NONE,
    "fences": "MP SB LB S R WRC ISA2 IRIW", "light fences": "SB R IRIW",
}  # fmt: skip
PTX = {**C11, "seq_cst": REFUSED, "fences": NONE}
BPF = {**dict.fromkeys(MODES, REFUSED), "relaxed": EVERY, "release/acquire": NO_ORDER_TO_READS}

MODELS: dict[str, Mapping[str, str | None]] = {
    "herd/sc2": SC, "herd/sccat": SC,
    "herd/x86tso": X86, "herd/tso": X86,
    "herd/arm": ARM, "herd/ppc": POWER, "herd/riscv": RISCV,
    "herd/uniproccat": dict.fromkeys(MODES, EVERY),
    "herd/minimal": dict.fromkeys(MODES, " ".join(FAMILIES)),
    "herd/rc11": RC11, "herd/c11_partialSC": C11, "herd/c11_simp": C11, "herd/c11_orig": C11, "herd/simple-c11": SIMPLE,
    # As it stands its rule for seq_cst relates nothing: an intersection where a union is meant.
    "herd/opencl": {**C11, "seq_cst": NO_ORDER_TO_READS, "fences": NO_ORDER_TO_READS},
    "herd/bpf": BPF,
    "dartagnan/sc": SC, "dartagnan/tso": X86, "dartagnan/arm": ARM, "dartagnan/power": POWER, "dartagnan/riscv": RISCV,
    "dartagnan/rc11": RC11, "dartagnan/c11": C11, "dartagnan/c11-partialsc": C11, "dartagnan/bpf": BPF,
    "dartagnan/ptx-v6.0": PTX, "dartagnan/ptx-v7.5": PTX, "dartagnan/opencl": C11,
    # Vulkan has no order of seq_cst operations.
    "dartagnan/vulkan": {**C11, "seq_cst": NO_ORDER_TO_READS, "fences": NO_ORDER_TO_READS},
}  # fmt: skip
"""For each model and mode the families whose outcome it permits."""


OLDER = ("herd/bpf", "release/acquire")
"""What a model's earlier edition has no names for."""


def path_of(name: str) -> str:
    path = Path(WHERE) / f"{name}.cat"
    if not WHERE or not path.is_file():
        pytest.skip(f"{name}.cat is not under AXMEM_PEER_MODELS")
    return str(path)


@pytest.mark.parametrize("engine", [Engine.AUTO, Engine.ORACLE])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", MODELS)
def test_a_published_model_says_what_is_known(name: str, mode: str, engine: Engine) -> None:
    path = path_of(name)
    permitted = REFUSED if (name, mode) == OLDER and "AQ" not in Path(path).read_text() else MODELS[name][mode]
    if permitted is REFUSED:
        with pytest.raises(InputError, match="has no meaning for"):
            axmem.outcomes(classic("MP" if mode != "release/acquire" else "WRC", **MODES[mode]), path, engine=engine)
        return
    found = [family for family in FAMILIES if _permits(family, mode, path, engine)]
    assert " ".join(found) == permitted


def _permits(family: str, mode: str, path: str, engine: Engine) -> bool:
    if family == "IRIW":
        engine = Engine.AUTO  # Too many executions for brute force under models with orders of their own.
    found = axmem.outcomes(classic(family, **MODES[mode]), path, engine=engine)
    assert not found.incomplete and str(found.verdict) in ("never", "sometimes")
    return str(found.verdict) == "sometimes"


@pytest.mark.parametrize("name", MODELS)
def test_a_published_model_is_read_in_its_dialect(name: str) -> None:
    tradition = name.partition("/")[0]
    assert load(path_of(name)).dialect.partition("/")[0] == tradition


def test_coherence_families_are_not_forgotten() -> None:
    assert {*ACROSS, *COHERENCE} == set(FAMILIES)
