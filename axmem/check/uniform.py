"""Which values of a kernel are uniform: what LLVM says, what is sound, and what happens.

What goes in: a kernel of a test. What comes out: for each register and each branch the answer of LLVM 22's rules, of
the sound ones, and of LLVM's in the other hierarchies; and, where neither memory nor other lanes decide, whether
converged lanes of a wave differ in some execution of the bound, with that execution. Invariant: what is refuted has a
witness, and what could not be asked says so. Only executions take time, which a limit may be set to.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import TypeVar

from axmem.check.differing import DivergenceQuestion, askable, differing
from axmem.check.lane_execution import Arguments, LaneRunner, LaneStep, UnknownPath, Values, arguments, known
from axmem.check.selection import AnyModel, loaded
from axmem.convergence.controlled import END, given_around
from axmem.convergence.cycles import Hierarchies, hierarchies
from axmem.convergence.function import FlowFunction, InstructionPlace
from axmem.convergence.kernels import Threads, checked, controls
from axmem.convergence.keys import Headers, keys
from axmem.convergence.modules import checked_flow
from axmem.convergence.uniformity import DivergenceReason, Rules, Uniformity, sound, uniformity
from axmem.formats.ir.syntax import Function, Module
from axmem.front import clock
from axmem.front.clock import OutOfTime, working
from axmem.front.records import dataclass, replace
from axmem.litmus.launch import Lane, lanes
from axmem.litmus.ssa import single_assignment
from axmem.litmus.syntax import I32, I64, Kernel, LitmusTest, Load
from axmem.litmus.undef import agree, text_of

T = TypeVar("T")
LEAST_SECONDS = 0.005
"""What is not begun any more in less."""



@dataclass(frozen=True, slots=True)
class UniformityAnswer:
    """What is said of a register, or of the branch that ends a block (`register` empty).

    `llvm` and `sound` are why it is divergent, None if it is uniform. `others` are the names of the hierarchies in
    which LLVM's rules say otherwise. `differs` has for each hierarchy, by its name, in which converged lanes differ,
    what they have. `asked` says that this could be asked, and that there are converged lanes which execute the block.
    Of a load that LLVM calls uniform `committed` says that lanes which load by themselves may differ. Without `by_llvm`
    LLVM says nothing, as its analysis is of a wave.
    """

    block: str
    register: str
    llvm: DivergenceReason | None
    sound: DivergenceReason | None
    others: tuple[str, ...]
    differs: Mapping[str, str]
    asked: bool
    committed: bool = False
    by_llvm: bool = True

    def marks(self, own: str) -> tuple[str, ...]:
        """Return what is to be noted; `own` is the name of LLVM's hierarchy."""
        if not self.by_llvm:
            return ("depends on the hierarchy",) if self.differs and own not in self.differs else ()
        found = []
        if self.committed:
            found.append("committed")
        elif self.llvm is None and own in self.differs:
            found.append("unsound")
        if self.llvm is None and self.sound is not None and not self.asked:
            found.append("perhaps unsound")
        if self.llvm is not None and self.asked and not self.differs:
            found.append("imprecise")
        if self.others or (self.llvm is None and self.differs.keys() - {own}):
            found.append("depends on the hierarchy")
        return tuple(found)


@dataclass(frozen=True, slots=True)
class UniformityReport:
    """What is said of a kernel, across a set of threads; `whole` says that no path was cut at the bound.

    `model` is that under which the solver was asked about what memory or other lanes decide; empty: there is nothing.
    `cut` says that the time of executions was over before everything was asked.
    """

    kernel: str
    hierarchies: Hierarchies
    answers: tuple[UniformityAnswer, ...]
    bound: int
    model: str
    whole: bool
    threads: Threads = Threads.WAVE
    cut: bool = False


def uniform(
    test: LitmusTest,
    kernel: Kernel,
    model: AnyModel = "llvm",
    *,
    bound: int = 4,
    threads: Threads = Threads.WAVE,
    seconds: float | None = None,
) -> UniformityReport:
    """Return what is uniform in a kernel across a set of threads; raise InputError if its tokens break a rule.

    What memory and other lanes decide is asked of the solver under a model, for LLVM's hierarchy. Where there are
    tokens executions are converged as these say, of an anchor's operations those of one class. `seconds` of a processor
    are what executions may take (None: no limit).
    """
    function = checked(kernel, test, threads)
    llvm = threads is Threads.WAVE
    found = hierarchies(function.graph)
    by_rules = [uniformity(function, hierarchy, Rules.LLVM_22) for hierarchy in found.found if llvm]
    safe = sound(function, found)
    budget = _Budget(seconds)
    observed = _Observed(kernel, function, found)
    budget.spend(lambda: observed.run(test, bound, threads))
    answers = tuple(_static(function, by_rules, safe, observed.answer))
    label = ""
    if not observed.asked or any(not a.asked and (a.block, a.register) in observed.met for a in answers):
        solver = _Solver(replace(test, bound=bound), kernel, model, answers, threads)
        answers = tuple(solver.answer(answer, found.found[0].name, budget) for answer in answers)
        label = solver.label
    return UniformityReport(kernel.name, found, answers, bound, label, observed.whole, threads, budget.over)


def uniform_alone(module: Module, function: Function, *, threads: Threads = Threads.WAVE) -> UniformityReport:
    """Return what is uniform in a function of LLVM IR of which nothing is said; no execution of it is asked about.

    Raises `InputError` if its tokens break a rule.
    """
    flow = checked_flow(module, function, threads)
    found = hierarchies(flow.graph)
    by_rules = [uniformity(flow, hierarchy, Rules.LLVM_22) for hierarchy in found.found if threads is Threads.WAVE]
    answers = tuple(_static(flow, by_rules, sound(flow, found), partial(_answer, found)))
    return UniformityReport(function.name, found, answers, 0, "", whole=True, threads=threads)


def _answer(
    found: Hierarchies, block: str, register: str, by_llvm: list[DivergenceReason | None] | None,
    safe: DivergenceReason | None, differs: Mapping[str, str] | None = None, *, asked: bool = False,
) -> UniformityAnswer:  # fmt: skip
    """Return what is said of a register or branch, given what LLVM's rules say in each hierarchy, or None."""
    reasons = by_llvm or [None] * len(found.found)
    pairs = zip(found.found, reasons, strict=True)
    others = [hierarchy.name for hierarchy, reason in pairs if (reason is None) != (reasons[0] is None)]
    return UniformityAnswer(
        block, register, reasons[0], safe, tuple(others), differs or {}, asked, by_llvm=by_llvm is not None
    )


def _static(
    function: FlowFunction, by_rules: Iterable[Uniformity], safe: Uniformity, answer: Callable[..., UniformityAnswer]
) -> Iterator[UniformityAnswer]:
    """Yield what rules say of each register and branch, with what lanes were seen to do."""
    for block in function.graph.successors:
        for number, instruction in enumerate(function.blocks[block].instructions):
            if instruction.register and " " not in instruction.register and not instruction.control.role.defines:
                place = InstructionPlace(block, number)
                reasons = [u.values.get(place) for u in by_rules] or None
                yield answer(block, instruction.register, reasons, safe.values.get(place))
        if len(set(function.graph.successors[block])) > 1:
            reasons = [u.branches.get(block) for u in by_rules] or None
            yield answer(block, "", reasons, safe.branches.get(block))


class _Budget:
    """The seconds of a processor that executions may take (None: no limit); `over` says that something was cut."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.process_time() + seconds
        self.over = False

    def spend(self, work: Callable[[], T]) -> T | None:
        """Return what some work gives in half of the time that is left, None if that is too little.

        So what takes long leaves time for what does not.
        """
        if self._end is None:
            return work()
        share = (self._end - time.process_time()) / 2
        try:
            if share < LEAST_SECONDS:
                raise OutOfTime
            with working(share):
                found = work()
                clock.check()
                return found
        except OutOfTime:
            self.over = True
            return None


class _Solver:
    """Asks the solver about registers whose values come from memory or from other lanes."""

    def __init__(
        self, test: LitmusTest, kernel: Kernel, model: AnyModel, answers: Iterable[UniformityAnswer], threads: Threads
    ) -> None:
        self._threads = threads
        self._test = test
        self._kernel = kernel
        self._model = loaded(model)
        self.label = self._model.name
        self._askable = askable(kernel)
        uniform_ = {answer.register for answer in answers if answer.llvm is None and answer.by_llvm}
        statements = (s for block in single_assignment(kernel).blocks for s in block.statements)
        self._loads = {
            s.register for s in statements
            if isinstance(s, Load) and s.register in uniform_ and self._askable.get(s.register) in (I32, I64)
        }  # fmt: skip

    def answer(self, answer: UniformityAnswer, own: str, budget: _Budget) -> UniformityAnswer:
        """Return an answer with what the solver says in time, if nothing else could be asked."""
        if answer.asked or (answer.register and answer.register not in self._askable):
            return answer
        asked = DivergenceQuestion(answer.block, answer.register, self._threads)
        lanes_ = budget.spend(
            lambda: differing(self._test, self._kernel, asked, self._model, committed=self._loads)
        )
        if lanes_ is None or (not lanes_ and _own(self._kernel)):
            return answer  # The solver has asked about lanes with the same arguments.
        word = "differ" if len(lanes_) > 1 else "differs"
        said = f"in some execution under {self.label}, {', '.join(lanes_)} {word} from the first lane"
        committed = answer.register in self._loads and bool(lanes_)
        return replace(answer, asked=True, differs={own: said} if lanes_ else {}, committed=committed)


@dataclass(frozen=True, slots=True)
class _Ran:
    """A lane with its arguments and what it did."""

    lane: Lane
    given: Arguments
    steps: tuple[LaneStep, ...]

    @property
    def blocks(self) -> list[str]:
        return [step.block for step in self.steps]


def _differ(one: Values, other: Values) -> bool:
    """Whether two values differ; undef may be anything."""
    return any(not agree(a, b) for a, b in zip(one, other, strict=True))


def _written(value: Values) -> str:
    return ", ".join(map(text_of, value))


def _own(kernel: Kernel) -> set[str]:
    """Return the parameters of which each lane may have a value of its own."""
    return {p.name for p in kernel.parameters if p.divergent and len(p.values) > 1}


SHARED = {Threads.WORKGROUP: 1, Threads.WAVE: 2}
"""How many of the numbers of workgroup and wave the threads of a set have in common."""


class _Observed:
    """What converged lanes do, as far as arguments and their numbers decide."""

    def __init__(self, kernel: Kernel, function: FlowFunction, found: Hierarchies) -> None:
        self._kernel = kernel
        self._found = found
        self._function = function
        self._controlled = controls(kernel) is not None
        self._numbers = {(place.block, i.register): place.number for place, i in function.instructions()}
        self._shown = {p.name for p in kernel.parameters if p.type.pointer is None}
        self._own = _own(kernel)
        self.met: set[tuple[str, str]] = set()
        self._unknown: set[tuple[str, str]] = set()
        self._differs: dict[tuple[str, str], dict[str, str]] = {}
        self.asked = False
        self.whole = True

    def run(self, test: LitmusTest, bound: int, threads: Threads) -> None:
        """Execute all lanes with all arguments; `asked` is set where that ends, and no path depends on memory."""
        headers = [hierarchy.all_headers() for hierarchy in self._found.found]
        runner = LaneRunner(self._kernel, test, headers[0], bound)
        try:
            for alike in self._given(test):
                ran = [_Ran(lane, g, tuple(runner.steps(lane, g))) for g in alike for lane in lanes(self._kernel)]
                self._note(ran)
                for pair in combinations(ran, 2):
                    one, other = ((r.lane.workgroup, r.lane.wave)[: SHARED[threads]] for r in pair)
                    if one == other and pair[0].lane != pair[1].lane:
                        for hierarchy, around in zip(self._found.found, headers, strict=True):
                            self._compare(hierarchy.name, around, pair)
        except UnknownPath:
            return
        self.asked = True

    def _given(self, test: LitmusTest) -> Iterable[list[Arguments]]:
        """Return the arguments that a kernel is tried with; lanes of one launch may have different ones of a list."""
        lists: dict[tuple[object, ...], list[Arguments]] = {}
        for given in arguments(self._kernel, test):
            lists.setdefault(tuple(v for n, v in given.items() if n not in self._own), []).append(given)
        return lists.values()

    def _note(self, ran: Iterable[_Ran]) -> None:
        """Note which registers are not known, and whether a path was cut."""
        for step in (step for each in ran for step in each.steps):
            self._unknown |= {(step.block, register) for register, value in step.values.items() if value is None}
            self.whole &= not step.cut

    def _compare(self, name: str, headers: Headers, pair: tuple[_Ran, _Ran]) -> None:
        """Note where two lanes of a set differ in converged executions of a block."""
        one, other = ({key: i for i, key in enumerate(keys(r.blocks, headers))} for r in pair)
        around = [list(given_around(self._function, r.blocks, headers)) for r in pair] if self._controlled else []
        for key in (key for key in one if key in other):
            at = (one[key], other[key])
            first, second = (ran.steps[i] for ran, i in zip(pair, at, strict=True))
            apart = set[int]()
            if around:
                given, given_other = around[0][at[0]], around[1][at[1]]
                apart = {number for number in given if given[number] != given_other[number]}
            together = [r for r in first.values if self._numbers.get((key.block, r)) not in apart]
            self.met |= {(key.block, r) for r in together} | ({(key.block, "")} if END not in apart else set())
            seen = [(r, first.values[r], second.values.get(r)) for r in together]
            found = {(key.block, r): (v, w) for r, v, w in seen if v and w and _differ(v, w)}
            if END not in apart and first.target and second.target and first.target != second.target:
                self._witness(name, (key.block, ""), pair, at, (f"goes to {first.target}", f"goes to {second.target}"))
            for what, (v, w) in found.items():
                self._witness(name, what, pair, at, (f"has {_written(v)}", f"has {_written(w)}"))

    def _witness(
        self, name: str, what: tuple[str, str], pair: tuple[_Ran, _Ran], at: tuple[int, int], shown: tuple[str, str]
    ) -> None:
        """Keep the first witness of each register or branch in each hierarchy."""
        one, other = (r.blocks[: i + 1].count(what[0]) for r, i in zip(pair, at, strict=True))
        given = [f"{n}={_written(known(v))}" for n, v in pair[0].given.items() if n in self._shown - self._own]
        often = max(one, other) > 1
        parts = [f"with {', '.join(given)}"] if given else []
        for ran, number, text in zip(pair, (one, other), shown, strict=True):
            own = ", ".join(f"{n}={_written(known(v))}" for n, v in ran.given.items() if n in self._shown & self._own)
            lane = f"{ran.lane.name} ({own})" if own else ran.lane.name
            parts.append(f"{lane} {text}" + f" in execution {number} of the block" * often)
        self._differs.setdefault(what, {}).setdefault(name, ", ".join(parts))

    def answer(
        self, block: str, register: str, by_llvm: list[DivergenceReason | None] | None, safe: DivergenceReason | None
    ) -> UniformityAnswer:
        """Return all that is said of a register or branch, given what LLVM's rules say in each hierarchy, or None."""
        what = (block, register)
        asked = self.asked and what in self.met and what not in self._unknown
        return _answer(self._found, block, register, by_llvm, safe, self._differs.get(what), asked=asked)
