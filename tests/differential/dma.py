"""Random programs with DMA operations.

What comes out: the text of a test of two or three threads over two locations of global memory and two of LDS, in places
and with a scope of DMA operations that are drawn, too.
"""

from __future__ import annotations

from random import Random

SCOPES = ("wavefront", "workgroup", "cluster", "agent", "")
PLACES = (
    ("workgroup 0, wavefront 0", "workgroup 0, wavefront 1", "workgroup 1, wavefront 0"),
    ("cluster 0, workgroup 0", "cluster 1, workgroup 0", "cluster 0, workgroup 1"),
    ("workgroup 0, wavefront 0, thread 0", "workgroup 0, wavefront 0, thread 1", "workgroup 0, wavefront 1"),
)


def dma_program(seed: int) -> str:
    """Return the test of this number."""
    rng = Random(seed)
    count = rng.choice((1, 2, 2, 2, 3))
    places = rng.choice(PLACES)
    lines = [f"litmus dma{seed}", f"dma {rng.choice(('wavefront', 'workgroup', 'cluster', 'cluster'))}"]
    lines += ["global x = 0, y = 1", "lds t, u", f"barrier b (P{count - 1})"]
    for thread in range(count):
        body = [_statement(rng, number, last=thread == count - 1) for number in range(rng.randint(2, 5))]
        if thread == count - 1:
            body.insert(rng.randint(0, len(body)), f"barrier b\n  fence {_scope(rng)} acquire")
        lines += [f"thread P{thread} @ {places[thread]} {{", *(f"  {line}" for line in body), "}"]
    return "\n".join([*lines, "exists (P0:q=0)", ""]).replace("{\n", "{\n  q = 0\n", 1)


def _scope(rng: Random) -> str:
    return f'syncscope("{rng.choice(SCOPES)}")'


def _statement(rng: Random, number: int, *, last: bool) -> str:
    memory, lds = rng.choice("xy"), rng.choice("tu")
    anywhere = rng.choice((memory, lds))
    value = rng.randint(2, 3)
    return rng.choice((
        f"store {value}, {anywhere}",
        f"r{number} = load {anywhere}",
        f"store-available {value}, {memory} {_scope(rng)}",
        f"r{number} = load-visible {memory} {_scope(rng)}",
        f"store atomic {value}, {memory} {_scope(rng)} {rng.choice(('release', 'monotonic'))}",
        f"r{number} = load atomic {memory} {_scope(rng)} {rng.choice(('acquire', 'monotonic'))}",
        f"make.{rng.choice(('available', 'visible'))} {_scope(rng)}",
        *[f"load.async.to.lds {memory}, {lds}\n  {rng.choice(('asyncmark', 'async.barrier.arrive b'))}"] * 2,
        *[f"store.async.from.lds {memory}, {lds} {_scope(rng)}\n  asyncmark"] * 2,
        f"wait.asyncmark {rng.choice((0, 0, 1))}",
        f"asyncmark\n  wait.asyncmark {rng.choice((0, 0, 1))}",
    ))  # fmt: skip
