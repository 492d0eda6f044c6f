from __future__ import annotations

from random import Random

import pytest

from axmem.convergence.kernels import checked, function_of
from axmem.convergence.tokens import faults
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from tests.convergence.kernels import function, kernel_test
from tests.convergence.programs import kernel_text, token_program

ANCHOR = "call token @llvm.experimental.convergence.anchor()"
ENTRY = "call token @llvm.experimental.convergence.entry()"


def loop(token: str) -> str:
    return f'call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %{token}) ]'


def conv(token: str = "") -> str:
    return "call void @conv()" + (f' [ "convergencectrl"(token %{token}) ]' if token else "")


ACCEPTED = {
    "a loop with its heart in the header": f"""\
entry:
  %e = {ENTRY}
  br label %h
h:
  %l = {loop("e")}
  {conv("l")}
  %c = icmp eq i32 %n, 0
  br i1 %c, label %h, label %x
x:
  {conv("e")}
  ret void""",
    "a heart in the header of the outermost of two cycles": f"""\
entry:
  %a = {ANCHOR}
  br label %h
h:
  %l = {loop("a")}
  br label %g
g:
  %k = {loop("l")}
  %c = icmp eq i32 %n, 0
  switch i32 %n, label %g [ i32 0, label %h i32 1, label %x ]
x:
  ret void""",
    "a bundle on a call that is not convergent": f"""\
entry:
  %a = {ANCHOR}
  call void @plain() [ "convergencectrl"(token %a) ]
  ret void""",
    "no token at all": f"entry:\n  {conv()}\n  ret void",
}
REFUSED = {
    "Entry intrinsic can occur only in the entry block.": f"entry:\n  br label %b\nb:\n  %e = {ENTRY}\n  ret void",
    "Entry intrinsic cannot be preceded by a convergent operation in the same basic block.": (
        f"entry:\n  %a = {ANCHOR}\n  %e = {ENTRY}\n  ret void"
    ),
    "Loop intrinsic cannot be preceded by a convergent operation in the same basic block.": (
        f"entry:\n  %a = {ANCHOR}\n  %l = {loop('a')}\n  ret void"
    ),
    "Entry or anchor intrinsic cannot have a convergencectrl token operand.": (
        f'entry:\n  %a = {ANCHOR}\n  br label %b\nb:\n  %e = {ANCHOR} [ "convergencectrl"(token %a) ]\n  ret void'
    ),
    "Loop intrinsic must have a convergencectrl token operand.": (
        "entry:\n  %l = call token @llvm.experimental.convergence.loop()\n  ret void"
    ),
    "Cannot mix controlled and uncontrolled convergence in the same function.": (
        f"entry:\n  %a = {ANCHOR}\n  call void @llvm.amdgcn.s.barrier()\n  ret void"
    ),
    # The use of a ends the region of b, which is used after it.
    "Convergence region is not well-nested.": (
        f"entry:\n  %a = {ANCHOR}\n  %b = {ANCHOR}\n  {conv('a')}\n  {conv('b')}\n  ret void"
    ),
    "Convergence token used by an instruction other than llvm.experimental.convergence.loop in a cycle that does not "
    "contain the token's definition.": (
        f"entry:\n  %a = {ANCHOR}\n  br label %h\nh:\n  {conv('a')}\n  %c = icmp eq i32 %n, 0\n"
        "  br i1 %c, label %h, label %x\nx:\n  ret void"
    ),
    # The heart of the outermost cycle stands in the inner one's header.
    "Cycle heart must dominate all blocks in the cycle.": (
        f"entry:\n  %a = {ANCHOR}\n  br label %h\nh:\n  br label %g\ng:\n  %l = {loop('a')}\n"
        "  switch i32 %n, label %g [ i32 0, label %h i32 1, label %x ]\nx:\n  ret void"
    ),
}


@pytest.mark.parametrize("body", ACCEPTED.values(), ids=list(ACCEPTED))
def test_what_llvm_accepts(body: str) -> None:
    assert faults(function(body)) == []


@pytest.mark.parametrize(("message", "body"), REFUSED.items(), ids=list(REFUSED))
def test_what_llvm_refuses(message: str, body: str) -> None:
    assert [fault.message for fault in faults(function(body))][:1] == [message]


def test_an_entry_needs_a_convergent_function() -> None:
    of = function(f"entry:\n  %e = {ENTRY}\n  ret void")
    assert faults(of) == []
    assert [f.message for f in faults(of, convergent=False)] == [
        "Entry intrinsic can occur only in a convergent function."
    ]


def test_a_broken_rule_is_an_error_at_its_place() -> None:
    test = kernel_test(f"entry:\n  %a = {ANCHOR}\n  {conv()}\n  ret void")
    with pytest.raises(InputError) as caught:
        checked(test.kernels[0], test)
    (diagnostic,) = caught.value.diagnostics
    assert test.source.line(diagnostic.span.line).strip() == conv()
    assert "Cannot mix" in diagnostic.message


def test_a_kernel_s_tokens_are_those_that_it_was_written_with() -> None:
    random = Random(8)
    broken = 0
    for _ in range(60):
        program = token_program(random)
        (kernel,) = parse(kernel_text(program)).kernels
        found = faults(function_of(kernel))
        assert found == faults(program.function)
        broken += bool(found)
    assert 15 < broken < 55
