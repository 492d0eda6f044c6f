"""All negative controls of all commands, by their numbers: what processes are told is a number."""

from __future__ import annotations

from functools import cache
from random import Random

from tests.controls import Control, functions, kernels, machine, passes, programs, properties, rules

MODULES = (programs, functions, kernels, rules, properties, machine, passes)


@cache
def every() -> tuple[Control, ...]:
    """Return the controls of all modules."""
    return tuple(control for module in MODULES for control in module.controls())


def asked(number: int) -> str:
    """Return what is said of a control."""
    return every()[number].ask()


def sampled(count: int, seed: int) -> list[int]:
    """Return the numbers of so many controls of each command."""
    random = Random(seed)
    by_command: dict[str, list[int]] = {}
    for number, control in enumerate(every()):
        by_command.setdefault(control.command, []).append(number)
    return sorted(n for numbers in by_command.values() for n in random.sample(numbers, min(count, len(numbers))))
