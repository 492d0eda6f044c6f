r"""What is asked at the end of a test of herd's form: locations, a filter, and a condition with its quantifier.

What goes in: the text after the program. What comes out: an `Ending` with the conditions of axmem. The connectives bind
as in herd7: `~` most tightly, then `=>`, to the right, then `/\`, then `\/`.
"""

from __future__ import annotations

from operator import eq, ge, gt, le, lt, ne

from axmem.formats.herd.text import HerdText, tokens
from axmem.front.records import dataclass
from axmem.front.source import Diagnostic
from axmem.litmus.conditions import parse_quantifier
from axmem.litmus.cursor import Cursor, Unparsable
from axmem.litmus.lexer import Token, numeral
from axmem.litmus.syntax import (
    AddressOf,
    Both,
    Condition,
    Either,
    Expr,
    FinalValue,
    Not,
    Number,
    Observable,
    Operand,
    Quantifier,
    RegisterOf,
    Truth,
    ValueComparison,
    VectorOf,
)

RELATIONS = {"=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_COMPARED = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
"""What the comparisons say of two numbers."""
_ASKING = frozenset({"exists", "forall", "not", "~"})
"""What a quantifier begins with."""
_REFUSED = {
    "final": "write exists (…)",
    "observed": "a list of outcomes is no question; write exists (…)",
    "with": "a quantifier for each of several models is not read; the comment axmem: expect MODEL VERDICT says that",
}


@dataclass(frozen=True, slots=True)
class Ending:
    """What is asked; `scopes` and `regions` are the tokens of herd's trees of scopes and maps of memory."""

    observe: tuple[Observable, ...]
    filter: Condition | None
    quantifier: Quantifier
    condition: Condition
    scopes: tuple[Token, ...]
    regions: tuple[Token, ...]


class _EndingParser:
    def __init__(self, cursor: Cursor, *, values: bool) -> None:
        self.cursor = cursor
        self.values = values
        self.observe: list[Observable] = []
        self.filter: Condition | None = None
        self.question: tuple[Quantifier, Condition] | None = None
        self.trees: dict[str, tuple[Token, ...]] = {"scopes": (), "regions": ()}

    def ending(self) -> Ending:
        cursor = self.cursor
        while not cursor.at("end"):
            cursor.operators = 0
            try:
                self.item()
            except Unparsable:
                break
        quantifier, condition = self.question or (Quantifier.EXISTS, Truth(True))
        return Ending(
            tuple(self.observe), self.filter, quantifier, condition, self.trees["scopes"], self.trees["regions"]
        )

    def item(self) -> None:
        """Read one line of what is asked."""
        cursor, token = self.cursor, self.cursor.peek()
        word = token.text if token.kind in ("name", "~") else ""
        if word in _ASKING:
            self.ask()
        elif word == "locations":
            cursor.next()
            self.locations()
        elif word == "filter":
            cursor.next()
            condition = self.condition()
            self.filter = condition if self.filter is None else Both(self.filter, condition)
        elif word in self.trees:
            self.tree(cursor.next().text)
        elif token.text in _REFUSED:
            raise cursor.fail(token.span, f"'{token.text}' is not read here", _REFUSED[token.text])
        elif not cursor.accept(";"):
            cursor.fail_expected(
                "a connective or the end of the question" if self.question else "exists, ~exists or forall"
            )

    def tree(self, word: str) -> None:
        """Keep the tokens of a tree of scopes or a map of memory, up to the next part of the ending."""
        cursor = self.cursor
        cursor.expect(":", "':'")
        start = cursor.index
        while not cursor.at("end", "~", ";") and not cursor.at_word(
            "exists", "forall", "not", "filter", "locations", "scopes", "regions"
        ):
            cursor.next()
        self.trees[word] = tuple(cursor.tokens[start : cursor.index])

    def ask(self) -> None:
        cursor = self.cursor
        start = cursor.peek()
        quantifier = parse_quantifier(cursor)
        condition = self.condition()
        if self.question is not None:
            cursor.error(start.span, "a second condition", "combine the two with /\\ or \\/")
        self.question = (quantifier, condition)

    def locations(self) -> None:
        """Read `[x; 0:r0; a[1]; 1:p*;]`; types after a name say how herd prints it, and mean nothing here."""
        cursor = self.cursor
        cursor.expect("[", "'['")
        while not cursor.accept("]"):
            if cursor.at_word("fault"):
                raise cursor.fail(cursor.peek().span, "faults are not represented here")
            self.observe.append(self.observable())
            while cursor.at("name", "*"):
                cursor.next()
            if not cursor.at("]"):
                cursor.expect(";", "';' or ']'")

    # ------------------------------------------------ conditions

    def condition(self) -> Condition:
        start = self.cursor.peek().span
        self.cursor.deeper(start)
        left = self.conjunction()
        while self.cursor.accept("\\/"):
            self.cursor.longer(start)
            left = Either(left, self.conjunction(), self.cursor.since(start))
        self.cursor.depth -= 1
        return left

    def conjunction(self) -> Condition:
        start = self.cursor.peek().span
        left = self.implication()
        while self.cursor.accept("/\\"):
            self.cursor.longer(start)
            left = Both(left, self.implication(), self.cursor.since(start))
        return left

    def implication(self) -> Condition:
        start = self.cursor.peek().span
        left = self.negation()
        if self.cursor.accept("=>"):
            self.cursor.longer(start)
            return Either(Not(left, left.span), self.implication(), self.cursor.since(start))
        return left

    def negation(self) -> Condition:
        cursor, start = self.cursor, self.cursor.peek().span
        if cursor.accept("~") or cursor.accept_word("not"):
            cursor.deeper(start)
            inner = self.negation()
            cursor.depth -= 1
            return Not(inner, cursor.since(start))
        if cursor.accept("("):
            inner = self.condition()
            cursor.expect(
                ")", "a connective or ')'", "the connectives are /\\ and \\/" if cursor.at("&&", "||") else ""
            )
            return inner
        if cursor.at_word("true", "false"):
            return Truth(cursor.next().text == "true", start)
        if cursor.at_word("fault") and cursor.peek(1).kind == "(":
            raise cursor.fail(start, "faults are not represented here")
        if cursor.at("number") and cursor.peek(1).kind in RELATIONS and cursor.peek(2).kind == "number":
            one, relation, other = (cursor.next() for _ in range(3))
            holds = _COMPARED[RELATIONS[relation.kind]](numeral(one.text), numeral(other.text))
            return Truth(holds, cursor.since(start))
        left = self.observable()
        if cursor.peek().kind not in RELATIONS:
            cursor.fail_expected("'=' or another comparison")
        op = RELATIONS[cursor.next().kind]
        right = self.operand()
        return ValueComparison(op, left, right, span=cursor.since(start))

    def observable(self) -> Observable:
        """Read `0:r0`, `P0:r0`, `x`, `[x]`, `*x` or `a[1]`."""
        cursor, start = self.cursor, self.cursor.peek().span
        if cursor.accept("["):
            name = cursor.expect("name", "the name of a location")
            cursor.expect("]", "']'")
            return FinalValue(name.text, None, cursor.since(start))
        cursor.accept("*")
        if cursor.peek(1).kind == ":":
            thread = thread_named(cursor)
            cursor.next()
            register = cursor.expect("name", "a register")
            return RegisterOf(thread, register.text, self.index(), cursor.since(start))
        name = cursor.expect("name", "a register such as 0:r0, or a location")
        return FinalValue(name.text, self.index(), cursor.since(start))

    def index(self) -> int | None:
        if not self.cursor.accept("["):
            return None
        number = self.cursor.expect("number", "the number of an element")
        self.cursor.expect("]", "']'")
        return numeral(number.text)

    def operand(self) -> Operand:
        """Read what stands on the right of a comparison."""
        cursor, start = self.cursor, self.cursor.peek().span
        if cursor.at("*", "[") or cursor.peek(1).kind == ":":
            return self.observable()
        if cursor.at("name") and self.values:
            return self.observable()
        value = self.value()
        assert isinstance(value, Number | AddressOf | VectorOf), start
        return value

    def value(self) -> Expr:
        cursor, start = self.cursor, self.cursor.peek().span
        if cursor.accept("{"):
            elements = [self.scalar()]
            while cursor.accept(","):
                elements.append(self.scalar())
            cursor.expect("}", "',' or '}'")
            return VectorOf(tuple(elements), span=cursor.since(start))
        return self.scalar()

    def scalar(self) -> Expr:
        """Read a value that is no vector, as those in a vector are."""
        cursor, start = self.cursor, self.cursor.peek().span
        if cursor.accept("-"):
            return Number(-numeral(cursor.expect("number", "a number").text), span=cursor.since(start))
        if cursor.at("number"):
            return Number(numeral(cursor.next().text), span=start)
        cursor.accept("&")
        name = cursor.expect("name", "a number, a register or the name of a location")
        return AddressOf(name.text, span=cursor.since(start))


def thread_named(cursor: Cursor) -> str:
    """Read the number of a thread, with or without P, and return its name."""
    token = cursor.next()
    if token.kind == "number":
        return f"P{token.text}"
    if token.kind == "name" and token.text[:1] == "P" and token.text[1:].isdecimal():
        return token.text
    raise cursor.fail(token.span, f"'{token.text}' names no thread", "threads are 0, 1, … or P0, P1, …")


def parse_ending(text: HerdText, start: int, diagnostics: list[Diagnostic], *, values: bool = False) -> Ending:
    """Return what is asked after an offset; `values` says that a name on the right is a final value, not an address."""
    words, more = tokens(text, start, len(text.characters))
    diagnostics += more
    return _EndingParser(Cursor(text.source, words, diagnostics), values=values).ending()
