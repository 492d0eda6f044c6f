"""The suite that mappings are verified on: classical shapes at the scopes that every target has, chains that change
scope on the way, and for each rule of the model a smallest test that needs it (`needs`).

What comes out: tests by name, made from templates. `{s}` is a scope's spelling; the places are such that the scope is
just wide enough: one workgroup, one agent, or several agents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from axmem.codegen.program import lower
from axmem.codegen.targets import Target
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.needs import needs

SCOPES = {"wg": ' syncscope("workgroup")', "ag": ' syncscope("agent")', "sy": ""}
ONE_SPACE = {"ag1": ' syncscope("agent-one-as")'}

TWO = {
    "wg": ("agent 0, workgroup 0, wavefront 0", "agent 0, workgroup 0, wavefront 1"),
    "ag": ("agent 0, workgroup 0", "agent 0, workgroup 1"),
    "sy": ("agent 0, workgroup 0", "agent 1, workgroup 0"),
}
"""Where two threads are that a scope just reaches."""
NEARER = {"wg": "wg", "ag": "ag", "sy": "ag"}
"""A scope that two threads may share a compute unit in."""

LATER = (["r1 = load atomic y{s} acquire", "store atomic 1, x{s} monotonic"], "P0:r0=1 /\\ P1:r1=1")
"""The second thread of load buffering, and what must not be: a release that does not wait for the load before it."""

AFTER = (["r0 = load atomic y{s} acquire", "store 1, x"], "P1:r0=1 /\\ x=2")
"""The second thread of S, and what must not be: that of two stores before a release the second comes last."""

PAIRS = {
    "MP": (["store 1, x", "store atomic 1, y{s} release"],
           ["r0 = load atomic y{s} acquire", "r1 = load x"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.fence": (["store 1, x", "fence{s} release", "store atomic 1, y{s} monotonic"],
                 ["r0 = load atomic y{s} monotonic", "fence{s} acquire", "r1 = load x"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.rmw": (["store 1, x", "r9 = atomicrmw xchg y, 1{s} release"],
               ["r0 = atomicrmw add y, 0{s} acquire", "r1 = load x"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.add": (["store 1, x", "atomicrmw add y, 1{s} release"],
               ["r0 = load atomic y{s} monotonic", "fence{s} acquire", "r1 = load x"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.cas": (["store 1, x", "store atomic 1, y{s} release"],
               ["r0, ok = cmpxchg y, 1, 2{s} acq_rel acquire", "r1 = load x"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.sc": (["store 1, x", "store atomic 1, y{s} seq_cst"],
              ["r0 = load atomic y{s} seq_cst", "r1 = load x"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.fence.sc": (["store 1, x", "fence{s} seq_cst", "store atomic 1, y{s} monotonic"],
                    ["r0 = load atomic y{s} monotonic", "fence{s} seq_cst", "r1 = load x"],
                    "P1:r0=1 /\\ P1:r1=0"),
    "MP.rmw.sc": (["store 1, x", "r9 = atomicrmw xchg y, 1{s} seq_cst"],
                  ["r0 = atomicrmw add y, 0{s} seq_cst", "r1 = load x"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.cas2": (["store 1, x", "r8, ok = cmpxchg y, 0, 1{s} acq_rel acquire"],
                ["r0 = load atomic y{s} acquire", "r1 = load x"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.none": (["store-available 1, x{v}", "store atomic 1, y{s} release # amdgcn-av:none"],
                ["r0 = load atomic y{s} acquire # amdgcn-av:none", "r1 = load-visible x{v}"], "P1:r0=1 /\\ P1:r1=0"),
    "SB": (["store atomic 1, x{s} seq_cst", "r0 = load atomic y{s} seq_cst"],
           ["store atomic 1, y{s} seq_cst", "r1 = load atomic x{s} seq_cst"], "P0:r0=0 /\\ P1:r1=0"),
    "SB.rmw": (["r8 = atomicrmw xchg x, 1{s} seq_cst", "r0 = load atomic y{s} seq_cst"],
               ["r9 = atomicrmw xchg y, 1{s} seq_cst", "r1 = load atomic x{s} seq_cst"], "P0:r0=0 /\\ P1:r1=0"),
    "SB.fence": (["store atomic 1, x{s} monotonic", "fence{s} seq_cst", "r0 = load atomic y{s} monotonic"],
                 ["store atomic 1, y{s} monotonic", "fence{s} seq_cst", "r1 = load atomic x{s} monotonic"],
                 "P0:r0=0 /\\ P1:r1=0"),
    "LB": (["r0 = load atomic x{s} acquire", "store atomic 1, y{s} release"],
           ["r1 = load atomic y{s} acquire", "store atomic 1, x{s} release"], "P0:r0=1 /\\ P1:r1=1"),
    "LB.rel": (["r0 = load atomic x{s} monotonic", "store atomic 1, y{s} release"],
               ["r1 = load atomic y{s} monotonic", "store atomic 1, x{s} release"], "P0:r0=1 /\\ P1:r1=1"),
    "LB.st": (["r0 = load atomic x{s} monotonic", "store atomic 1, y{s} release"], *LATER),
    "LB.st.sc": (["r0 = load atomic x{s} monotonic", "store atomic 1, y{s} seq_cst"], *LATER),
    "LB.rmw": (["r0 = load atomic x{s} monotonic", "r9 = atomicrmw xchg y, 1{s} release"], *LATER),
    "LB.add": (["r0 = load atomic x{s} monotonic", "atomicrmw add y, 1{s} release"], *LATER),
    "LB.rmw.sc": (["r0 = load atomic x{s} monotonic", "r9 = atomicrmw xchg y, 1{s} seq_cst"], *LATER),
    "LB.cas": (["r0 = load atomic x{s} monotonic", "r9, ok = cmpxchg y, 0, 1{s} acq_rel acquire"], *LATER),
    "LB.fence": (["r0 = load atomic x{s} monotonic", "fence{s} release", "store atomic 1, y{s} monotonic"], *LATER),
    "LB.fence.sc": (["r0 = load atomic x{s} monotonic", "fence{s} seq_cst", "store atomic 1, y{s} monotonic"], *LATER),
    "CoRR": (["store atomic 1, x{s} monotonic"],
             ["r0 = load atomic x{s} monotonic", "r1 = load atomic x{s} monotonic"], "P1:r0=1 /\\ P1:r1=0"),
    "CoWR": (["store atomic 1, x{s} monotonic", "r0 = load atomic x{s} monotonic"],
             ["store atomic 2, x{s} monotonic"], "P0:r0=0"),
    "S": (["store 2, x", "store atomic 1, y{s} release"],
          ["r0 = load atomic y{s} acquire", "store 1, x"], "P1:r0=1 /\\ x=2"),
    "S.st": (["store 1, z", "store 2, x", "store atomic 1, y{s} release"], *AFTER),
    "S.st.sc": (["store 1, z", "store 2, x", "store atomic 1, y{s} seq_cst"], *AFTER),
    "S.rmw": (["store 1, z", "store 2, x", "r9 = atomicrmw xchg y, 1{s} release"], *AFTER),
    "S.add": (["store 1, z", "store 2, x", "atomicrmw add y, 1{s} release"], *AFTER),
    "S.rmw.sc": (["store 1, z", "store 2, x", "r9 = atomicrmw xchg y, 1{s} seq_cst"], *AFTER),
    "S.cas": (["store 1, z", "store 2, x", "r9, ok = cmpxchg y, 0, 1{s} acq_rel acquire"], *AFTER),
    "S.fence": (["store 1, z", "store 2, x", "fence{s} release", "store atomic 1, y{s} monotonic"], *AFTER),
    "S.fence.sc": (["store 1, z", "store 2, x", "fence{s} seq_cst", "store atomic 1, y{s} monotonic"], *AFTER),
    "R": (["store atomic 1, x{s} seq_cst", "store atomic 1, y{s} seq_cst"],
          ["store atomic 2, y{s} seq_cst", "r0 = load atomic x{s} seq_cst"], "y=2 /\\ P1:r0=0"),
    "2+2W": (["store atomic 1, x{s} release", "store atomic 2, y{s} release"],
             ["store atomic 1, y{s} release", "store atomic 2, x{s} release"], "x=1 /\\ y=1"),
    "CoRWR": (["r0 = load atomic y{s} monotonic", "store atomic 1, x{s} monotonic"],
              ["r1 = load atomic x{s} monotonic", "store atomic 2, x{s} monotonic", "r2 = load atomic x{s} monotonic"],
              "P1:r1=1 /\\ P1:r2=1"),
    "RMW": (["r0 = atomicrmw add x, 1{s} monotonic"], ["r1 = atomicrmw add x, 1{s} monotonic"], "P0:r0=0 /\\ P1:r1=0"),
}  # fmt: skip
LDS = {
    "MP.lds-flag": (["store 1, x", "store atomic 1, t{s} release"],
                    ["r0 = load atomic t{s} acquire", "r1 = load x"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.lds-data": (["store 1, t", "store atomic 1, x{s} release"],
                    ["r0 = load atomic x{s} acquire", "r1 = load t"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.lds-flag.sc": (["store 1, x", "store atomic 1, t{s} seq_cst"],
                       ["r0 = load atomic t{s} seq_cst", "r1 = load x"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.lds-flag.fence": (["store 1, x", "fence{s} release", "store atomic 1, t{s} monotonic"],
                          ["r0 = load atomic t{s} monotonic", "fence{s} acquire", "r1 = load x"],
                          "P1:r0=1 /\\ P1:r1=0"),
    "MP.lds-flag.fence.sc": (["store 1, x", "fence{s} seq_cst", "store atomic 1, t{s} monotonic"],
                             ["r0 = load atomic t{s} monotonic", "fence{s} seq_cst", "r1 = load x"],
                             "P1:r0=1 /\\ P1:r1=0"),
    "MP.lds-data.sc": (["store 1, t", "store atomic 1, x{s} seq_cst"],
                       ["r0 = load atomic x{s} seq_cst", "r1 = load t"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.lds-data.rmw": (["store 1, t", "r9 = atomicrmw xchg x, 1{s} release"],
                        ["r0 = atomicrmw add x, 0{s} acquire", "r1 = load t"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.lds-data.add": (["store 1, t", "atomicrmw add x, 1{s} release"],
                        ["r0 = load atomic x{s} acquire", "r1 = load t"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.lds-data.rmw.sc": (["store 1, t", "r9 = atomicrmw xchg x, 1{s} seq_cst"],
                           ["r0 = atomicrmw add x, 0{s} seq_cst", "r1 = load t"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.lds-data.cas": (["store 1, t", "r8, ok = cmpxchg x, 0, 1{s} acq_rel acquire"],
                        ["r0 = load atomic x{s} acquire", "r1 = load t"], "P1:r0=1 /\\ P1:r1=0"),
    "MP.lds-data.fence.sc": (["store 1, t", "fence{s} seq_cst", "store atomic 1, x{s} monotonic"],
                             ["r0 = load atomic x{s} monotonic", "fence{s} seq_cst", "r1 = load t"],
                             "P1:r0=1 /\\ P1:r1=0"),
    "SB.lds": (["store atomic 1, x{s} seq_cst", "r0 = load atomic t{s} seq_cst"],
               ["store atomic 1, t{s} seq_cst", "r1 = load atomic x{s} seq_cst"], "P0:r0=0 /\\ P1:r1=0"),
    "Barrier": (["store 1, x", "fence{s} release", "barrier"],
                ["barrier", "fence{s} acquire", "r1 = load x"], "P1:r1=0"),
    "Barrier.lds": (["store 1, t", "fence{s} release", "barrier"],
                    ["barrier", "fence{s} acquire", "r1 = load t"], "P1:r1=0"),
}  # fmt: skip
CHAINS = {
    "WRC": (["store atomic 1, x{a} release"],
            ["r0 = load atomic x{a} acquire", "store atomic 1, y{b} release"],
            ["r1 = load atomic y{b} acquire", "r2 = load x"], "P1:r0=1 /\\ P2:r1=1 /\\ P2:r2=0"),
    "ISA2": (["store 1, x", "store atomic 1, y{a} release"],
             ["r0 = load atomic y{a} acquire", "store atomic 1, z{b} release"],
             ["r1 = load atomic z{b} acquire", "r2 = load x"], "P1:r0=1 /\\ P2:r1=1 /\\ P2:r2=0"),
}  # fmt: skip

_LOCATION = re.compile(r"(?<= )[txyz]\b(?!-)")


@cache
def classical() -> tuple[LitmusTest, ...]:
    """Return the classical shapes and the chains, in a fixed order."""
    return tuple(parse(text, f"suite/{name}.litmus") for name, text in _texts())


@cache
def suite() -> tuple[LitmusTest, ...]:
    """Return the tests of the suite, in a fixed order: the classical ones, then what these do not have."""
    known = {text.split("\n", 1)[1] for _, text in _texts()}
    more = [(name, text) for name, text in _needed() if text.split("\n", 1)[1] not in known]
    return *classical(), *(parse(text, f"suite/{name}.litmus") for name, text in more)


def suite_of(
    target: Target, tests: Iterable[LitmusTest] | None = None
) -> tuple[list[LitmusTest], dict[str, list[str]]]:
    """Return the tests of the suite, or of a part of it, that a target can run, and the names of the others by what
    the target lacks."""
    found: list[LitmusTest] = []
    lacking: dict[str, list[str]] = {}
    for test in suite() if tests is None else tests:
        try:
            lower(test, target)
            found.append(test)
        except InputError as error:
            lacking.setdefault(error.diagnostics[0].message, []).append(test.name)
    return found, lacking


def _texts() -> Iterator[tuple[str, str]]:
    for shape, (first, second, condition) in PAIRS.items():
        for scope, spelled in SCOPES.items():
            yield _test(f"{shape}.{scope}", [first, second], TWO[scope], condition, s=spelled, v=_named(spelled))
    for shape, (first, second, condition) in LDS.items():
        for scope, spelled in SCOPES.items():
            yield _test(f"{shape}.{scope}", [first, second], TWO["wg"], condition, s=spelled)
    for shape, (one, two, three, condition) in CHAINS.items():
        for a in SCOPES:
            for b in SCOPES:
                yield _test(f"{shape}.{a}.{b}", [one, two, three], _three(a, b), condition, a=SCOPES[a], b=SCOPES[b])
    yield _lds_chain()
    yield _neighbour()
    for scope, spelled in SCOPES.items():
        yield _rwc(scope, spelled)
    for scope, spelled in SCOPES.items():
        yield _iriw(scope, spelled)


def _needed() -> Iterator[tuple[str, str]]:
    """Yield the tests that the rules of the model need."""
    for need in needs():
        for scope in need.scopes:
            spelled = SCOPES[scope] if scope in SCOPES else ONE_SPACE[scope]
            where = TWO["wg" if need.near else scope[:2]] if len(need.threads) < 3 else _three(NEARER[scope], scope)
            yield _test(f"{need.name}.{scope}", list(need.threads), where, need.condition, s=spelled, v=_named(spelled))


def _three(a: str, b: str) -> tuple[str, ...]:
    """Return places of three threads, the first two reached by one scope, the last two by another."""
    places = [[0, 0, 0]]
    for scope in (a, b):
        agent, workgroup, wave = places[-1]
        step = {"wg": [agent, workgroup, wave + 1], "ag": [agent, workgroup + 1, 0], "sy": [agent + 1, 0, 0]}
        places.append(step[scope])
    return tuple("agent {}, workgroup {}, wavefront {}".format(*place) for place in places)


def _lds_chain() -> tuple[str, str]:
    threads = [["store 1, x", "store atomic 1, t{a} release"],
               ["r0 = load atomic t{a} acquire", "store atomic 1, y{b} release"],
               ["r1 = load atomic y{b} acquire", "r2 = load x"]]  # fmt: skip
    condition = "P1:r0=1 /\\ P2:r1=1 /\\ P2:r2=0"
    return _test("ISA2.lds.ag", threads, _three("wg", "ag"), condition, a=SCOPES["wg"], b=SCOPES["ag"])


def _neighbour() -> tuple[str, str]:
    """Return message passing to a CU where another wave has a load of the data on its way."""
    threads = [
        ["store 1, x", "store atomic 1, y{s} release"],
        ["r0 = load atomic y{s} acquire", "r1 = load x"],
        ["r2 = load atomic x{a} monotonic"],
    ]
    condition = "P1:r0=1 /\\ P1:r1=0"
    return _test("MP.neighbour.ag", threads, _three("ag", "wg"), condition, s=SCOPES["ag"], a=SCOPES["wg"])


def _several(scope: str, count: int) -> tuple[str, ...]:
    word = {"wg": "agent 0, workgroup 0, wavefront {}", "ag": "agent 0, workgroup {}", "sy": "agent {}, workgroup 0"}
    return tuple(word[scope].format(k) for k in range(count))


def _rwc(scope: str, spelled: str) -> tuple[str, str]:
    threads = [["store atomic 1, x{s} release"],
               ["r0 = load atomic x{s} acquire", "fence{s} seq_cst", "r1 = load atomic y{s} monotonic"],
               ["store atomic 1, y{s} monotonic", "fence{s} seq_cst", "r2 = load atomic x{s} monotonic"]]  # fmt: skip
    return _test(f"RWC.{scope}", threads, _several(scope, 3), "P1:r0=1 /\\ P1:r1=0 /\\ P2:r2=0", s=spelled)


def _iriw(scope: str, spelled: str) -> tuple[str, str]:
    threads = [["store atomic 1, x{s} seq_cst"], ["store atomic 1, y{s} seq_cst"],
               ["r0 = load atomic x{s} seq_cst", "r1 = load atomic y{s} seq_cst"],
               ["r2 = load atomic y{s} seq_cst", "r3 = load atomic x{s} seq_cst"]]  # fmt: skip
    condition = "P2:r0=1 /\\ P2:r1=0 /\\ P3:r2=1 /\\ P3:r3=0"
    return _test(f"IRIW.{scope}", threads, _several(scope, 4), condition, s=spelled)


def _test(
    name: str, threads: list[list[str]], places: tuple[str, ...], condition: str, **scopes: str
) -> tuple[str, str]:
    """Return a test's name and text; locations are those that its lines mention."""
    used = sorted({v for lines in threads for line in lines for v in _LOCATION.findall(line)})
    pointed = ["global ptr g = &x"] if any("load g" in line for lines in threads for line in lines) else []
    used = sorted({*used, *("x" for _ in pointed)})
    declared = [*(f"{'lds' if v == 't' else 'global'} {v} = 0" for v in used), *pointed]
    parts = [f"litmus {name}", "", *declared, ""]
    for k, lines in enumerate(threads):
        parts += [f"thread P{k} @ {places[k]} {{", *(f"  {line.format(**scopes)}" for line in lines), "}", ""]
    return name, "\n".join([*parts, f"exists ({condition})", ""])


def _named(spelled: str) -> str:
    """Return a scope's spelling for an operation that must name it."""
    return spelled or ' syncscope("")'
