"""Digests of what the pages of results/ are about: models, their texts, tests, and what tests are lowered to.

What goes in: the name of a thing. What comes out: twelve letters that change with it. Invariant: the same on every
machine and in every process.
"""

from __future__ import annotations

from functools import cache

from axmem.check.run.fingerprint import digest_of
from axmem.codegen.program import lower
from axmem.codegen.targets import NEWEST_LLVM, target
from axmem.formats.reading import parse_file
from axmem.front.source import InputError
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest, ModelChoice
from axmem.mapping.suite import classical, suite
from axmem.model.lexer import Lexer
from axmem.model.library import files, load, names, reading, text
from axmem.model.model import Model
from axmem.model.parser import parse
from axmem.model.syntax import Readings
from axmem.model.terms import Op
from axmem.report.listing import listing
from tests.paths import CORPUS

CLASSICAL, WHOLE = "classical", "whole"
NEEDS = (
    "base/MP+rel+acq", "base/MP+fence.rel+fence.acq", "base/SB+sc+sc", "base/LB+mono+mono", "base/CoRR+mono",
    "base/RelSeq+rmw", "base/CmpXchg+lock",
    "scopes/MP+rel.wg+acq.wg", "scopes/MP+rel.ag+acq.ag", "scopes/MP+rel+acq.ag+two-agents", "scopes/ISA2+wg+ag",
    "scopes/SB+fence.sc.ag+two-workgroups", "scopes/WW+mono.ag+two-workgroups",
    "amdgpu/MP+make.available+make.visible", "amdgpu/MP+st.av-rel.none+acq.none-ld.vis",
    "amdgpu/MP+st-rel+acq.none-ld.vis", "amdgpu/Chain+available-again", "amdgpu/Hop+ag+sy",
    "amdgpu/Pass+load-visible.ag", "amdgpu/LDS+none",
)  # fmt: skip
"""The tests of which results/needs says what their outcomes need."""
"""The tests of the suite that a file is of: the classical shapes, or all."""


def short(said: object) -> str:
    """Return the start of the digest of a text, or of plain data."""
    return digest_of(said if isinstance(said, str) else repr(said))[:12]


@cache
def digest_of_model(choice: ModelChoice) -> str:
    """Return the digest of what a model says under a choice of variants; names of definitions are no part of it."""
    model = load(choice.model, dict(choice.variants))
    terms = _digests(model)
    axioms = [(a.kind.value, a.negated, a.flag, a.name, terms[a.term]) for a in model.axioms]
    undefs = [(u.name, terms[u.term]) for u in model.undefs]
    foreign = [(f.text, terms[f.term]) for f in model.foreign]
    return short([sorted(axioms), sorted(undefs), sorted(foreign), model.levels])


def _digests(model: Model) -> dict[int, str]:
    """Return a digest of each term that a rule needs: of what it is made of, not of where it stands.

    A variable of a fixpoint is known by the number of the fixpoint among those that are needed, and its own.
    """
    needed = sorted(model.needed([*model.roots, *(f.term for f in model.foreign)]))
    numbers: dict[int, int] = {}
    found: dict[int, str] = {}
    for index in needed:
        term = model.terms[index]
        arguments = [found[argument] for argument in term.arguments]
        said: object = term.name
        if term.op in (Op.UNION, Op.INTERSECTION):
            arguments.sort()
        elif term.op is Op.RECVAR:
            said = (numbers.setdefault(term.fixpoint, len(numbers)), term.position)
        elif term.op is Op.FIX:
            said = ([found[body] for body in model.fixpoints[term.fixpoint].bodies], term.position)
        found[index] = short((term.op.value, term.is_set, said, arguments))
    return found


@cache
def digest_of_text(name: str) -> str:
    """Return the digest of a model's text, comments left out, with its variants and what it includes and overrides."""
    words: list[str] = []
    _words(name, words)
    variants = [] if name not in names() else [(v.name, v.values, v.default) for v in load(name).variants]
    return short([words, variants])


def _words(name: str, words: list[str]) -> None:
    source = text(name)
    before = ""
    for token in Lexer(source).run():
        if before == "include" and token.text.removesuffix(".cat") in files():
            _words(token.text.removesuffix(".cat"), words)
        else:
            words.append(source.text[token.start : token.end])
        before = words[-1]
    for name in [name for s in parse(source).statements if isinstance(s, Readings) for name in s.names]:
        if found := reading(name):
            words += [found.text[token.start : token.end] for token in Lexer(found).run()]


@cache
def _tests(which: str) -> tuple[LitmusTest, ...]:
    if which in (CLASSICAL, WHOLE):
        return tuple(classical() if which == CLASSICAL else suite())
    if which == "needs":
        return tuple(parse_file(CORPUS / f"{name}.litmus") for name in NEEDS)
    return tuple(map(parse_file, sorted((CORPUS / which).rglob("*.litmus"))))


@cache
def tests_of(which: str) -> str:
    """Return the digest of the suite, whole or its classical shapes, of `NEEDS`, or of a directory of the corpus."""
    return short([print_test(test) for test in _tests(which)])


@cache
def lowering(which: str, gpu: str) -> str:
    """Return the digest of what tests are lowered to; one that the target cannot run counts with the reason."""
    found = []
    for test in _tests(which):
        try:
            found.append(listing(lower(test, target(gpu, "", NEWEST_LLVM))))
        except InputError as error:
            found.append(error.diagnostics[0].message)
    return short(found)
