"""The JSON documents of all commands against their schemas in docs/schema/.

Every command that prints JSON has a schema, its real output satisfies it, and no key can go or come without that the
schema refuses the document. What a schema enumerates is what the program enumerates.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from axmem.check.compare import RELATIONS
from axmem.check.expectations import MISMATCH, PASSED, UNCHECKED, UNKNOWN
from axmem.check.progress.fairness import ExecutionEnding
from axmem.check.progress.models import Progress, Verdict
from axmem.cli import build_parser, main
from axmem.codegen.instructions import InstructionKind
from axmem.codegen.machine.evidence import DOCUMENTED, OPEN, STANDINGS
from axmem.codegen.machine.mutants import KINDS as ELEMENTS
from axmem.codegen.machine.program import HazardKind
from axmem.codegen.tables import PROFILES, families
from axmem.commands.diff import DIRECTIONS
from axmem.commands.pages.passes import VERDICTS as JUDGED
from axmem.commands.trace import STAGES
from axmem.convergence.kernels import Threads
from axmem.convergence.loads import LoadClass
from axmem.explanations.explanation import ExplainedAnswer
from axmem.explanations.story import Stress
from axmem.front.output import VERSION
from axmem.front.spelling import COMMANDS, spelled
from axmem.litmus.conditions import VERDICTS
from axmem.litmus.words import SCOPE_OF, Ordering
from axmem.mapping import matrix, necessity
from axmem.mapping.matrix import ALLOWED, NEEDED, PROGRESS, REGISTER
from axmem.refinement.bounded.bound import KINDS, MAKES
from axmem.refinement.bounded.records import SHOWN
from axmem.refinement.bounded_check import HOLDS, REFUTED
from axmem.refinement.inclusion import VERDICTS as SOUNDNESS
from axmem.refinement.proofs.check import PROVED
from axmem.repairs.repair import RepairStatus
from axmem.report.problems import ProblemKind as Problems
from axmem.report.site.found import PROBLEMS
from axmem.transform.answers import WORDS as OUTCOME_WORDS
from axmem.transform.passes import PassTarget as LoopTarget
from axmem.transform.passes import Profile as LoopProfile
from tests.passes import recorded_llc, seeded
from tests.paths import INPUTS, ROOT

SCHEMAS = ROOT / "docs" / "schema"
FINDING = ROOT / "docs" / "findings" / "fixed" / "stale-scalar-load"
OPTIONAL = {
    "robust", "neighbours", "rules", "definitions", "context", "operations", "needs", "asks", "differences", "outcomes",
    "findings", "notes", "unknown",
}  # fmt: skip
"""Keys that a document has only where an option asks for them, or where there is something to say."""

MP = "@corpus/base/MP+rel+acq.litmus"
NONE = "@corpus/amdgpu/MP+st-rel.none+acq-ld.litmus"
FEW = "--constructs rmw --orderings monotonic --locations 1"
KERNEL = "@examples/nested-cycles.litmus"
LOOP = "@examples/flag-then-data.litmus"
PROGRAMS = {"LLC": recorded_llc.install, "OPT": seeded.install}
"""Words of command lines that stand for programs of the tests, which are made where a test may write."""
CASES = (
    "run . Nowhere.litmus --model two.cat --robust",
    "run SB.litmus --model two.cat --project P0:r0",
    "models",
    "models two.cat",
    f"compare {NONE} --models 'llvm,amdgpu'",
    f"diff llvm 'llvm[coh=langref]' --events 2 {FEW}",
    f"explain {NONE} {MP} --model amdgpu",
    f"graph {NONE} --model amdgpu",
    f"trace {MP} --model llvm",
    "table SB.litmus Undefined.litmus --models two.cat,sc --outcomes",
    "table SB.litmus --models two.cat",
    "table --lowering",
    f"lower {MP} --target gfx942",
    f"verify {MP} --target gfx942 --needs",
    f"verify {MP} --target gfx942 --asks",
    f"verify {MP} --target gfx942 --timeout 0.000000001",
    f"verify {MP} --target gfx900 --needs --by operation",
    f"verify {MP} --target gfx900 --strategy",
    f"verify {NONE} --target gfx942 --savings",
    "waits @examples/early.s",
    "refine @examples/two-stores.litmus @examples/two-stores-swapped.litmus --model llvm --context 1",
    "refine @examples/two-stores.litmus @examples/two-stores-swapped.litmus --model llvm --map-iterations ''",
    f"refine --models amdgpu llvm {NONE}",
    "refine --rule narrow-scope --context 1",
    f"refine --models 'llvm[coh=langref]' llvm --events 2 {FEW}",
    "refine --rules",
    f"repair {NONE} --forbid 'P1:r0=1 /\\ P1:r1=0' --limit 1",
    "passes --passes no-volatile-load,none --all --events 1 --context 1 --models llvm --opt OPT",
    f"hunt --llc LLC --target {recorded_llc.TARGET} --count {recorded_llc.PROGRAMS}",
    f"hunt --llc LLC --target {recorded_llc.TARGET} --count 1 --random 99",
    "prove P2",
    "theorems M-PO --events 1",
    f"conv {KERNEL} --hierarchy all",
    f"uniform {KERNEL} --loads",
    f"uniform {KERNEL} --set workgroup",
    "loopmd @examples/unroll-enable.litmus",
    "progress @examples/publish.litmus --kernel behind --model wave",
    "progress @examples/seen-too-late.litmus --memory llvm",
    f"transform {LOOP} --apply 'unroll(h, 2)'",
    f"transform {LOOP} --apply 'unroll(h, 2)' --check --events 1 --model llvm --progress fair",
    f"transform {LOOP} --apply 'unroll(h, 2)' --weakest --events 0 --model llvm",
    f"transform {ROOT}/docs/findings/fixed/exit-phi.litmus --apply 'unroll(h)'",
)


def schema(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    return read


@cache
def validator(name: str) -> Draft202012Validator:
    shared = Resource.from_contents(schema("common"))
    return Draft202012Validator(schema(name), registry=Registry().with_resource("common.schema.json", shared))


def names() -> set[str]:
    return {path.name.removesuffix(".schema.json") for path in SCHEMAS.iterdir()}


def printers_of_json() -> set[str]:
    """Return the names of the commands whose `--format` takes json."""
    parsers = build_parser()[1].choices
    return {
        name
        for name in COMMANDS
        for action in parsers[spelled(name)]._actions
        if "--format" in action.option_strings and "json" in (action.choices or ())
    }


def test_every_command_that_prints_json_has_a_schema() -> None:
    assert printers_of_json() == names() - {"common", "sarif", "report"} == {shlex.split(case)[0] for case in CASES}


@pytest.mark.parametrize("case", CASES)
def test_what_a_command_prints_satisfies_its_schema(
    case: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """So it is, and with a key more or less anywhere it would not be."""
    monkeypatch.chdir(INPUTS)
    name, *rest = (PROGRAMS[word](tmp_path) if word in PROGRAMS else word for word in shlex.split(case))
    main([name, *rest, "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == VERSION
    assert [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(document)] == []
    for where, part in parts(document):
        part["another"] = {"": {"": ""}}
        assert not validator(name).is_valid(document), f"one key more at {where}"
        del part["another"]
    for key in list(document):
        kept = document.pop(key)
        assert not validator(name).is_valid(document), f"without {key}"
        document[key] = kept


def parts(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield an object of each kind: of those that stand at the same keys the first."""
    seen: set[str] = set()
    waiting: list[tuple[str, Any]] = [("", document)]
    while waiting:
        where, part = waiting.pop()
        if isinstance(part, dict):
            if where not in seen:
                yield where, part
            seen.add(where)
            waiting += [(f"{where}.{key}", value) for key, value in part.items()]
        elif isinstance(part, list):
            waiting += [(f"{where}[]", value) for value in reversed(part)]


@pytest.mark.parametrize(
    "command",
    [
        "trace @corpus/axioms", "conv @corpus/convergence", "uniform @corpus/convergence", "prove --list",
        "theorems --list", "models amdgpu --text",
    ],
)  # fmt: skip
def test_what_is_no_one_document_is_refused(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), "--format", "json"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and "  hint: " in printed.err


def test_a_file_has_what_is_said_of_one_test(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "trace"
    assert main(["trace", "@corpus/axioms", "--model", "sc", "-o", str(target)]) == 2
    assert capsys.readouterr().err.startswith("@corpus/axioms: error: these are 5 tests, and one fits here\n")
    assert not target.exists()


@pytest.mark.parametrize("name", sorted(names()))
def test_schemas_are_strict(name: str) -> None:
    """Every object says which keys it has, has no others, and all of them but those that options ask for."""
    Draft202012Validator.check_schema(schema(name))
    for part in schemas_of(schema(name)):
        if "properties" in part:
            assert part["additionalProperties"] is False
            assert set(part["properties"]) - set(part["required"]) <= OPTIONAL
            assert set(part["required"]) <= set(part["properties"])
        elif part.get("type") == "object":
            assert isinstance(part["additionalProperties"], dict)


def schemas_of(part: object) -> Iterator[dict[str, Any]]:
    """Yield a schema and those in it."""
    if isinstance(part, list):
        for each in part:
            yield from schemas_of(each)
    elif isinstance(part, dict):
        if not all(isinstance(value, dict) for value in part.values()) or "$ref" in part:
            yield part
        for value in part.values():
            yield from schemas_of(value)


def test_a_verdict_on_compiled_code_satisfies_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    main(["verify", f"{FINDING}.litmus", "--target", "gfx942", "--asm", f"{FINDING}.gfx942.s", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    (verdict,) = document["verifications"]
    assert verdict["violations"] and verdict["timeline"] and verdict["differences"]
    assert list(validator("verify").iter_errors(document)) == []


MARKS = ["committed", "unsound", "perhaps unsound", "imprecise", "depends on the hierarchy"]


def enumerated(part: object, where: str = "") -> Iterator[tuple[str, list[object]]]:
    """Yield each enumeration of a schema with the keys that lead to it."""
    if isinstance(part, list):
        for each in part:
            yield from enumerated(each, where)
    elif isinstance(part, dict):
        if isinstance(part.get("enum"), list):
            yield where, part["enum"]
        for key, value in part.items():
            inner = where if key in ("properties", "$defs", "items", "anyOf", "oneOf") else f"{where}.{key}"
            yield from enumerated(value, inner)


def test_schemas_enumerate_what_the_program_does() -> None:
    statuses = [PASSED, MISMATCH, UNKNOWN, UNCHECKED]
    known = {
        "common.verdict": VERDICTS,
        "common.soundness": SOUNDNESS,
        "common.relation": RELATIONS,
        "common.mode": dict.fromkeys(mode for family in families().values() for mode in family.modes),
        "common.profile": PROFILES,
        "common.scope": SCOPE_OF,
        "common.ends": [verdict.value for verdict in Verdict],
        "common.fairness": [model.value for model in Progress],
        "common.diagnostic.severity": ["error", "warning"],
        "common.explained": [answer.value for answer in ExplainedAnswer],
        "common.marks.stress": [stress.value for stress in Stress],
        "run.status": statuses,
        "report.test.status": [PASSED, *PROBLEMS],
        "report.test.models.status": statuses,
        "sarif.level": ["error", "warning", "note"],
        "sarif.rule": [kind.word for kind in Problems],
        "run.check.kind": ["verdict", "outcomes"],
        "diff.bound.kinds": [SHOWN.get(kind, kind.value) for kind in (*KINDS, *MAKES)],
        "diff.bound.orderings": [ordering.value for ordering in Ordering],
        "diff.searches.direction": DIRECTIONS,
        "lower.instruction.kind": [kind.value for kind in InstructionKind],
        "loopmd.kernels.profile": [profile.value for profile in LoopProfile],
        "loopmd.kernels.target": [target.value for target in LoopTarget],
        "loopmd.kernels.nests.cases.stages.decisions.outcomes.words": OUTCOME_WORDS,
        "hunt.hunt.found.verdict": ["unsound"],
        "passes.trial.changes.verdicts.verdict": JUDGED,
        "progress.answers.schedule.ending": [ending.name.lower() for ending in ExecutionEnding],
        "prove.proofs.status": [PROVED, UNKNOWN],
        "repair.searches.status": [status.value for status in RepairStatus],
        "table.lowering.families.l2": dict.fromkeys(count for family in families().values() for count in family.l2),
        "theorems.theorems.expected": [HOLDS, REFUTED, UNKNOWN],
        "theorems.theorems.status": [HOLDS, REFUTED, UNKNOWN],
        "trace.tables.stage": STAGES,
        "uniform.kernels.answers.llvm": ["uniform", "divergent"],
        "uniform.kernels.set": [threads.value for threads in Threads],
        "uniform.kernels.answers.sound": ["uniform", "divergent"],
        "uniform.kernels.answers.exact": ["uniform", "divergent"],
        "uniform.kernels.answers.marks": MARKS,
        "uniform.loads.selection": [selection.name.lower() for selection in LoadClass],
        "verify.cell.says": [NEEDED, PROGRESS, REGISTER, ALLOWED, matrix.UNKNOWN, matrix.NOTHING],
        "verify.needs.elements.kind": ELEMENTS,
        "verify.verification.evidence.additionalProperties.standing": STANDINGS,
        "verify.verification.standing": [DOCUMENTED, OPEN],
        "common.hazard.kind": [kind.value for kind in HazardKind],
        "verify.necessity.rules.verdict": necessity.VERDICTS,
    }
    found = {f"{name}{where}": values for name in names() for where, values in enumerated(schema(name))}
    assert {where: sorted(map(str, values)) for where, values in found.items()} == {
        where: sorted(values) for where, values in known.items()
    }
    assert schema("common")["$defs"]["version"]["const"] == VERSION
