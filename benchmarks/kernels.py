"""What kernels take: executions with loops and barriers, and analyses of control flow.

What goes in: nothing. What comes out: rows of a table, each with the CPU seconds of a whole question, reading the test
included, and the most that it may take. Graphs are random ones of fixed seeds, those of the tests.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from random import Random
from typing import TypeVar

from axmem.check.results import Result, outcomes
from axmem.convergence.cycles import llvm_hierarchy
from axmem.convergence.kernels import function_of
from axmem.convergence.keys import keys
from axmem.convergence.uniformity import uniformity
from axmem.encoder.solver import Session
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.bounded_check import HOLDS
from axmem.refinement.soundness import change_of, outcomes_sound
from axmem.transform.applying import apply_all
from axmem.transform.metadata import MetadataQuestion, loop_metadata
from tests.convergence.graphs import random_graph, random_path
from tests.convergence.programs import kernel_text, random_program

T = TypeVar("T")

RING = """\
litmus ring
kernel K() workgroups 2, wavefronts 2, lanes 4 {
  lds <8 x i32> t
  for i in 0..3 {
    store i * 10 + workitem.id, t[workitem.id]
    fence syncscope("workgroup") release
    s.barrier
    fence syncscope("workgroup") acquire
    v = load t[(workitem.id + 1) & 7]
    fence syncscope("workgroup") release
    s.barrier
    fence syncscope("workgroup") acquire
  }
}
exists (K.0.0.0:v=21)
"""

FLAG = """\
litmus flag
global x = 0, f = 0
kernel K() workgroups 2, lanes 8 {
  if workgroup.id == 0 {
    if lane.id == 0 {
      store 1, x
      store atomic 1, f release
    }
    ret void
  }
  r = 0
  while r == 0 {
    r = load atomic f acquire
  }
  v = load x
}
exists (all K.1:v=1)
"""

LOCK = """\
litmus lock
global l = 0, x = 0
kernel K() workgroups 3 {
  ok = false
  while ~ok {
    old, ok = cmpxchg l, 0, 1 acquire monotonic
  }
  v = load x
  store v + 1, x
  store atomic 0, l release
}
exists (x=3)
"""

LOOPS = 50
LOOP = """\
h{k}:
  x{k} = phi i64 [ 0, {before} ], [ y{k}, h{k} ]
  v{k} = load a[x{k}]
  w{k} = v{k} + 1
  store w{k}, a[x{k}]
  y{k} = x{k} + 1
  c{k} = y{k} < n
  br c{k}, h{k}, {after}, !llvm.loop !{k}
"""
"""A loop of several, one after the other, whose unrolling is asked for."""

TWO_ACCESSES = """\
litmus two
global <2 x i32> d = {0, 0}
global <2 x i32> f = {0, 0}
kernel K() {
entry:
  br h
h:
  i = phi i32 [ 0, entry ], [ j, h ]
  j = i + 1
  store j, d[i]
  store atomic j, f[i] release
  br j < 2, h, exit
exit:
  ret void
}
"""

RUNS = (("ring, 16 lanes, 3 rounds", RING, 1, 1.5), ("flag awaited by 8 lanes", FLAG, 1, 0.3),
        ("lock of 3 workgroups", LOCK, 6, 0.5))  # fmt: skip
"""Kernels, each with how many outcomes it has and the CPU seconds that it may take under one model."""


def _timed(function: Callable[[], T]) -> tuple[float, T]:
    """Return the CPU seconds a call takes, and what it returns."""
    start = time.process_time()
    value = function()
    return time.process_time() - start, value


def _loops() -> str:
    """Return a test of a kernel with fifty loops."""
    names = ["entry", *(f"h{k}" for k in range(LOOPS)), "end"]
    loops = "".join(LOOP.format(k=k, before=names[k], after=names[k + 2]) for k in range(LOOPS))
    ids = "".join(f'!{k} = distinct !{{!{k}, !{{!"llvm.loop.unroll.enable"}}}}\n' for k in range(LOOPS))
    head = "litmus loops\nglobal <8 x i32> a\nkernel K(i64 n = 2) {\n  br h0\n"
    return f"{head}{loops}end:\n  ret void\n}}\n{ids}"


def _judged(text: str, model: str, session: Session) -> Result:
    return outcomes(parse(text), model, session=session)


def _transformed(model: str) -> str:
    """Return what is known of data and flags written in two loops instead of one, which takes every context."""
    test = parse(TWO_ACCESSES)
    (kernel,) = test.kernels
    change = change_of(test, kernel, apply_all(kernel, "distribute(h, 1)"))
    return outcomes_sound(change, ModelChoice(model)).finding.status


def rows(session: Session) -> Iterable[list[str]]:
    """Yield a row for each question: what, the seconds it takes, those it may take."""
    for name, text, count, most in RUNS:
        for model in ("llvm", "amdgpu"):
            seconds, result = _timed(partial(_judged, text, model, session))
            if len(result.outcomes) != count or not result.complete:
                raise SystemExit(f"{name}: {len(result.outcomes)} outcomes, {count} expected")
            yield [f"{name}, {model}", f"{seconds:.2f}", f"{most}"]
    large = function_of(parse(kernel_text(random_program(Random(140), 400))).kernels[0])
    seconds, _ = _timed(lambda: uniformity(large, llvm_hierarchy(large.graph)))
    yield [f"uniformity of {len(large.blocks)} blocks", f"{seconds:.2f}", "0.2"]
    seconds, _ = _timed(lambda: loop_metadata(parse(_loops()).kernels[0], MetadataQuestion()))
    yield [f"loop metadata of {LOOPS} loops, O2", f"{seconds:.2f}", "0.5"]
    for model in ("llvm", "amdgpu"):
        seconds, status = _timed(partial(_transformed, model))
        if status != HOLDS:
            raise SystemExit(f"distribute(h, 1) under {model}: {status}")
        yield [f"transformation checked, 2 accesses, 2 iterations, contexts of 2, {model}", f"{seconds:.2f}", "30"]
    random = Random(2)
    graphs = [random_graph(random) for _ in range(1000)]
    paths = [[random_path(random, graph) for _ in range(3)] for graph in graphs]

    def everything() -> None:
        for graph, lanes in zip(graphs, paths, strict=True):
            headers = llvm_hierarchy(graph).all_headers()
            for path in lanes:
                keys(path, headers)

    seconds, _ = _timed(everything)
    yield ["hierarchies and keys of 1,000 graphs", f"{seconds:.2f}", "1"]
