"""What becomes of the loop metadata of a kernel: `axmem kernel loopmd`.

What goes in: a kernel, a profile, a target, a pipeline, and what the user says of costs. What comes out: for each nest
of loops the cases that are left.
"""

from __future__ import annotations

from axmem.front.records import dataclass, replace
from axmem.front.source import did_you_mean, mistake
from axmem.litmus.syntax import Kernel
from axmem.transform.answers import PassSettings
from axmem.transform.cost_answers import Told, told
from axmem.transform.forest import Tree
from axmem.transform.legality import forest
from axmem.transform.passes import PassTarget, Profile
from axmem.transform.pipeline_cases import CostCase, Run, cases
from axmem.transform.pipelines import DEFAULT, Pipeline, passes_of, pipeline


@dataclass(frozen=True, slots=True)
class MetadataQuestion:
    """Under whose rules, for which target, which passes; what is done, and what not, where costs decide."""

    profile: Profile = Profile.LLVM_22
    target: PassTarget = PassTarget.X86_64
    pipeline: str = DEFAULT
    do: tuple[str, ...] = ()
    dont: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Nest:
    """An outermost loop before all passes, and what may become of it."""

    before: Tree
    cases: tuple[CostCase, ...]


@dataclass(frozen=True, slots=True)
class LoopReport:
    """What becomes of the loops of a kernel."""

    kernel: str
    question: MetadataQuestion
    pipeline: Pipeline
    nests: tuple[Nest, ...]


def loop_metadata(kernel: Kernel, question: MetadataQuestion) -> LoopReport:
    """Return what the passes of a pipeline make of the loops of a kernel.

    Raises InputError for an unknown pipeline or pass, for a loop that no pass comes to, and for more cases of one nest
    than can be told apart.
    """
    chosen = passes_over(kernel, question)
    running = passes_of(chosen, question.profile)
    said = told(question.do, question.dont, running)
    settings = PassSettings(question.profile, question.target, chosen.forced_only)
    run = Run(running, settings, said, chosen.warns)
    nests = tuple(Nest(tree, cases(tree, run)) for tree in forest(kernel))
    _met(said, nests)
    return LoopReport(kernel.name, question, chosen, nests)


def passes_over(kernel: Kernel, question: MetadataQuestion) -> Pipeline:
    """Return the pipeline for a kernel: passes leave an `optnone` one alone, `transform-warning` too ([LangRef])."""
    found = pipeline(question.pipeline, question.profile)
    return replace(found, passes=(), warns=False, idle="the kernel is optnone") if kernel.optnone else found


def _met(said: tuple[Told, ...], nests: tuple[Nest, ...]) -> None:
    """Raise InputError for what is said of a loop that its pass never comes to."""
    met = {(d.pass_, d.loop) for nest in nests for case in nest.cases for d in case.decisions}
    for each in said:
        if (each.pass_, each.loop) not in met:
            names = sorted(loop for pass_, loop in met if pass_ == each.pass_)
            hint = did_you_mean(each.loop, names) or f"it comes to {', '.join(names) or 'none'}"
            option = "--do" if each.done else "--dont"
            raise mistake(option, f"{each.pass_} comes to no loop '{each.loop}'", hint, text=each.text)
