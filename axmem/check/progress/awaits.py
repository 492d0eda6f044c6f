"""Whether a test under a memory model can wait for ever, if every lane that can step does.

What goes in: a test, a cat model. What comes out: whether some consistent execution exists in which lanes stay in loops
that only wait (`axmem.events.awaits`), and all others have ended. A fair scheduler leaves every write the time to be
seen, so that such a lane reads the last write of `co`, in the iteration that stands for all later ones. Invariant: what
goes on beyond the bound of another loop makes the answer unknown.
"""

from __future__ import annotations

from axmem.check.progress.answers import doubt
from axmem.check.progress.models import Verdict
from axmem.check.races import RaceSearch, broken_promises, race
from axmem.check.results import format_lanes
from axmem.encoder.circuit import FALSE
from axmem.encoder.constraints import Encoding, encode
from axmem.encoder.limits import Reason
from axmem.encoder.solve import UNLIMITED, Deadline, Limits, Questions, Solved, answer
from axmem.events.conventions import conventions
from axmem.events.graph import EventGraph
from axmem.events.unroll import event_graph
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError
from axmem.litmus import syntax as ast
from axmem.litmus.kernels import SIGNATURES
from axmem.litmus.walk import located
from axmem.model.model import Model


@dataclass(frozen=True, slots=True)
class Waiting:
    """The answer under a memory model.

    `stuck` are the lanes that wait for ever at once, each with the header of its loop, `outcome` what the others have
    then; `undefined` are reasons of undefined behaviour, with what was found of `races` from which it may come;
    `limits` say why the answer is unknown.
    """

    memory: str
    verdict: Verdict
    stuck: tuple[tuple[str, str], ...] = ()
    outcome: str = ""
    undefined: tuple[str, ...] = ()
    limits: tuple[Reason, ...] = ()
    races: RaceSearch | None = None

    @property
    def faults(self) -> tuple[str, ...]:
        """Why something is undefined, and an empty text for who waits for ever."""
        return (*self.undefined, *([""] if self.stuck else []))


def waiting(test: ast.LitmusTest, model: Model) -> Waiting:
    """Return whether a test can wait for ever under a model; raise InputError for convergent operations."""
    _refuse(test)
    found = _waiting(test, model)
    unsure = found.faults and doubt(found.faults, test.supposed)
    return replace(found, verdict=Verdict.UNKNOWN) if unsure else found


def _waiting(test: ast.LitmusTest, model: Model) -> Waiting:
    graph = event_graph(test, replace(conventions(model), stuck=True, retries=False))
    encoding = encode(graph, model)
    assert encoding is not None
    stuck = _assert_last(graph, encoding)
    asked = _ask(encoding, Questions(literals=tuple(stuck)))
    everyone: list[int] = []
    for literal, possible in zip(stuck, asked.possible, strict=True):
        if possible and _ask(encoding, Questions(assume=tuple(everyone), literals=(literal,))).possible[0]:
            everyone.append(literal)
    if everyone:
        places = (s for s, literal in zip(graph.stuck, stuck, strict=True) if literal in everyone)
        names = tuple(dict.fromkeys((graph.threads[s.thread], s.header) for s in places))
        outcome, broken = _outcome(graph, encoding, everyone, names), broken_promises(graph, asked.undefined)
        return Waiting(model.name, Verdict.ENDLESS, names, outcome, broken)
    if asked.undefined:
        reasons = tuple(sorted(asked.undefined))
        return Waiting(model.name, Verdict.ENDLESS, undefined=reasons, races=race(test, model))
    return Waiting(model.name, Verdict.UNKNOWN if asked.incomplete else Verdict.ENDS, limits=asked.incomplete)


def _refuse(test: ast.LitmusTest) -> None:
    calls = [s for _, s in located(test) if isinstance(s, ast.Call) and s.operation in SIGNATURES]
    if calls:
        message = "under a memory model, progress does not know '{}' yet"
        raise InputError([Diagnostic(test.source, call.span, message.format(call.operation)) for call in calls])


def _assert_last(graph: EventGraph, encoding: Encoding) -> list[int]:
    """Assert that who waits for ever reads the last writes; return the literals of that, one for each place."""
    circuit, candidate = encoding.circuit, encoding.candidate
    found = []
    for stuck in graph.stuck:
        literal = candidate.guard(stuck.guard)
        found.append(literal)
        for read, failing in stuck.reads:
            # A read takes its value from a write that no other one to its cell comes after.
            last = [
                circuit.conjunction([candidate.source(write, read), literal])
                for write, literal in candidate.last(graph.events[read].cell).items()
            ]
            circuit.add(-literal, -candidate.executed[read], *last)
            # A weak cmpxchg does not fail without reason for ever.
            if failing is not None:
                circuit.add(-literal, -candidate.executed[read], -candidate.value(failing).get(0, FALSE))
    candidate.constrain_orders()
    return found


def _ask(encoding: Encoding, questions: Questions, limits: Limits = UNLIMITED) -> Solved:
    return answer(encoding=encoding, questions=questions, limits=limits, deadline=Deadline(None))


def _outcome(graph: EventGraph, encoding: Encoding, assumed: list[int], stuck: tuple[tuple[str, str], ...]) -> str:
    """Return an outcome of an execution in which lanes wait for ever, as far as the others have ended."""
    waits = {lane for lane, _ in stuck}
    names = [observed.name.split(":")[0] for observed in graph.observed]
    columns = tuple(k for k, name in enumerate(names) if name not in waits)
    solved = _ask(encoding, Questions(columns=columns, assume=tuple(assumed)), Limits(outcomes=1))
    (row, *_) = solved.rows
    shown = [graph.observed[k] for k in columns]
    return "  ".join(
        f"{o.name}={format_lanes(value, o.type, graph.locations)}" for o, value in zip(shown, row, strict=True)
    )
