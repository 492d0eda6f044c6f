"""Named barriers against a machine that counts arrivals in every order in which waves can execute.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from collections import Counter
from random import Random

from axmem.encoder.solve import solve
from axmem.events.unroll import event_graph
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from tests.drawn import examples
from tests.events.kernels import MODELS

WAVES = 3
TRIED = examples(320)
Step = tuple[str, bool]
"""The barrier at which a wave signals, and whether it waits for the phase then."""


def drawn(random: Random) -> tuple[list[list[Step]], dict[str, int]]:
    """Return what each wave does, and how many signals each barrier expects."""
    waves = [[(random.choice("ab"), random.random() < 0.6) for _ in range(random.randint(1, 4))] for _ in range(WAVES)]
    users = {name: sum(any(n == name for n, _ in steps) for steps in waves) for name in "ab"}
    return waves, {name: max(1, count - (random.random() < 0.1)) for name, count in users.items()}


def text(waves: list[list[Step]], expected: dict[str, int]) -> str:
    lines = [f"litmus t\nkernel K() wavefronts {WAVES}, lanes 1 {{", "lds barrier a, b"]
    lines += [f"s.barrier.init {name}, {count}" for name, count in expected.items()]
    lines.append("s.barrier")
    for wave, steps in enumerate(waves):
        lines.append(f"if wave.id == {wave} {{")
        for name, waits in steps:
            signal = f"s.barrier.signal.var {name}, 0"
            lines += [f"s.barrier.join {name}", signal, "s.barrier.wait 1"] if waits else [signal]
        lines.append("}")
    return "\n".join([*lines, "}\n"])


def fails(waves: list[list[Step]], expected: dict[str, int]) -> bool:
    """Say whether in some order a signal is of another phase than its wave counts, or waves wait for ever."""
    begin = ((0,) * WAVES, (0,) * WAVES, (0,) * len(expected))
    seen, waiting = {begin}, [begin]
    while waiting:
        at, blocked, signals = waiting.pop()
        moved = False
        for wave, steps in enumerate(waves):
            where = list(at)
            if blocked[wave]:
                name, phase = steps[at[wave]][0], blocked[wave]
                if signals["ab".index(name)] // expected[name] < phase:
                    continue
                where[wave] += 1
                after = (tuple(where), _put(blocked, wave, 0), signals)
            elif at[wave] < len(steps):
                name, waits = steps[at[wave]]
                number = "ab".index(name)
                phase = signals[number] // expected[name] + 1
                if phase != Counter(n for n, _ in steps[: at[wave] + 1])[name]:
                    return True
                where[wave] += not waits
                after = (tuple(where), _put(blocked, wave, phase * waits), _put(signals, number, signals[number] + 1))
            else:
                continue
            moved = True
            if after not in seen:
                seen.add(after)
                waiting.append(after)
        if not moved and any(where < len(steps) for where, steps in zip(at, waves, strict=True)):
            return True
    return False


def _put(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    return (*values[:index], value, *values[index + 1 :])


def test_what_is_defined_is_what_counts_right_in_every_order() -> None:
    random, model = Random(5), MODELS["sc"]
    counts: Counter[object] = Counter()
    for _ in range(TRIED):
        waves, expected = drawn(random)
        try:
            undefined = solve(event_graph(parse(text(waves, expected))), model).undefined
        except InputError as error:
            assert "more waves may arrive" in str(error)
            counts["refused"] += 1
            continue
        assert bool(undefined) == fails(waves, expected), (waves, expected, undefined)
        counts[bool(undefined)] += 1
    assert min(counts[False], counts[True]) > TRIED // 25, counts
