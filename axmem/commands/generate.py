"""`axmem generate`: litmus tests from cycles of relaxations."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from axmem.front.exits import OK
from axmem.front.options import Subparsers, add_command
from axmem.front.output import counted
from axmem.front.source import Diagnostic, InputError, Source, Span, mistake

if TYPE_CHECKING:
    from axmem.generate import Cycle, CycleEdge, Decorations, Generated, Placing

T = TypeVar("T")

DESCRIPTION = """\
Make litmus tests from cycles: of one cycle, of a classical family, or of every cycle of some edges up to a size. The
condition of a test holds of the executions that contain its cycle. One test is printed; several are listed, or written
to the directory that -o names, with the list @all. docs/generate.md says what edges and decorations there are.
"""
EXAMPLES = (
    "axmem generate 'Rel.ag Rfe Acq.ag PodRR P Fre P PodWW'",
    "axmem generate --family MP,SB --orderings Mono,Acq,Rel,Sc -o tests",
    "axmem generate --size 4 --edges 'Rfe,Fre,Wse,Pod**,Fence.sc.d**' --places all -o others",
)
DEFAULT_EDGES = "Rfe,Fre,Wse,Pod**"


def add_parser(subparsers: Subparsers) -> None:
    """Add the command to the command line."""
    parser = add_command(
        subparsers,
        main,
        name="generate",
        examples=EXAMPLES,
        description=DESCRIPTION,
        epilog="",
    )
    parser.add_argument("cycle", metavar="CYCLE", nargs="*", help="edges, with the decorations of events between them")
    parser.add_argument("--family", metavar="LIST", help="classical families: MP,SB,… or all")
    parser.add_argument("--size", metavar="N", help="every cycle of up to N edges")
    parser.add_argument("--edges", metavar="LIST", help=f"the edges for --size, with * (default: {DEFAULT_EDGES})")
    parser.add_argument("--accesses", metavar="D", default="Mono", help="undecorated accesses are D (default: Mono)")
    parser.add_argument(
        "--orderings",
        metavar="LIST",
        default="",
        help="the orderings that synchronizing accesses take, in every combination",
    )
    parser.add_argument(
        "--scopes",
        metavar="LIST",
        default="",
        help="the scopes that synchronizing accesses and fences take, in every combination: st,…,ag,sy",
    )
    parser.add_argument(
        "--places",
        "--place",
        metavar="P",
        action="append",
        default=[],
        help="AGENT.WORKGROUP.WAVEFRONT of each thread, such as 0.0.0,0.1.0, or all; may be repeated",
    )
    parser.add_argument("-o", "--output", metavar="DIR", help="write one file for each test, and the list @all")
    parser.add_argument("--force", action="store_true", help="replace files that are there already")


def main(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from axmem.generate import check_places, suite, write_suite

    decorations, placing = _decorations(options), _placing(options)
    cycles: Iterable[Cycle] = _cycles(options)
    if isinstance(cycles, tuple) and len(cycles) == 1:
        check_places(cycles[0], placing)
    tests = suite(cycles, decorations, placing)
    if options.output is None:
        _print(tests)
        return OK
    written = write_suite(_some(tests), options.output, force=options.force)
    print(f"{options.output}: {counted(written, 'test')}")
    return OK


def _print(tests: Iterator[Generated]) -> None:
    """Print the text of one test, or the names and cycles of several."""
    tests = _some(tests)
    first = next(tests)
    second = next(tests, None)
    if second is None:
        sys.stdout.write(first.text)
        return
    for generated in (first, second):
        print(f"{generated.test.name}\t{generated.cycle.text}")
    for generated in tests:
        print(f"{generated.test.name}\t{generated.cycle.text}")


def _some(tests: Iterator[Generated]) -> Iterator[Generated]:
    """Yield the tests; raise InputError if there is none."""
    first = next(tests, None)
    if first is None:
        raise mistake("axmem generate", "no test comes of this", "more edges, a larger size, or other places")
    yield first
    yield from tests


def _cycles(options: argparse.Namespace) -> Iterable[Cycle]:
    """Return the cycles that the options name."""
    from axmem.generate import FAMILIES, cycles, family_cycle, parse_cycle
    from axmem.refinement.bounded.words import listed

    given = [bool(options.cycle), options.family is not None, options.size is not None]
    if sum(given) != 1:
        message = "one of a cycle, --family and --size is wanted"
        raise mistake("axmem generate", message, f"for example: {EXAMPLES[0]}")
    if options.edges is not None and options.size is None:
        raise mistake("--edges", "edges are for --size", "a cycle names its own", text=options.edges)
    if options.cycle and FAMILIES.keys() >= set(options.cycle):
        raise mistake("axmem generate", "a family is no cycle", f"--family {','.join(options.cycle)}")
    if options.cycle:
        return (parse_cycle(" ".join(options.cycle)),)
    if options.family is not None:
        names = FAMILIES if options.family == "all" else [name for name, _ in listed(options.family)]
        return tuple(map(family_cycle, names))
    if not options.size.isdecimal() or not 2 <= int(options.size) <= 99:
        raise mistake("--size", "a cycle has 2 edges or more", "--size 4", text=options.size)
    return cycles(_edges(options.edges or DEFAULT_EDGES), int(options.size))


def _edges(text: str) -> tuple[CycleEdge, ...]:
    from axmem.generate import matching_edges

    return tuple(dict.fromkeys(edge for found in _each("--edges", text, matching_edges) for edge in found))


def _decorations(options: argparse.Namespace) -> Decorations:
    """Return what undecorated accesses become."""
    from axmem.generate import Decorations, fault, parse_mark, parse_scope

    access = _each("--accesses", options.accesses, parse_mark)
    if len(access) != 1 or fault(access[0], "R") or fault(access[0], "W"):
        message = "one decoration is wanted, for reads and writes"
        raise mistake("--accesses", message, "P, or Mono", text=options.accesses)
    orderings = _each("--orderings", options.orderings, parse_mark)
    return Decorations(access[0], orderings, _each("--scopes", options.scopes, parse_scope))


def _placing(options: argparse.Namespace) -> Placing:
    from axmem.generate import Placing, parse_places

    given = tuple(parse_places(text) for text in options.places if text != "all")
    return Placing(given, "all" in options.places)


def _each(option: str, text: str, parse: Callable[[str], T]) -> tuple[T, ...]:
    """Read every word of a list; raise InputError at the words that are wrong."""
    from axmem.generate import MarkError
    from axmem.refinement.bounded.words import listed

    found, diagnostics = [], []
    for word, column in listed(text):
        try:
            found.append(parse(word))
        except MarkError as error:
            span = Span(1, column, len(word))
            diagnostics.append(Diagnostic(Source(option, text), span, str(error), error.hint))
    if diagnostics:
        raise InputError(diagnostics)
    return tuple(dict.fromkeys(found))
