"""What the comments of a module say of the test that it was made from, so that it can be read back.

What goes in: a test, and the names of its threads' functions. What comes out: lines `; axmem: …` as `axmem.formats.ir`
reads them: name, places, questions and expectations, what globals hold that LLVM cannot say, and which values of the
functions are none of the test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from axmem.litmus.kernel_printer import declaration_text, launch_text
from axmem.litmus.lexer import encoded
from axmem.litmus.place_texts import place_texts
from axmem.litmus.printer import asked_lines
from axmem.litmus.spelling import type_name
from axmem.litmus.syntax import I32, AddressSpace, Kernel, LitmusTest
from axmem.litmus.values import value_text
from axmem.litmus.walk import locations

MARK = "; axmem: "
RESULTS = "results"
"""The argument that is a buffer of results."""


def comments(test: LitmusTest, functions: Sequence[str], temporaries: dict[str, str]) -> Iterator[str]:
    """Yield the lines at the head of a module; `temporaries` is what names of values begin with that are none."""
    yield f"{MARK}litmus {test.name}"
    if test.description:
        yield f"{MARK}{encoded(test.description)}"
    places = place_texts(test)
    for thread, function in zip(test.threads, functions, strict=True):
        yield f"{MARK}thread {thread.name} = @{function}({RESULTS}){places[thread.name]}"
    for kernel in test.kernels:
        yield f"{MARK}{_kernel(kernel)}{places[kernel.name]}{'' if kernel.lane_of_thread else launch_text(kernel)}"
    for function, prefix in temporaries.items():
        yield f"{MARK}temporary @{function}:%{prefix}"
    for location in locations(test):
        if location.space is AddressSpace.GLOBAL and location.initial is None:
            yield f"{MARK}init @{location.name}"
        elif location.space is AddressSpace.LDS and location.initial is not None:
            yield f"{MARK}init @{location.name} = {value_text(location.initial, location.type or I32)}"
    yield from (f"{MARK}{declaration_text(function)}" for function in test.functions)
    yield from (f"{MARK}{line}" for line in asked_lines(test))


def _kernel(kernel: Kernel) -> str:
    if kernel.lane_of_thread:
        return f"thread {kernel.name} = @{kernel.name}"
    shown = []
    for parameter in kernel.parameters:
        values = ", ".join(value_text(value, parameter.type) for value in parameter.values)
        shown.append(f"in {{{values}}}" if parameter.choice else values)
    return f"kernel {kernel.name} = @{kernel.name}({', '.join(shown)})"


def part(name: str, array: str, at: int, test: LitmusTest) -> str:
    """Return the line that says which bytes of an array of LDS are a location."""
    type_ = next(location.type or I32 for location in test.locations if location.name == name)
    return f"{MARK}part {name} = {type_name(type_)} @{array} + {at}"
