"""`axmem verify` of what clang 22 made of OpenCL kernels: none is unsound that is right."""

from __future__ import annotations

import pytest

from axmem.formats.reading import parse
from axmem.mapping.findings import pages
from axmem.mapping.verification import CodeSource, Verification, verify
from tests.opencl.record import COMMAND, KERNELS, TARGETS, read

SCALAR = frozenset({"04-exchange", "06-lock"})
"""Kernels in which LLVM reads behind an update that acquires by a scalar load, on every target: a known fault."""
SAMPLE = tuple(KERNELS[k::5] for k in range(5))
"""For each target in `make test` other kernels; `python -m tests.opencl` asks all of them."""


def verified(target: str, kernel: str, both: tuple[str, str]) -> Verification:
    """Return what comes of a kernel's assembly."""
    ir, assembly = both
    return verify(parse(ir, f"{kernel}.ll"), target, code=CodeSource((f"{kernel}.{target}.s", assembly)))


def wrong(target: str, kernel: str, both: tuple[str, str]) -> str:
    """Return what is not as it has to be: sound, or unsound by the page that explains it."""
    found = verified(target, kernel, both)
    expected = ("unsound", ("docs/findings/fixed/stale-scalar-load.md",)) if kernel in SCALAR else ("sound", ())
    said = (found.verdict, pages(found) if found.verdict == "unsound" else ())
    return "" if said == expected else f"{target} {kernel}: {said}, not {expected}"


@pytest.mark.parametrize(("target", "kernels"), list(zip(TARGETS, SAMPLE, strict=True)))
def test_the_code_of_clang_is_judged_as_it_should_be(target: str, kernels: tuple[str, ...]) -> None:
    record = read()
    assert not [said for kernel in kernels if (said := wrong(target, kernel, record[target, kernel]))]


def test_the_record_has_every_kernel_on_every_target() -> None:
    assert set(read()) == {(target, kernel) for target in TARGETS for kernel in KERNELS}
    assert len(KERNELS) == 20 and "-O2" in COMMAND
