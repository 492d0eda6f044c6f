"""A kernel transformed as its loop metadata asks for: `axmem kernel transform --metadata`.

What goes in: a kernel, and the question that `axmem kernel loopmd` answers. What comes out: the kernel after, its loops
with the LoopIDs that are decided there.
Invariant: only one case is left, and every transformation of it is one that can be
done to code; what cannot is refused by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from axmem.front.records import replace
from axmem.front.source import mistake
from axmem.litmus.kernels import Branch, Label
from axmem.litmus.loops import LoopID
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import Kernel, LitmusTest, Statement
from axmem.transform.answers import Outcome
from axmem.transform.applying import Transformed, apply_all, untouched
from axmem.transform.identities import Identities, names_in
from axmem.transform.loops import loops
from axmem.transform.metadata import MetadataQuestion, loop_metadata
from axmem.transform.passes import SCALAR, When
from axmem.transform.pipeline_cases import CostCase, Decision

NAMES = {"unroll-and-jam": "jam", "versioning-licm": "version"}
"""What transformations are called where they are applied to code, if not as in lists of passes."""


def executed(kernel: Kernel, question: MetadataQuestion, **options: object) -> tuple[str, Transformed]:
    """Return the transformations that metadata asks for, as `apply_all` reads them (`""`: none), and the kernel after.

    `options` are those of `apply_all`. Raises InputError where costs leave several cases open, where a factor is not
    known, and for what cannot be followed in code; `Refused` for what would be wrong.
    """
    report = loop_metadata(kernel, question)
    for nest in report.nests:
        if len(nest.cases) > 1:
            message = f"costs leave {len(nest.cases)} cases of the loop '{nest.before.name}' open"
            hint = "say what is done with --do and --dont; axmem kernel loopmd shows the cases"
            raise mistake("--metadata", message, hint)
    steps = _Steps(kernel, options)
    chosen = [nest.cases[0] for nest in report.nests]
    for number in range(len(report.pipeline.passes)):
        for case in chosen:
            for decision in case.stages[number].decisions:
                if decision.outcomes:
                    steps.take(decision)
    after = steps.transformed()
    return steps.text, replace(after, kernel=_with_ids(after.kernel, steps, chosen))


class _Steps:
    """Transformations one after the other, and which loops of the code the loops of the forest are."""

    def __init__(self, kernel: Kernel, options: dict[str, object]) -> None:
        self.kernel, self.options = kernel, options
        self.texts: list[str] = []
        self.headers = {loop.header: loop.header for loop in loops(single_assignment(kernel))}
        self.inside = {loop.parent: loop.header for loop in loops(single_assignment(kernel)) if loop.parent}

    @property
    def names(self) -> frozenset[str]:
        """The names of LoopIDs and access groups that the kernel had, and those of the rest of the test."""
        known = names_in(LitmusTest("", "", (), (), kernels=(self.kernel,)))
        return known.union(self.options.get("reserved", ()))  # type: ignore[arg-type]

    @property
    def text(self) -> str:
        """What has been done, as `apply_all` reads it."""
        return "; ".join(self.texts)

    def transformed(self) -> Transformed:
        """Return the kernel after what has been done; as it was if that is nothing."""
        if not self.texts:
            return untouched(self.kernel, self.options.get("observed", ()))  # type: ignore[arg-type]
        return apply_all(self.kernel, self.text, **self.options)  # type: ignore[arg-type]

    def take(self, decision: Decision) -> None:
        """Do what was decided of a loop."""
        header = self.headers.pop(decision.loop, None)
        if header is None:
            message = f"the loop '{decision.loop}' is copied, and its copies are not followed in code"
            raise mistake("--metadata", message, "transform it with --apply")
        (outcome, *_) = decision.outcomes
        if outcome.kinds == (SCALAR,):
            self.headers[f"{decision.loop}.{SCALAR}"] = header
            return
        if "masked" in outcome.words:
            message = f"the vector loop of '{decision.loop}' has masks, which are not followed in code"
            raise mistake("--metadata", message, "transform it with --apply")
        old = dict(self.transformed().loops) if self.texts else {}
        self.texts.append(self.written(decision, header))
        inner = self.inside.get(header)
        below = next((name for name, each in self.headers.items() if each == inner), None)
        for new, made in self.transformed().loops.items():
            if old.get(new) != made:
                own = below if made.kind.endswith("inner") and below else decision.loop
                self.headers[f"{own}.{made.kind.replace(' ', '-')}"] = new
        if decision.transformation == "unroll-and-jam" and below:
            self.headers.pop(below)

    def written(self, decision: Decision, header: str) -> str:
        """Return one transformation as a text has it."""
        outcome = decision.outcomes[0]
        name = NAMES.get(decision.transformation, decision.transformation)
        match decision.transformation:
            case "unroll" if not outcome.kinds:
                return f"unroll({header})"
            case "unroll":
                tests = ", tests" if When.TESTS_BETWEEN in outcome.when else ""
                return f"unroll({header}, {_factor(decision, outcome)}{tests})"
            case "vectorize":
                how = "interleave" if "interleaved" in outcome.words else "vectorize"
                return f"{how}({header}, {_factor(decision, outcome)})"
            case "unroll-and-jam":
                return f"{name}({header}, {_factor(decision, outcome)})"
            case "interchange":
                return f"{name}({header}, {self.inside[header]})"
        return f"{name}({header})"


def _factor(decision: Decision, outcome: Outcome) -> int:
    if outcome.factor is None:
        message = f"by which factor {decision.pass_} takes '{decision.loop}' is not known"
        raise mistake("--metadata", message, f"--do '{decision.pass_}(4)@{decision.loop}'")
    return outcome.factor


# ---------------------------------------------------------------- LoopIDs


def _with_ids(kernel: Kernel, steps: _Steps, chosen: list[CostCase]) -> Kernel:
    """Return a transformed kernel, a body of labels and branches, with the LoopIDs that were decided.

    Accesses still name the LoopIDs for which something is promised, and what an access promises in a loop that is no
    more must not come to hold of another one; so a new LoopID takes no name that the test has.
    """
    trees = {tree.name: tree for case in chosen for root in case.loops for tree in root.walk()}
    by_header = {header: trees[name] for name, header in steps.headers.items() if name in trees}
    flow = single_assignment(kernel)
    followed = [loop for loop in loops(flow) if loop.header in by_header]
    given = Counter(loop.identity.name for loop in loops(flow) if loop.identity is not None)
    identities = Identities(flow, steps.names)
    ids: dict[str, LoopID | None] = {}
    for loop in followed:
        identity, now = by_header[loop.header].identity, loop.identity
        own = now is not None and now.name not in steps.names and given[now.name] == 1
        name = now.name if now is not None and own else identities.fresh()
        ids[loop.latch] = None if identity is None else identity.loop_id(name)
    return replace(kernel, body=tuple(_replaced(kernel.body, ids)))


def _replaced(body: tuple[Statement, ...], ids: dict[str, LoopID | None]) -> Iterator[Statement]:
    block = ""
    for statement in body:
        if isinstance(statement, Label):
            block = statement.name
        if isinstance(statement, Branch) and block in ids:
            statement = replace(statement, loop=ids[block])
        yield statement
