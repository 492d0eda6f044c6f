"""Where the threads of a test run: its waves, and which of them a thread or lane is in."""

from __future__ import annotations

from axmem.codegen.machine.program import Wave
from axmem.litmus.launch import lanes
from axmem.litmus.syntax import LitmusTest, Scope
from axmem.litmus.walk import statements


def waves_of(test: LitmusTest) -> tuple[tuple[Wave, ...], tuple[int, ...]]:
    """Return the waves, and for each thread, then for each lane of the kernels, its own.

    A test that does not speak of clusters has one per workgroup.
    """
    everywhere = [t.placement for t in test.threads]
    everywhere += [lane.placement for kernel in test.kernels for lane in lanes(kernel)]
    spoken = (
        any(
            getattr(getattr(s, "mode", None), "scope", None) is not None and s.mode.scope.level is Scope.CLUSTER  # type: ignore[union-attr]
            for body in (*(t.body for t in test.threads), *(k.body for k in test.kernels))
            for s in statements(body)
        )
        or len({p[Scope.CLUSTER] for p in everywhere}) > 1
    )
    numbers: dict[tuple[int | None, ...], int] = {}
    waves: list[Wave] = []
    wave_of = []
    for p in everywhere:
        key = p.instance(Scope.WAVEFRONT)
        if key not in numbers:
            numbers[key] = len(waves)
            cluster = p[Scope.CLUSTER if spoken else Scope.WORKGROUP]
            waves.append(Wave(p[Scope.AGENT] or 0, cluster or 0, p[Scope.WORKGROUP] or 0))
        wave_of.append(numbers[key])
    return tuple(waves), tuple(wave_of)
