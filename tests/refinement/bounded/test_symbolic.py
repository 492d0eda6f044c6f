"""Families of programs in one query, against the engine of single tests and against enumeration."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import pytest

from axmem.check.results import outcomes
from axmem.check.selection import loaded, parse_choice
from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.solver import Session
from axmem.events.values import UNDEF
from axmem.litmus import vulkan
from axmem.litmus.parser import parse
from axmem.litmus.syntax import ModelChoice
from axmem.litmus.words import PRIVATE_TAG, OperationKind, Ordering, Scope, Tag
from axmem.refinement.bounded.bound import MAKES, NAMED_TAGS, Bound
from axmem.refinement.bounded.changes import any_program
from axmem.refinement.bounded.decoding import literals_of, litmus_text
from axmem.refinement.bounded.execution import SymbolicExecution, execution, is_read
from axmem.refinement.bounded.query import CircuitQuery
from axmem.refinement.bounded.skeleton import EventRole, Skeleton, ThreadSizes, shapes
from axmem.refinement.bounded.symmetry import without_renamings
from axmem.refinement.bounded.vocabulary import SymbolicProgram
from axmem.refinement.bounded_check import HOLDS, REFUTED, Claim, check, judge, models_claim, rule_claim
from axmem.refinement.rules import BY_NAME, FULL
from tests.drawn import WHOLE, some

EVERYTHING = replace(FULL, kinds=(*FULL.kinds, *MAKES))
MODELS = ("llvm", "amdgpu", "amdgpu-doc[mmra=endtoend]", "sc")


# ---------------------------------------------------------------- one program of a family is that program


@pytest.mark.parametrize(("tags", "model"), some([*product(("any", "two"), MODELS)]))
def test_a_program_of_a_family_has_its_outcomes(tags: str, model: str) -> None:
    """Programs at random: the executions of the family that are executions of the program give its outcomes."""
    named = {"any_tags": False, "tags": NAMED_TAGS} if tags == "two" else {}
    space = replace(EVERYTHING, uninitialised=model != "sc", **named)  # type: ignore[arg-type]
    programs_have_their_outcomes(model, space, ((2,), (1, 1), (2, 1), (1, 1, 1)), random.Random(f"{model} {tags}"))


VULKAN_TAGS = (PRIVATE_TAG, *map(vulkan.mark, vulkan.WORDS))


@pytest.mark.parametrize(
    ("tags", "model"),
    some([*product((VULKAN_TAGS, ()), ("vulkan", "vulkan[races=undef]", "vulkan[chains=off]"))]),
    ids=lambda each: each if isinstance(each, str) else "of Vulkan" if each else "none",
)
def test_a_program_of_vulkan_has_its_outcomes(tags: tuple[Tag, ...], model: str) -> None:
    """The same of Vulkan's model, on operations with and without its tags; two of its fences pass a message on."""
    space = replace(EVERYTHING, uninitialised=False, any_tags=False, synchronize_as=bool(tags), tags=tags)
    shapes_of = ((2,), (1, 1), (2, 1), (2, 2), (1, 1, 1), (2, 2, 1))[: None if WHOLE else 4]
    programs_have_their_outcomes(model, space, shapes_of, random.Random(f"{model} {len(tags)}"))


def programs_have_their_outcomes(model: str, space: Bound, sizes: Sequence[ThreadSizes], dice: random.Random) -> None:
    seen = 0
    for threads in sizes:
        skeleton = Skeleton(space, threads, Circuit())
        program = any_program(skeleton)
        found = execution(program, loaded(parse_choice(model)))
        found.literals.assert_axioms()
        question = CircuitQuery(skeleton.circuit, Session())
        truth = some_program(dice, program, question)
        test = parse(litmus_text(program, truth, "some"))
        result = outcomes(test, loaded(parse_choice(model)))
        expected, columns = {tuple(row) for row in result.outcomes}, [c.name for c in result.columns]
        assert set(symbolic_outcomes(found, question, truth, columns)) == expected, litmus_text(program, truth, "some")
        seen += len(expected)
    assert seen >= 4


def some_program(dice: random.Random, program: SymbolicProgram, question: CircuitQuery) -> dict[int, bool]:
    """Return the truth of a program's literals, of which as many as possible are as the dice say."""
    wanted = [x for x in dict.fromkeys(literals_of(program)) if abs(x) != TRUE]
    question.mention(wanted)
    fixed: list[int] = []
    for x in dice.sample(wanted, len(wanted) // 2):
        literal = x if dice.random() < 0.4 else -x
        if question.possible(question.circuit.conjunction((*fixed, literal))):
            fixed.append(literal)
    assert question.possible(question.circuit.conjunction(fixed))
    return question.truth(list(literals_of(program)))


def symbolic_outcomes(
    found: SymbolicExecution, question: CircuitQuery, truth: dict[int, bool], columns: list[str]
) -> Iterator[tuple[tuple[object], ...]]:
    """Yield the outcomes of one program, from the executions of its family."""
    skeleton, circuit = found.program.skeleton, found.program.circuit
    program = [x if value else -x for x, value in truth.items() if abs(x) != TRUE]
    names = {f"P{skeleton.slots[e.slot].thread}:r{e.slot}": e.index for e in skeleton.reads}
    wanted = [x for x in (*readings(found).values(), *found.undef.values()) if x != FALSE]
    chosen = circuit.conjunction(program)
    seen = set()
    while question.possible(chosen):
        values = question.truth(wanted)
        row = tuple((value_of(found, values, names[c]),) for c in columns)
        seen.add(row)
        reading = [x if values[x] else -x for x in wanted]
        chosen = circuit.both(chosen, -circuit.conjunction(reading))
    yield from seen


def readings(found: SymbolicExecution) -> dict[tuple[int, int], int]:
    """Return the literals of reads-from."""
    return {(w, r): x for r, sources in found.sources.items() for w, x in sources.items()}


def value_of(found: SymbolicExecution, truth: dict[int, bool], r: int) -> object:
    if truth[found.undef[r]]:
        return UNDEF
    events = found.program.skeleton.events
    (source,) = (events[w] for (w, read), x in readings(found).items() if read == r and truth[x])
    return source.slot + 1 if source.role is not EventRole.INITIAL else 0


# ---------------------------------------------------------------- enumeration of programs


SMALL = Bound(
    kinds=(OperationKind.LOAD, OperationKind.STORE, OperationKind.FENCE),
    locations=1,
    orderings=(Ordering.NOT_ATOMIC, Ordering.ACQUIRE, Ordering.RELEASE),
    scopes=(Scope.SYSTEM,),
    none=True,
    apart=True,
    finals=False,
)
WORDS = (
    "r{i} = load x",
    "r{i} = load atomic x acquire",
    "store {v}, x",
    "store atomic {v}, x release",
    "fence acquire",
    "fence release",
)
NONE = ("r{i} = load atomic x acquire", "store atomic {v}, x release", "fence acquire", "fence release")
ALL = (*WORDS, *(f"{word}  # amdgcn-av:none" for word in NONE))
Words = tuple[str, ...]


def texts(threads: tuple[int, ...], words: Words) -> str:
    """Return the test whose operations are these words."""
    lines, i = ["litmus some", "global x = 0"], 0
    for t, size in enumerate(threads):
        lines.append(f"thread P{t} @ agent {t}, cluster {t}, workgroup {t}, wavefront {t}, thread {t} {{")
        for _ in range(size):
            lines.append("  " + words[i].format(i=i, v=i + 1))
            i += 1
        lines.append("}")
    return "\n".join(lines) + "\n"


def enumerated(claim: Claim, operations: int, changes: Mapping[str, Words] | None) -> bool:
    """Tell by trying every program and every application of a change whether there is a counterexample."""
    for threads in shapes(operations):
        for words in product(ALL, repeat=operations):
            before = texts(threads, words)
            if "load" not in before:
                continue
            if changes is None:
                if judge(claim, before, before):
                    return True
                continue
            for i, word in enumerate(words):
                for other in changes.get(word, ()):
                    if judge(claim, before, texts(threads, (*words[:i], other, *words[i + 1 :]))):
                        return True
    return False


WEAKER = {
    "r{i} = load atomic x acquire": ("r{i} = load x",),
    "store atomic {v}, x release": ("store {v}, x",),
    **{
        f"{word}  # amdgcn-av:none": (word.replace("atomic ", "").replace(" acquire", "").replace(" release", ""),)
        for word in NONE[:2]
    },
}
WITHOUT_NONE = {f"{word}  # amdgcn-av:none": (word,) for word in NONE}
STRONGER = {new: (old,) for old, (new,) in list(WEAKER.items())[:2]}


def small(rule: str, model: str = "amdgpu") -> Claim:
    return rule_claim(BY_NAME[rule], ModelChoice(model), SMALL)


CLAIMS = {
    "drop-av-none": (small("drop-av-none"), WITHOUT_NONE, 2, HOLDS),
    "weaken-ordering": (small("weaken-ordering"), WEAKER, 2, REFUTED),
    "strengthen-ordering": (small("strengthen-ordering", "llvm"), STRONGER, 2, HOLDS),
    "amdgpu within llvm": (models_claim(ModelChoice("amdgpu"), ModelChoice("llvm"), SMALL), None, 2, HOLDS),
    "llvm within amdgpu": (models_claim(ModelChoice("llvm"), ModelChoice("amdgpu"), SMALL), None, 2, HOLDS),
}


@pytest.mark.parametrize("name", some([*CLAIMS], of=2))
def test_the_search_finds_what_enumeration_finds(name: str) -> None:
    """All programs of so many operations, and every place of the change."""
    claim, changes, operations, expected = CLAIMS[name]
    assert check(claim, operations - claim.size).status == expected
    assert enumerated(claim, operations, changes) == (expected == REFUTED)


def test_enumeration_and_search_count_the_same_programs() -> None:
    """Up to symmetry or not, the solver has exactly the programs that can be written."""
    for threads in ((1,), (2,), (1, 1)):
        assert count(threads, symmetric=False) == len(ALL) ** sum(threads)
    ordered = len(ALL) * (len(ALL) + 1) // 2
    assert ordered <= count((1, 1), symmetric=True) < len(ALL) ** 2


def count(threads: tuple[int, ...], *, symmetric: bool) -> int:
    """Return how many programs a family has."""
    skeleton = Skeleton(SMALL, threads, Circuit())
    program = any_program(skeleton)
    if symmetric:
        without_renamings(skeleton, program.slots, None)
    question = CircuitQuery(skeleton.circuit, Session())
    wanted = [x for x in dict.fromkeys(literals_of(program)) if abs(x) != TRUE]
    found = 0
    while question.possible(TRUE):
        truth = question.truth(wanted)
        skeleton.circuit.add(*[-x if truth[x] else x for x in wanted])
        found += 1
    return found


def test_symmetry_loses_no_program() -> None:
    """Every pair of threads is there in one order at least: by what they do, whatever the order."""
    skeleton = Skeleton(SMALL, (1, 1), Circuit())
    program = any_program(skeleton)
    without_renamings(skeleton, program.slots, None)
    question = CircuitQuery(skeleton.circuit, Session())
    a, b = program.slots
    groups = [list(x.kinds.values()) + list(x.orderings.values()) + [x.none] for x in (a, b)]
    for left, right in product(range(3), repeat=2):
        kinds = [groups[0][left], groups[1][right]]
        turned = [groups[0][right], groups[1][left]]
        assert any(question.possible(skeleton.circuit.conjunction(x)) for x in (kinds, turned))


def test_reads_are_those_of_the_program() -> None:
    skeleton = Skeleton(SMALL, (1,), Circuit())
    program = any_program(skeleton)
    first = skeleton.reading(0)
    assert is_read(program, skeleton.events[first]) == program.members("R")[first]
