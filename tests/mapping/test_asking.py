"""A test's own question, on the machine and under the model: what code relies on its target for.

That agent-scope relaxed accesses with waits between them pass a message on gfx942, and not without, follows from what
waits and caches are there; under the model nothing orders them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from axmem.cli import main
from axmem.codegen.targets import target
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.mapping.cases import MachineAnswer, machine_answer
from axmem.mapping.verification import Exploration, Verification, verify
from tests.formats.test_sources import with_clang

BUFFERING = """litmus t
global x = 0, y = 0
thread P0 @ agent 0, workgroup 0 {
  r = load atomic x monotonic
  store atomic 1, y monotonic
}
thread P1 @ agent 0, workgroup 1 {
  s = load atomic y monotonic
  store atomic 1, x monotonic
}
exists (P0:r=1 /\\ P1:s=1)
"""
RELIES = """#include <hip/hip_runtime.h>
// axmem: launch give<<<1, 1>>>(d, f); take<<<1, 1>>>(d, f, o)
// axmem: exists (f=1 /\\ o=1)
__global__ void give(int *data, int *flag) {
  __hip_atomic_store(data, 7, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
  __hip_atomic_store(flag, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__global__ void take(int *data, int *flag, int *out) {
  if (__hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
    __builtin_amdgcn_s_waitcnt(0x0f70);
    out[0] = 1 + __hip_atomic_load(data, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
}
"""


def verified(text: str, limit: int = 2_000_000) -> Verification:
    return verify(parse(text, "t.litmus"), target("gfx942"), exploration=Exploration(limit=limit))


def answered(text: str, limit: int = 2_000_000) -> MachineAnswer:
    return machine_answer(verified(text, limit))


def test_the_machine_may_know_what_the_model_leaves_open() -> None:
    """Releases wait for loads before them, which the model does not order; relaxed stores do not wait."""
    relaxed = answered(BUFFERING)
    assert relaxed.question == "exists (P0:r=1 /\\ P1:s=1)"
    assert (relaxed.machine, relaxed.model) == ("sometimes", "sometimes")
    ordered = answered(BUFFERING.replace("1, y monotonic", "1, y release").replace("1, x monotonic", "1, x release"))
    assert (ordered.machine, ordered.model, ordered.relied) == ("never", "sometimes", True)


def test_an_outcome_that_the_machine_has_is_shown() -> None:
    made = answered(BUFFERING.replace("P0:r=1 /\\ P1:s=1", "P0:r=0 /\\ P1:s=1"))
    assert (made.machine, made.model, made.relied) == ("sometimes", "sometimes", False)
    assert made.shown is not None and made.shown.state == "P0:r=0  P1:s=1"


def test_what_may_not_be_all_is_not_never() -> None:
    """Of fewer states than there are it is not known what they lack."""
    some = answered(BUFFERING.replace("P0:r=1 /\\ P1:s=1", "P0:r=7"), limit=3)
    assert some.machine == "unknown" and not some.relied
    whole = answered(BUFFERING.replace("P0:r=1 /\\ P1:s=1", "P0:r=7"))
    assert (whole.machine, whole.model, whole.relied) == ("never", "never", False)
    every = answered(BUFFERING.replace("exists (P0:r=1 /\\ P1:s=1)", "forall (P0:r=0 \\/ P0:r=1)"))
    assert (every.machine, every.model) == ("always", "always")


def test_what_asks_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="t asks nothing"):
        answered(BUFFERING.replace("exists (P0:r=1 /\\ P1:s=1)\n", ""))


@with_clang
@pytest.mark.parametrize(("without", "machine"), [("", "never"), ("asm", "sometimes"), ("__builtin", "never")])
def test_relaxed_accesses_that_wait_rely_on_the_target(
    without: str, machine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = [line for line in RELIES.splitlines() if not (without and line.strip().startswith(without))]
    (tmp_path / "k.hip").write_text("\n".join(kept) + "\n")
    asked = ["verify", str(tmp_path / "k.hip"), "--target", "gfx942", "--asks"]
    assert main(asked) == 0
    out, err = capsys.readouterr()
    assert f"asks: exists (f=1 /\\ o=1): {machine} on gfx942, sometimes under amdgpu" in out and not err
    assert ("relies on gfx942" in out) == (machine == "never")
    assert ("an execution with f=1  o=1" in out) == (machine == "sometimes")
    assert main([*asked, "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["verifications"]
    assert found["asks"]["machine"] == machine and found["asks"]["relied"] == (machine == "never")
