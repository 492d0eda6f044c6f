r"""Terms of models as first-order formulas over the events of any execution, however large.

What goes in: terms, and inclusions between them (`TermInclusion`), some supposed and one to be shown. What comes out:
text in SMT-LIB that is unsatisfiable only if the one follows from the others in every execution. There is one sort,
the events; primitives, named relations, closures and recursive definitions are uninterpreted predicates, and every
other operator is written out by its definition, with quantifiers. To leave a definition closed only forgets what it
is made of. Invariants: what is asserted of a predicate is true of its term in every execution. That is for `r+`: it
contains r and is transitive; for `let rec`: it is what its body makes of it; for `through(step, link, S, c)`: only
chains with a link are in it. That they are the least such is used by `induction` alone, which says what has to be
shown instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from axmem.front.records import dataclass, field
from axmem.model.builder import Builder
from axmem.model.terms import Op, Term


@dataclass(frozen=True, slots=True)
class TermInclusion:
    """All facts of one term are facts of another, both sets or both relations, by their indices."""

    smaller: int
    larger: int


@dataclass(frozen=True, slots=True)
class InclusionQuestion:
    """Does an inclusion follow from others? `opened` are the definitions to write out.

    `supposed` gives for variables of recursion the terms within which their values lie.
    """

    goal: TermInclusion
    hypotheses: tuple[TermInclusion, ...] = ()
    opened: frozenset[int] = frozenset()
    supposed: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


_BOOLEAN = (Op.BASE, Op.TAGGED, Op.EMPTY, Op.UNION, Op.INTERSECTION, Op.DIFFERENCE)


def induction(
    builder: Builder, goals: Sequence[TermInclusion], *, backwards: bool = False
) -> Iterator[InclusionQuestion] | None:
    """Return what shows inclusions of recursive definitions or of a closure together; None if they are no such.

    The least fixpoint of a monotone body lies in all that the body, given what lies in it, stays within: so lie the
    definitions of one `let rec` in sets, one for each of those that are spoken of. `backwards`: a closure grows at its
    beginning instead of its end.
    """
    terms = [builder.terms[g.smaller] for g in goals]
    if len(goals) == 1:
        first, last = _parts(builder, goals[0].smaller)
        if builder.terms[first if backwards else last].op is Op.PLUS:
            return _closure(builder, goals[0], backwards=backwards)
    if any(t.op is not Op.FIX for t in terms) or len({t.fixpoint for t in terms}) != 1:
        return None
    return _recursion(builder, goals, terms)


def _parts(builder: Builder, index: int) -> tuple[int, int]:
    """Return the two relations of a composition; of another term itself, twice."""
    term = builder.terms[index]
    if term.op is not Op.SEQUENCE:
        return index, index
    first, last = term.arguments
    return first, last


def _closure(builder: Builder, goal: TermInclusion, *, backwards: bool) -> Iterator[InclusionQuestion]:
    """Return what shows that `r+`, or `s ; r+` (backwards: `r+ ; s`) lies somewhere."""
    first, last = _parts(builder, goal.smaller)
    step: int = builder.terms[first if backwards else last].arguments[0]
    so_far = builder.intersection((goal.smaller, goal.larger))
    if builder.is_empty(goal.larger):
        so_far = goal.larger
    start = step
    if builder.terms[goal.smaller].op is Op.SEQUENCE:
        start = builder.sequence((step, last) if backwards else (first, step))
    yield InclusionQuestion(TermInclusion(start, goal.larger))
    yield InclusionQuestion(
        TermInclusion(builder.sequence((step, so_far) if backwards else (so_far, step)), goal.larger)
    )


def _recursion(builder: Builder, goals: Sequence[TermInclusion], terms: Sequence[Term]) -> Iterator[InclusionQuestion]:
    fixpoint = builder.fixpoints[terms[0].fixpoint]
    supposed: dict[int, tuple[int, ...]] = {v: (i,) for v, i in _values(builder, terms[0].fixpoint).items()}
    for goal, term in zip(goals, terms, strict=True):
        supposed[fixpoint.variables[term.position]] = (goal.smaller, goal.larger)
    for goal, term in zip(goals, terms, strict=True):
        yield InclusionQuestion(TermInclusion(fixpoint.bodies[term.position], goal.larger), supposed=supposed)


def _values(builder: Builder, number: int) -> dict[int, int]:
    """Return for each variable of a recursion the term of what it defines."""
    variables = builder.fixpoints[number].variables
    fixes = ((i, t) for i, t in enumerate(builder.terms) if t.op is Op.FIX and t.fixpoint == number)
    return {variables[t.position]: i for i, t in fixes}


class NotFirstOrder(Exception):
    """A term that no formula stands for: a closure of what a recursion is about to define."""


class Language:
    """The terms of a builder as formulas; `names` are the definitions that are predicates while they are closed."""

    def __init__(self, builder: Builder, names: Mapping[int, str]) -> None:
        self.builder = builder
        self.names = names
        self._plain: dict[int, bool] = {}
        self._atoms: dict[tuple[tuple[int, ...], frozenset[int]], frozenset[int]] = {}

    def text(self, question: InclusionQuestion) -> str:
        """Return a question as SMT-LIB: it is answered with yes if the text is unsatisfiable."""
        writer = _Writer(self, question.opened, question.supposed)
        goal = question.goal
        sets = self.builder.is_set(goal.smaller)
        ends = ("a", "") if sets else ("a", "b")
        lines = [
            f"(assert {writer.formula(goal.smaller, *ends)})",
            f"(assert (not {writer.formula(goal.larger, *ends)}))",
            *(writer.inclusion(h) for h in question.hypotheses),
        ]
        lines += writer.about_atoms()
        declared = [f"(declare-fun {name} ({' '.join(['E'] * arity)}) Bool)" for name, arity in writer.declared()]
        head = ["(set-logic UF)", "(declare-sort E 0)", "(declare-const a E)", "(declare-const b E)"]
        return "\n".join([*head, *declared, *lines, "(check-sat)", ""])

    def atoms(
        self, terms: tuple[int, ...], opened: frozenset[int], supposed: Mapping[int, tuple[int, ...]] | None = None
    ) -> frozenset[int]:
        """Return the predicates of which these terms speak, and of which what is asserted of those speaks."""
        if opened and not supposed and not opened & self.atoms(terms, frozenset()):
            opened = frozenset()
        key = (terms, opened)
        if supposed or key not in self._atoms:
            writer = _Writer(self, opened, supposed or {})
            for term in terms:
                writer.formula(term, "a", "" if self.builder.is_set(term) else "b")
            writer.about_atoms()
            if supposed:
                return frozenset(writer.atoms)
            self._atoms[key] = frozenset(writer.atoms)
        return self._atoms[key]

    def is_atom(self, index: int, opened: frozenset[int]) -> bool:
        """Tell whether a term is a predicate rather than written out."""
        term = self.builder.terms[index]
        if term.op in (Op.PLUS, Op.THROUGH, Op.TAGGED, Op.BASE):
            return index != self.builder.id
        if term.op is Op.EMPTY:
            return False
        if term.op is Op.FIX:
            return index not in opened
        # A set that is made of primitives by union and the like is its definition: nothing is gained by a name.
        return index in self.names and index not in opened and not self._is_plain(index)

    def _is_plain(self, index: int) -> bool:
        if index not in self._plain:
            term = self.builder.terms[index]
            self._plain[index] = term.is_set and term.op in _BOOLEAN and all(map(self._is_plain, term.arguments))
        return self._plain[index]


class _Writer:
    """Formulas, and the predicates met in them."""

    def __init__(self, language: Language, opened: frozenset[int], supposed: Mapping[int, tuple[int, ...]]) -> None:
        self.language = language
        self.terms = language.builder.terms
        self.opened = opened
        self.supposed = supposed
        self.atoms: dict[int, None] = {}
        # A recursive definition is written out in the goal alone: a prover would go on writing out what is supposed.
        self.goal = True
        self._variables = 0

    def inclusion(self, some: TermInclusion) -> str:
        """Return the assertion that an inclusion holds."""
        ends = ("x", "") if self.language.builder.is_set(some.smaller) else ("x", "y")
        self.goal = False
        bound = " ".join(f"({end} E)" for end in ends if end)
        left, right = (self.formula(term, *ends) for term in (some.smaller, some.larger))
        return f"(assert (forall ({bound}) (=> {left} {right})))"

    def about_atoms(self) -> list[str]:
        """Return what is asserted of the closures and recursions met, those included that these assertions speak of."""
        done: set[int] = set()
        lines = []
        while left := [a for a in self.atoms if a not in done]:
            for atom in left:
                done.add(atom)
                lines += [self.inclusion(some) for some in self._laws(atom)]
        return lines

    def _laws(self, atom: int) -> Iterator[TermInclusion]:
        builder, term = self.language.builder, self.terms[atom]
        if term.op is Op.PLUS:
            yield TermInclusion(term.arguments[0], atom)
            yield TermInclusion(builder.sequence((atom, atom)), atom)
        elif term.op is Op.THROUGH:
            step, link, _, _ = term.arguments
            around = builder.union((builder.id, builder.plus(builder.union((step, link)))))
            yield TermInclusion(atom, builder.sequence((around, link, around)))

    def declared(self) -> list[tuple[str, int]]:
        """Return the symbols of the predicates with their arities."""
        return [(self.symbol(atom), 1 if self.terms[atom].is_set else 2) for atom in self.atoms]

    def symbol(self, atom: int) -> str:
        """Return the symbol of a predicate: its name, and its number, since names may be used twice."""
        term = self.terms[atom]
        name = term.name or self.language.names.get(atom) or term.op.value
        return f"|{name} {atom}|"

    def formula(self, index: int, x: str, y: str) -> str:
        """Return the formula that an event x is in a set (y is empty), or x and y in a relation."""
        term = self.terms[index]
        if term.op is Op.RECVAR:
            before, self.goal = self.goal, False
            text = _all([self.formula(t, x, y) for t in self.supposed[index]])
            self.goal = before
            return text
        if self.language.is_atom(index, self.opened) or (term.op is Op.FIX and not self.goal):
            if self.language.builder.open_in(index):
                raise NotFirstOrder(f"`{term.op.value}` of a definition that is recursive")
            self.atoms.setdefault(index)
            return f"({self.symbol(index)} {x} {y})" if y else f"({self.symbol(index)} {x})"
        if term.op is Op.FIX:
            return self._unfolded(term, x, y)
        return self._written_out(term, x, y)

    def _unfolded(self, term: Term, x: str, y: str) -> str:
        """Return the body of a recursive definition, in which the variables are the definitions themselves."""
        fixpoint = self.language.builder.fixpoints[term.fixpoint]
        values = _values(self.language.builder, term.fixpoint)
        supposed = {v: (i,) for v, i in values.items()}
        inner = _Writer(self.language, self.opened - frozenset(values.values()), supposed)
        inner.atoms, inner._variables = self.atoms, self._variables
        text = inner.formula(fixpoint.bodies[term.position], x, y)
        self._variables = inner._variables
        return text

    def _written_out(self, term: Term, x: str, y: str) -> str:
        arguments = term.arguments
        match term.op:
            case Op.BASE:
                return f"(= {x} {y})"
            case Op.EMPTY:
                return "false"
            case Op.UNION:
                return f"(or {' '.join(self.formula(a, x, y) for a in arguments)})"
            case Op.INTERSECTION:
                return _all([self.formula(a, x, y) for a in arguments])
            case Op.DIFFERENCE:
                return f"(and {self.formula(arguments[0], x, y)} (not {self.formula(arguments[1], x, y)}))"
            case Op.INVERSE:
                return self.formula(arguments[0], y, x)
            case Op.IDENTITY:
                return f"(and (= {x} {y}) {self.formula(arguments[0], x, '')})"
            case Op.CROSS:
                return f"(and {self.formula(arguments[0], x, '')} {self.formula(arguments[1], y, '')})"
            case Op.SEQUENCE:
                return self._sequence(arguments[0], arguments[1], x, y)
            case Op.DOMAIN:
                z = self._variable()
                return f"(exists (({z} E)) {self.formula(arguments[0], x, z)})"
            case Op.RANGE:
                z = self._variable()
                return f"(exists (({z} E)) {self.formula(arguments[0], z, x)})"
        raise AssertionError(f"no formula for {term}")

    def _sequence(self, left: int, right: int, x: str, y: str) -> str:
        first, second = self.terms[left], self.terms[right]
        if first.op is Op.IDENTITY:
            return f"(and {self.formula(first.arguments[0], x, '')} {self.formula(right, x, y)})"
        if second.op is Op.IDENTITY:
            return f"(and {self.formula(left, x, y)} {self.formula(second.arguments[0], y, '')})"
        z = self._variable()
        return f"(exists (({z} E)) (and {self.formula(left, x, z)} {self.formula(right, z, y)}))"

    def _variable(self) -> str:
        self._variables += 1
        return f"z{self._variables}"


def _all(formulas: Sequence[str]) -> str:
    return formulas[0] if len(formulas) == 1 else f"(and {' '.join(formulas)})"
