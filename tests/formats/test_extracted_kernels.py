"""Kernels of a module as kernels of a test: their launch, and what their parameters are.

The trial: with the parameters of a kernel permuted, and its arguments with them, the outcomes stay.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

import axmem
from axmem.cli import main
from axmem.commands.pages.extraction import effect, text
from axmem.formats.ir.extraction import Extraction, extract
from axmem.formats.ir.slicing import SliceEffect
from axmem.front.source import InputError, Source
from axmem.litmus.kernels import Launch
from axmem.litmus.launch import counted_launch

MESSAGE = """
define amdgpu_kernel void @prod(ptr addrspace(1) %0, ptr addrspace(1) %1) {
  store i32 42, ptr addrspace(1) %0, align 4
  fence syncscope("agent") release
  store atomic i32 1, ptr addrspace(1) %1 syncscope("agent") monotonic, align 4
  ret void
}
define amdgpu_kernel void @cons(PARAMETERS) {
  br label %4
4:
  %5 = load atomic i32, ptr addrspace(1) FLAG syncscope("agent") monotonic, align 4
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %4, label %7
7:
  fence syncscope("agent") acquire
  %8 = load i32, ptr addrspace(1) DATA, align 4
  store i32 %8, ptr addrspace(1) OUT, align 4
  ret void
}
"""
ALONE = """
@lds = internal addrspace(3) global [4 x i32] poison
define amdgpu_kernel void @k(ptr addrspace(1) %0) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %0, i32 %t
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  MORE
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
"""


def message(order: tuple[str, ...] = ("flag", "data", "out")) -> str:
    """Return a message whose consumer has its parameters in this order."""
    found = MESSAGE.replace("PARAMETERS", ", ".join(f"ptr addrspace(1) %{n}" for n in range(3)))
    for number, name in enumerate(order):
        found = found.replace(name.upper(), f"%{number}")
    return found


def extracted(module: str, *functions: str) -> Extraction:
    found = extract(Source("m.ll", module), functions)
    assert axmem.parse(text(found, "m.ll"), "m.litmus") == found.test
    return found


@pytest.mark.parametrize("order", [*permutations(("flag", "data", "out"))])
def test_arguments_say_what_parameters_are_whatever_their_numbers(order: tuple[str, ...]) -> None:
    found = extracted(message(order), "prod(@data, @flag)", f"@cons({', '.join(f'@{name}' for name in order)})")
    assert effect(found) is SliceEffect.NONE
    result = axmem.outcomes(found.test, "amdgpu")
    assert [" ".join(state.split()) for state in result.states()] == ["cons.0.0.0:5=1 cons.0.0.0:8=42"]


def test_equal_numbers_of_two_kernels_are_two_locations() -> None:
    """Only what has a name in both is one."""
    names = {location.name for location in extracted(message()).test.locations}
    assert names == {"prod.arg0", "prod.arg1", "cons.arg1", "cons.arg2"}
    named = message().replace("%0", "%a").replace("%1", "%b").replace("%2", "%c")
    assert {location.name for location in extracted(named).test.locations} == {"a", "b", "c"}
    twice = extracted(message(), "prod", "prod")
    assert {location.name for location in twice.test.locations} == {"arg0", "arg1"}


def test_guesses_have_the_names_of_the_module() -> None:
    assert {(each.function, each.value) for each in extracted(message()).guessed} == {
        ("prod", "0"), ("prod", "1"), ("cons", "1"), ("cons", "2"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("more", "launch"),
    [
        ("", Launch(workgroups=2, lanes=2)),
        ("call void @llvm.amdgcn.s.barrier()", Launch(wavefronts=2, lanes=2)),
        ("store i32 1, ptr addrspace(3) @lds", Launch(wavefronts=2, lanes=2)),
        ("call void @llvm.amdgcn.s.barrier() %g = call i32 @llvm.amdgcn.workgroup.id.x()", Launch(2, 2)),
    ],
)
def test_a_kernel_stays_a_kernel(more: str, launch: Launch) -> None:
    """Its launch is guessed, and said to be; what it accesses by the numbers of its lanes has room for them."""
    found = extracted(ALONE.replace("MORE", more.replace(") %", ")\n  %")))
    (kernel,) = found.test.kernels
    assert (kernel.launch, found.launches) == (launch, (("k", launch),))
    assert effect(found) is SliceEffect.BOTH
    guess = f"; Launched by a guess: @k with {counted_launch(launch)}: can add and lose outcomes"
    assert guess in text(found, "m.ll")
    assert axmem.outcomes(found.test, "amdgpu").verdict == "always"


def test_a_launch_that_is_said_is_no_guess() -> None:
    found = extracted(ALONE.replace("MORE", ""), "k(@x) workgroups 3")
    assert found.test.kernels[0].launch == Launch(workgroups=3) and found.launches == ()
    commented = f"; axmem: kernel @k(@x) lanes 3\n{ALONE.replace('MORE', '')}"
    assert extracted(commented).test.kernels[0].launch == Launch(lanes=3)


def test_a_kernel_of_a_module_that_is_a_test_stays_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.ll"
    path.write_text("@x = global i32 0\ndefine amdgpu_kernel void @k() {\n  store i32 1, ptr @x\n  ret void\n}\n")
    assert main(["run", str(path), "--model", "amdgpu"]) == 0
    assert "k: 1 workgroup × 1 wave × 1 lane, one lane alone" in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("prod(@data)", "'@prod' takes 2 arguments, not 1"),
        ("prod(@data, @flag", "expected ',' or ')', found the end of the line"),
        ("prod(@data, @flag) lanes 1000", "a launch has at most 256 lanes"),
        ("prud(@data)", "m.ll defines no such function"),
        ("prod(@data, @flag) lane 2", "a place, or the end of the line"),
    ],
)
def test_what_is_wrong_with_a_function_is_said(function: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        extracted(message(), function)
    assert said in error.value.diagnostics[0].message


def test_where_nothing_is_shared_arguments_help() -> None:
    module = MESSAGE.partition("define amdgpu_kernel void @cons")[0].replace("amdgpu_kernel ", "")
    module += module.replace("@prod", "@other")
    module = module.replace("fence", ";").replace("store atomic", "store")
    module = module.replace(' syncscope("agent") monotonic', "")
    with pytest.raises(InputError) as error:
        extracted(module)
    assert "--function 'F(@x, @y)' says what the parameters" in error.value.diagnostics[0].hint
