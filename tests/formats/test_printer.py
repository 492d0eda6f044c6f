"""The printer of LLVM IR: what is printed is read as the same tree, and by LLVM as the same module.

`make test` takes some of the modules, `make test-long` all.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from axmem.formats.ir.printer import defined, instruction, lines, local, module
from axmem.formats.ir.renaming import renamed, with_values
from axmem.formats.ir.syntax import Module
from axmem.formats.ir.whole import WholeParser
from axmem.front.source import Source
from axmem.litmus.syntax import Number
from tests.drawn import some
from tests.paths import ROOT

OPT = shutil.which("opt-22")
MODULES = sorted((ROOT / "tests" / "ir").glob("*.ll"))
WRITTEN = """\
%pair = type { i32, ptr }

@x = internal addrspace(1) global i32 0, align 4
@s = constant [3 x i8] c"a\\22\\00", align 1
@"y z" = external global ptr

define { i32, i1 } @f(ptr addrspace(1) noalias %p, <2 x float> %q, i1 %c) #0 {
entry:
  %a = load atomic volatile i32, ptr addrspace(1) %p syncscope("agent") acquire, align 4, !mmra !0
  %b = cmpxchg weak ptr addrspace(1) %p, i32 0, i32 -1 seq_cst monotonic, align 4
  %d = extractvalue { i32, i1 } %b, 0
  %e = getelementptr inbounds nuw i8, ptr addrspace(1) %p, i64 4
  store i32 %d, ptr addrspace(1) %e, align 4
  %g = atomicrmw add ptr getelementptr inbounds nuw (i8, ptr @"y z", i64 8), i32 1 monotonic, align 4
  fence syncscope("agent-one-as") release
  %h = icmp samesign ult i32 %g, 7
  %i = fadd nnan contract <2 x float> %q, splat (float 1.500000e+00)
  %j = fmul double 0x7FF0000000000000, 0x3FD5555555555555
  %k = select i1 %c, i32 %a, i32 %d
  %l = addrspacecast ptr addrspace(1) %p to ptr
  %m = tail call noundef i32 (ptr, ...) @printf(ptr nonnull dereferenceable(4) %l, i32 %k) #1
  %n = call i32 asm sideeffect "v_mov_b32 $0, $1", "=v,v"(i32 %m)
  %o = shufflevector <2 x float> %i, <2 x float> poison, <2 x i32> zeroinitializer
  %"a b" = insertvalue %pair { i32 1, ptr null }, ptr %l, 1
  %t = or disjoint i32 %n, 1
  switch i32 %t, label %end [
    i32 0, label %loop
    i32 1, label %end
  ]

loop:
  %r = phi i32 [ 0, %entry ], [ %u, %loop ]
  %u = add nuw nsw i32 %r, 1
  %v = icmp eq i32 %u, 2
  br i1 %v, label %end, label %loop

end:
  invoke void @g() [ "deopt"(i32 %t) ]
          to label %ok unwind label %pad

ok:
  ret { i32, i1 } zeroinitializer

pad:
  %w = landingpad { ptr, i32 } catch ptr null
  resume { ptr, i32 } %w
}

declare i32 @printf(ptr captures(none), ...)

declare void @g()

attributes #0 = { convergent nounwind }
attributes #1 = { nounwind }

!0 = !{!"sync", !"a"}
"""


def tree(text: str) -> Module:
    parser = WholeParser(Source("m.ll", text))
    found = parser.module()
    assert not parser.diagnostics, [each.message for each in parser.diagnostics]
    return found


def words(text: str) -> list[str]:
    """Return the lines of a module without comments and what tells nothing, each as its words."""
    kept = (re.sub(r"\s*;[^\"]*$", "", line) for line in text.split("\n") if not line.startswith("source_filename"))
    return sorted(" ".join(re.findall(r"[\w.$%@#!\"-]+|\S", line)) for line in kept)


@pytest.mark.parametrize("path", some(MODULES, of=4), ids=lambda path: path.stem)
def test_what_is_printed_is_read_as_the_same_tree(path: Path) -> None:
    found = tree(path.read_text("utf-8"))
    again = tree(module(found))
    assert again.functions == found.functions and again.globals == found.globals and again.groups == found.groups
    assert module(again) == module(found)


def test_a_module_is_printed_as_it_is_written() -> None:
    """But for blank lines: operands, flags, constants, attributes, bundles, and what is not understood."""
    blank = WRITTEN.replace("\n\n", "\n")
    assert words(module(tree(WRITTEN)).replace("\n\n", "\n")) == words(blank)


@pytest.mark.skipif(OPT is None, reason="there is no opt-22")
@pytest.mark.parametrize("path", some(MODULES, of=8), ids=lambda path: path.stem)
def test_llvm_reads_what_is_printed_as_the_module_that_it_was(path: Path) -> None:
    text = path.read_text("utf-8")
    one, other = (by_llvm(each) for each in (text, module(tree(text))))
    assert words(one) == words(other)


def by_llvm(text: str) -> str:
    """Return a module as LLVM prints it, without the numbers of groups and nodes, which do not matter."""
    assert OPT is not None
    found = subprocess.run([OPT, "-S"], input=text, capture_output=True, text=True, check=True).stdout
    return re.sub(r"([#!])\d+", r"\1", found)


@pytest.mark.skipif(OPT is None, reason="there is no opt-22")
def test_llvm_reads_every_construct() -> None:
    text = WRITTEN.replace("#0 {", "#0 personality ptr @g {")
    assert words(by_llvm(text)) == words(by_llvm(module(tree(text))))


def test_names_are_written_as_the_caller_wants_them() -> None:
    found = tree(WRITTEN).functions["f"]
    results = (each.result for block in found.blocks for each in block.instructions if each.result)
    numbers = {name: f"v{k}" for k, name in enumerate(results)}
    text = defined(found, lambda name: local(numbers.get(name, name)))
    assert text == defined(renamed(found, numbers)) != defined(found)
    (store,) = (each for each in found.blocks[0].instructions if each.operation == "store")
    assert instruction(with_values(store, {"d": Number(5)})) == "store i32 5, ptr addrspace(1) %e, align 4"
    assert instruction(store, lambda name: f"({name})") == "store i32 (d), ptr addrspace(1) (e), align 4"


def test_a_first_block_without_a_name_has_no_label() -> None:
    found = tree("define void @f() {\n  br label %1\n\n1:\n  ret void\n}\n").functions["f"]
    assert [*lines(found)] == ["  br label %1", "1:", "  ret void"]
