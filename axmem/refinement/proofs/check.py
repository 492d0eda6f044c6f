"""Is a claim proved by a file of lemmas, for executions of any size?

What goes in: a `Claim` and the `Script` that is to prove it. What comes out: a `Proof`: each lemma and each thing that
the claim asks for with the provers that found it to follow, or why none did. Invariant: a step is supposed by later
ones only if a prover found that it follows from what was known before; `proved` is said only if everything that the
claim asks for was so found. That this is enough is argued in the package, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from axmem.encoder.firstorder import InclusionQuestion, NotFirstOrder, TermInclusion, induction
from axmem.encoder.provers import SATISFIABLE, UNSATISFIABLE, provers
from axmem.front.records import dataclass, field, replace
from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean, mistake
from axmem.model.cursor import Refusal
from axmem.model.facts import PREMISES, Premise
from axmem.model.model import Model
from axmem.model.quantities import NameScope, Quantity, QuantityKind
from axmem.model.syntax import Let
from axmem.model.terms import Axiom, Op
from axmem.refinement.bounded.inclusion import NOT_ANTITONE
from axmem.refinement.bounded.lemmas import antitone_undef
from axmem.refinement.proofs.script import About, CarriedOver, Hinted, Hints, InclusionClaim, Lemma, Script, Word
from axmem.refinement.proofs.theory import Theory

PROVED, UNKNOWN = "proved", "unknown"


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A lemma, or what the claim asks for (`goal`): its text, the provers that proved it, or why none did.

    A lemma that nobody wrote has no name: that a closure lies in that of the other execution.
    """

    name: str
    text: str
    provers: tuple[str, ...]
    goal: bool = False
    reason: str = ""

    @property
    def proved(self) -> bool:
        """Whether it is proved."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class Proof:
    """What became of the steps, in order; `premises` say of which programs they speak, in words."""

    steps: tuple[ProofStep, ...]
    premises: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """`proved` if all that is asked for is proved."""
        goals = [s for s in self.steps if s.goal]
        return PROVED if goals and all(s.proved for s in goals) else UNKNOWN

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The names of the lemmas that were proved."""
        return tuple(s.name for s in self.steps if s.proved and s.name and not s.goal)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Inclusions to be shown, and how."""

    name: str
    text: str
    goals: tuple[TermInclusion, ...]
    hints: Hints
    span: Span
    goal: bool = False


@dataclass
class Checker:
    """One run over a script. `loads` finds included files; `before` is the model of the execution that follows."""

    theory: Theory
    loads: Callable[[Word, Source], Script]
    permitted: Callable[[Premise], bool]
    before: Model | None = None
    steps: list[ProofStep] = field(default_factory=list)
    premises: list[Premise] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    hinted: dict[str, Hints] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    places: dict[str, Source] = field(default_factory=dict)
    including: list[str] = field(default_factory=list)

    # ------------------------------------------------------------ statements

    def run(self, script: Script) -> Proof:
        """Return what became of a script's steps and of what the claim asks for; InputError for what is wrong in it."""
        self.including.append(script.source.name)
        self.statements(script)
        if self.diagnostics:
            raise InputError(self.diagnostics)
        if self.theory.follower is None and not self.rules() and not any(s.goal for s in self.steps):
            raise mistake(script.source.name, "this says nothing that is to be proved", "as in `show name: R <= S`")
        for asked in self.asked():
            try:
                self.prove(asked, self.places.get(asked.name, script.source))
            except Refusal as refusal:
                raise InputError([refusal.diagnostic]) from None
        return Proof(tuple(self.steps), tuple(p.text for p in self.premises))

    def statements(self, script: Script) -> None:
        """Go through the statements of a script, and of those that it includes."""
        for statement in script.statements:
            try:
                self.statement(statement, script.source)
            except Refusal as refusal:
                self.diagnostics.append(refusal.diagnostic)
                if isinstance(statement, Lemma):
                    self.refused.add(statement.name)

    def statement(self, statement: object, source: Source) -> None:
        """Do what one statement says."""
        match statement:
            case Let():
                scope = NameScope(source, self.theory.names)
                bound = self.theory.model.reader.bind(statement.bindings, statement.recursive, scope)
                for name, value in bound.items():
                    self.theory.define(name, value)
            case Lemma():
                goals = tuple(self.inclusion(part, source) for part in statement.parts)
                text = ", ".join(part.text for part in statement.parts)
                asked = _Asked(statement.name, text, goals, statement.hints, statement.span, statement.shown)
                self.prove(asked, source)
            case CarriedOver():
                self.carried(statement, source)
            case Hinted():
                self.hint(statement, source)
            case About() if statement.kind == "premise":
                for word in statement.words:
                    self.premise(word, source)
            case About() if statement.kind == "include":
                for word in statement.words:
                    self.include(word, source)

    def include(self, word: Word, source: Source) -> None:
        """Go through the statements of another file."""
        script = self.loads(word, source)
        if script.source.name in self.including:
            raise _refuse(source, word.span, "this include never ends")
        self.including.append(script.source.name)
        self.statements(script)
        self.including.pop()

    def inclusion(self, part: InclusionClaim, source: Source) -> TermInclusion:
        """Return the inclusion that a lemma's text stands for."""
        reader, scope, builder = self.theory.model.reader, NameScope(source, self.theory.names), self.theory.builder
        smaller, larger = (reader.quantity(e, scope, "`<=` needs") for e in (part.smaller, part.larger))
        sets = [q.kind is QuantityKind.SET for q in (smaller, larger) if q.kind is not QuantityKind.EITHER]
        if len(set(sets)) > 1:
            raise _refuse(source, part.larger.span, "`<=` needs two sets or two relations")
        empty = builder.empty(any(sets))
        ends = [empty if q.kind is QuantityKind.EITHER else q.term for q in (smaller, larger)]
        return TermInclusion(ends[0], ends[1])

    def carried(self, statement: CarriedOver, source: Source) -> None:
        """Prove of each definition of both executions that one lies in the other."""
        if self.theory.follower is None:
            word = "around" if statement.around else "within"
            raise _refuse(source, statement.span, f"`{word}` is about two executions, and the claim is about one")
        for name in statement.names:
            primed = self.quantity(Word(f"{name.text}'", name.span), source).term
            plain = self.quantity(name, source).term
            goal = TermInclusion(plain, primed) if statement.around else TermInclusion(primed, plain)
            text = f"{name.text} <= {name.text}'" if statement.around else f"{name.text}' <= {name.text}"
            hints = Hints(unfolding=(name, *statement.hints.unfolding), using=statement.hints.using)
            self.prove(_Asked(f"{name.text}'", text, (goal,), hints, name.span), source)

    def hint(self, statement: Hinted, source: Source) -> None:
        """Note how something that the claim asks for is to be proved."""
        known = {axiom.name for axiom in self.rules()}
        name = statement.name.text
        if name and name not in known:
            message = f"the claim asks for no axiom `{name}`"
            raise _refuse(source, statement.name.span, message, did_you_mean(name, known))
        self.hinted[name] = statement.hints
        self.places[f"{name or 'undef'}'" if self.theory.follower else name] = source

    def premise(self, word: Word, source: Source) -> None:
        """Suppose what is true of some programs."""
        if word.text not in PREMISES:
            hint = did_you_mean(word.text, PREMISES) or f"known: {', '.join(PREMISES)}"
            raise _refuse(source, word.span, f"unknown premise `{word.text}`", hint)
        premise = PREMISES[word.text]
        if not self.permitted(premise):
            raise _refuse(source, word.span, f"the claim is not about programs with {premise.text} alone")
        self.premises.append(premise)
        theory = self.theory
        theory.suppose(premise.facts, theory.builder, {})
        if theory.follower is not None:
            theory.suppose(premise.facts, theory.follower.builder, {})

    def quantity(self, word: Word, source: Source) -> Quantity:
        """Return the set or relation that a name stands for."""
        value = self.theory.names.get(word.text)
        if not isinstance(value, Quantity):
            hint = did_you_mean(word.text, self.theory.names)
            raise _refuse(source, word.span, f"no definition `{word.text}`", hint)
        return value

    # ------------------------------------------------------------ what the claim asks for

    def rules(self) -> list[Axiom]:
        """Return the axioms that are to be shown: the negation of those that deny, or those of what follows."""
        theory = self.theory
        if theory.follower is None:
            return [a for a in theory.model.axioms if a.negated and not a.flag]
        return [a for a in theory.follower.axioms if not a.flag]

    def asked(self) -> Iterator[_Asked]:
        """Yield all that the claim asks for."""
        theory = self.theory
        for axiom in self.rules():
            prime = "'" if theory.follower is not None else ""
            same = (Word(axiom.name, _NOWHERE),) if axiom.name in theory.known else ()
            hints = self.hinted.get(axiom.name, Hints())
            hints = Hints(hints.induction, hints.unfolding, (*same, *hints.using))
            yield _Asked(f"{axiom.name}{prime}", _text(axiom), (theory.stated(axiom),), hints, _NOWHERE, goal=True)
        if theory.follower is not None and self.before is not None:
            yield self.undef()
            without = frozenset(p.lacks for p in self.premises if p.lacks)
            reason = "" if antitone_undef(self.before, without) else NOT_ANTITONE
            self.steps.append(ProofStep("existence", "an execution that follows exists", (), goal=True, reason=reason))

    def undef(self) -> _Asked:
        """Return that whatever is undef in the first execution is undef in the one that follows."""
        theory, follower = self.theory, self.theory.follower
        assert follower is not None
        builder = theory.builder
        rules = [[u.term for u in e.undefs] or [builder.empty_set] for e in (theory.model, follower)]
        goal = TermInclusion(builder.union(rules[0]), builder.union(rules[1]))
        hints = self.hinted.get("", Hints())
        return _Asked("undef'", "what is undef stays undef", (goal,), hints, _NOWHERE, goal=True)

    # ------------------------------------------------------------ steps

    def prove(self, asked: _Asked, source: Source) -> None:
        """Prove inclusions together, and suppose them from then on if that succeeds."""
        if asked.name in self.theory.known and not asked.goal:
            raise _refuse(source, asked.span, f"something is known by the name `{asked.name}`")
        opened = self.opened(asked.hints, source)
        using = self.using(asked.hints, source)
        if not asked.hints.induction:
            for goal in asked.goals:
                self.closures(goal, opened)
        by, reason = self.answered(self.questions(asked, opened, source), using)
        self.steps.append(ProofStep(asked.name, asked.text, by, asked.goal, reason))
        if not reason and not asked.goal:
            self.theory.known[asked.name] = asked.goals

    def questions(self, asked: _Asked, opened: frozenset[int], source: Source) -> Sequence[Sequence[InclusionQuestion]]:
        """Return ways to prove something, each a list of questions all of which must be answered with yes."""
        if not asked.hints.induction:
            return [[InclusionQuestion(goal, opened=opened) for goal in asked.goals]]
        ways = [induction(self.theory.builder, asked.goals, backwards=backwards) for backwards in (False, True)]
        found = [[replace(q, opened=opened) for q in way] for way in ways if way is not None]
        if not found:
            message = "there is no induction over this: it is neither a closure, nor the definitions of a `let rec`"
            raise _refuse(source, asked.span, message)
        return found

    def answered(
        self, ways: Sequence[Sequence[InclusionQuestion]], using: list[TermInclusion]
    ) -> tuple[tuple[str, ...], str]:
        """Return the provers that answer all questions of one way with yes, or why there are none."""
        reason = ""
        for way in ways:
            found: set[str] | None = None
            for question in way:
                try:
                    by, reason = self.ask(self.supposing(question, using))
                except NotFirstOrder as error:
                    by, reason = set(), str(error)
                found = by if found is None else found & by
                if reason:
                    break
            if not reason:
                return tuple(sorted(found or ())), ""
        return (), reason

    def ask(self, question: InclusionQuestion) -> tuple[set[str], str]:
        """Return the provers that answer with yes, or why there is none."""
        text = self.theory.language.text(question)
        said = {name: ask(text) for name, ask in provers().items()}
        yes = {name for name, answer in said.items() if answer == UNSATISFIABLE}
        no = sorted(name for name, answer in said.items() if answer == SATISFIABLE)
        if yes and no:
            return set(), f"{', '.join(sorted(yes))} and {', '.join(no)} contradict each other"
        if yes:
            return yes, ""
        return set(), f"does not follow ({', '.join(no)})" if no else "no prover knows within its limit"

    def supposing(self, question: InclusionQuestion, using: list[TermInclusion]) -> InclusionQuestion:
        """Return a question with the hypotheses that speak of nothing else than it does, and those named."""
        language, opened = self.theory.language, question.opened
        extra = [t for terms in question.supposed.values() for t in terms]
        named = [t for u in using for t in (u.smaller, u.larger)]
        terms = (question.goal.smaller, question.goal.larger, *extra, *named)
        spoken = language.atoms(terms, opened, question.supposed)
        known = dict.fromkeys(using)
        for inclusion in chain.from_iterable(self.theory.known.values()):
            if language.atoms((inclusion.smaller, inclusion.larger), opened) <= spoken:
                known[inclusion] = None
        return InclusionQuestion(question.goal, tuple(known), opened, question.supposed)

    def closures(self, goal: TermInclusion, opened: frozenset[int]) -> None:
        """Prove of closures of the execution that follows, of which a goal speaks, that they lie in the first's."""
        language, theory = self.theory.language, self.theory
        if theory.follower is None:
            return
        for atom in sorted(language.atoms((goal.smaller, goal.larger), opened)):
            image = theory.image(atom)
            closed = theory.builder.terms[atom].op in (Op.PLUS, Op.THROUGH)
            if closed and image is not None and image != atom and f"closure {atom}" not in theory.known:
                self.closure(TermInclusion(atom, image), opened)

    def closure(self, goal: TermInclusion, opened: frozenset[int]) -> None:
        """Prove one closure to lie in another."""
        builder = self.theory.builder
        smaller, larger = builder.terms[goal.smaller], builder.terms[goal.larger]
        if smaller.op is Op.THROUGH and larger.op is Op.THROUGH:
            pairs = zip(smaller.arguments, larger.arguments, strict=True)
            way = [InclusionQuestion(TermInclusion(a, b), opened=opened) for a, b in pairs if a != b]
        else:
            way = [replace(q, opened=opened) for q in induction(builder, (goal,)) or ()]
        by, reason = self.answered([way], [])
        if not reason and way:
            self.theory.known[f"closure {goal.smaller}"] = (goal,)
            title = self.theory.titles.get(goal.smaller, "a closure")
            self.steps.append(ProofStep("", f"{title} lies in that of the execution that is followed", by))

    def opened(self, hints: Hints, source: Source) -> frozenset[int]:
        """Return the definitions to write out, of both executions."""
        found = set()
        for word in hints.unfolding:
            values = [self.theory.names.get(name) for name in (word.text, f"{word.text}'")]
            terms = [value.term for value in values if isinstance(value, Quantity)]
            found.update(terms or [self.quantity(word, source).term])
        return frozenset(found)

    def using(self, hints: Hints, source: Source) -> list[TermInclusion]:
        """Return the hypotheses that are named."""
        found: list[TermInclusion] = []
        failed = self.refused.union(s.name for s in self.steps if not s.proved)
        for word in hints.using:
            if word.text in self.theory.known:
                found += self.theory.known[word.text]
            elif word.text not in failed:
                known = [*self.theory.known, *failed]
                message = f"nothing known is called `{word.text}`"
                raise _refuse(source, word.span, message, did_you_mean(word.text, known))
        return found


_NOWHERE = Span(1, 1, 1)


def _text(axiom: Axiom) -> str:
    span = axiom.span
    return " ".join(axiom.source.text_at(span).split())


def _refuse(source: Source, span: Span, message: str, hint: str = "") -> Refusal:
    return Refusal(Diagnostic(source, span, message, hint))
