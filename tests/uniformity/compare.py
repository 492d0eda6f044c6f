"""Random kernels through `convert` and LLVM, and the same through our analyses.

What goes in: a seed. What comes out: what LLVM said, and a line for each difference. Invariant: LLVM reads nothing but
what `convert` makes of the text of a test.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from random import Random

from axmem.codegen.ir_module import module
from axmem.convergence.cycles import Hierarchy, llvm_hierarchy
from axmem.convergence.kernels import function_of
from axmem.convergence.loads import LoadClass, loads
from axmem.convergence.tokens import faults
from axmem.convergence.uniformity import uniformity
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest
from tests.convergence.llvm import Printed, analysed, refused, scalar_loads, selected_loads
from tests.convergence.loading import loading_text
from tests.convergence.programs import kernel_text, random_program, token_program

CHUNK = 60
"""Functions in a module: starting opt takes longer than its work."""


@dataclass(frozen=True, slots=True)
class Block:
    """So many random functions of at most so many blocks, from a seed."""

    seed: int
    count: int = CHUNK
    most: int = 9


def texts(block: Block) -> list[str]:
    """Return the tests of a block of seeds."""
    random = Random(block.seed)
    return [kernel_text(random_program(random, block.most), f"f{number}") for number in range(block.count)]


def token_texts(block: Block) -> list[str]:
    """Return the tests of operations with tokens."""
    random = Random(block.seed)
    return [kernel_text(token_program(random), f"f{number}") for number in range(block.count)]


def asked(tests: list[str]) -> list[Printed]:
    """Return what LLVM's analyses say of the kernels of some tests."""
    found = analysed(_together(tests))
    return [found[f"f{number}"] for number in range(len(tests))]


def loads_compared(block: Block) -> Counts:
    """Ask LLVM's annotation which loads may be scalar, and compare; `values` counts those."""
    return _loads_compared(texts(block), scalar_loads)


def annotation_compared(block: Block) -> Counts:
    """Ask LLVM's annotation of kernels with anything between their loads, and compare."""
    random = Random(block.seed)
    return _loads_compared([loading_text(random, anywhere=True) for _ in range(block.count)], scalar_loads)


def selection_compared(block: Block) -> Counts:
    """Ask llc-22 which loads it makes scalar, and compare; `values` counts those."""
    random = Random(block.seed)
    return _loads_compared([loading_text(random) for _ in range(block.count)], selected_loads)


def _loads_compared(tests: list[str], asked_of: Callable[[str], dict[str, set[str]]]) -> Counts:
    said = asked_of(_together(tests))
    different, total = [], 0
    for number, text in enumerate(tests):
        test = parse(text)
        own = {f.register for f in loads(test, test.kernels[0]) if f.selection is LoadClass.SCALAR}
        total += len(own)
        if own != said[f"f{number}"]:
            different.append(f"loads: {' '.join(sorted(own ^ said[f'f{number}']))}\n{text}")
    return Counts(len(tests), 0, total, tuple(different))


def _together(tests: list[str]) -> str:
    """Return the kernels of some tests as functions of one module."""
    parts = [module(parse(text), "llvm-22").text for text in tests]
    functions = [
        re.sub(r"@K\(", f"@f{number}(", re.findall(r"^define .*?^}$", part, re.MULTILINE | re.DOTALL)[0])
        for number, part in enumerate(parts)
    ]
    rest = re.sub(r"^define .*?^}$", "", parts[0], flags=re.MULTILINE | re.DOTALL)
    return "\n".join([rest, *functions])


def ours(test: LitmusTest) -> Printed:
    """Return what we say of a test's kernel, in the same form."""
    function = function_of(test.kernels[0])
    hierarchy = llvm_hierarchy(function.graph)
    found = uniformity(function, hierarchy)
    values = {function.blocks[place.block].instructions[place.number].register for place in found.values}
    return Printed(written(hierarchy), values - {""}, set(found.branches))


def written(hierarchy: Hierarchy) -> list[str]:
    """Return the cycles as lines, entries and blocks sorted, as `comparable` does with LLVM's."""
    return [
        comparable(f"{len(hierarchy.around[c.header][: hierarchy.around[c.header].index(c) + 1])} "
                   f"{' '.join(c.entries)} : {' '.join(c.blocks)}")
        for c in hierarchy.within()
    ]  # fmt: skip


def comparable(cycle: str) -> str:
    """Return the line of a cycle with its entries, the header aside, and its blocks sorted."""
    head, blocks = cycle.split(" : ")
    depth, header, *entries = head.split()
    return " ".join([depth, header, *sorted(entries), ":", *sorted(blocks.split())])


def difference(text: str, said: Printed) -> str:
    """Return in which way LLVM and we differ on a test, `""` if we agree."""
    found = ours(parse(text))
    parts = {
        "cycles": set(found.cycles) ^ {comparable(cycle) for cycle in said.cycles},
        "values": found.values ^ said.values,
        "branches": found.branches ^ said.branches,
    }
    shown = [f"{what}: {' '.join(sorted(items))}" for what, items in parts.items() if items]
    return "\n".join([*shown, text]) if shown else ""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a block of functions had: how many are irreducible, values divergent, exits divergent, and differ."""

    functions: int
    irreducible: int
    values: int
    differences: tuple[str, ...]


def compared(block: Block) -> Counts:
    """Ask LLVM about a block of functions, and compare."""
    tests = texts(block)
    said = asked(tests)
    found = tuple(filter(None, (difference(text, one) for text, one in zip(tests, said, strict=True))))
    irreducible = sum(any(len(cycle.split(" : ")[0].split()) > 2 for cycle in one.cycles) for one in said)
    return Counts(len(tests), irreducible, sum(len(one.values) for one in said), found)


def token_difference(text: str, said: str) -> str:
    """Return in which way LLVM's verifier and we differ on a test with tokens, `""` if we agree."""
    messages = [fault.message for fault in faults(function_of(parse(text).kernels[0]))]
    if bool(messages) == bool(said) and (not said or said in messages):
        return ""
    return "\n".join([f"LLVM: {said or 'accepted'}", f"here: {messages or 'accepted'}", text])


def verified(tests: list[str]) -> list[str]:
    """Return what LLVM's verifier says of tests, one after the other: it stops at the first broken function."""
    return [refused(_raw(text)) for text in tests]


def _raw(text: str) -> str:
    """Return the kernel of a test as LLVM IR without `convert`, which refuses what breaks the rules of tokens."""
    (body,) = re.findall(r"^kernel [^\n]*\n(.*?)^}$", text, re.MULTILINE | re.DOTALL)
    head = "define amdgpu_kernel void @K(i32 %a, i32 %b, ptr addrspace(1) %p) convergent {"
    return f"declare void @conv() convergent\ndeclare void @plain()\n{head}\n{body}}}\n"


def tokens_compared(block: Block) -> Counts:
    """Ask LLVM's verifier about a block of functions with tokens, and compare; `irreducible` counts those refused."""
    tests = token_texts(block)
    said = verified(tests)
    found = tuple(filter(None, (token_difference(text, one) for text, one in zip(tests, said, strict=True))))
    return Counts(len(tests), sum(map(bool, said)), 0, found)


def as_record(block: Block, tokens: Block) -> dict[str, object]:
    """Return what LLVM says of some functions, to be kept for where there is no LLVM."""
    tests, with_tokens = texts(block), token_texts(tokens)
    said = [{"cycles": p.cycles, "values": sorted(p.values), "branches": sorted(p.branches)} for p in asked(tests)]
    return {
        "llvm": "22.1.8",
        "block": asdict(block),
        "kernels": list(zip(tests, said, strict=True)),
        "tokens": list(zip(with_tokens, verified(with_tokens), strict=True)),
    }
