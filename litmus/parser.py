"""From text to a checked litmus test.

What goes in: the text of one test. What comes out: a `LitmusTest` in which every name is resolved, every type known,
every default filled in; or one `InputError` with all errors of the text. The text passes through the lexer, the parser
proper, the name pass, the type pass and the well-formedness pass; the later passes run once the text can be read.
"""

from __future__ import annotations

from functools import partial

from axmem.front.records import replace
from axmem.front.source import Diagnostic, InputError, Source, did_you_mean, first_errors
from axmem.litmus.conditions import (
    VERDICTS,
    parse_condition,
    parse_expectation,
    parse_models,
    parse_observable,
    parse_outcomes,
    parse_quantifier,
    parse_strings,
)
from axmem.litmus.cursor import Cursor, Unparsable
from axmem.litmus.declarations import (
    end_of_line,
    parse_barrier_object,
    parse_dma_scope,
    parse_levels,
    parse_llvm_global,
    parse_locations,
    parse_placement,
    parse_thread_name,
)
from axmem.litmus.kernel_parser import KernelParser, has_control_flow, parse_bound, parse_declaration
from axmem.litmus.lexer import Token, tokens
from axmem.litmus.metadata import definitions, parse_definition
from axmem.litmus.resolution import resolve, resolve_read
from axmem.litmus.statements import KEYWORDS, StatementParser
from axmem.litmus.syntax import (
    BarrierObject,
    Both,
    Condition,
    Declaration,
    Expectation,
    Kernel,
    LitmusTest,
    Location,
    ModelChoice,
    Observable,
    OutcomeSet,
    Quantifier,
    Statement,
    Thread,
    Truth,
)
from axmem.litmus.words import DMA_SCOPES

QUESTIONS = {
    "always": "forall (…) asks whether the condition always holds; always is a verdict: expect MODEL always",
    "sometimes": "exists (…) asks whether the condition may hold; sometimes is a verdict: expect MODEL sometimes",
    "never": "~exists (…) asks whether the condition never holds; never is a verdict: expect MODEL never",
    "locations": "observe x, P0:r0 adds observables to the outcomes",
}
"""What is meant by words that begin no line here, but might: verdicts, and what herd writes."""


class TestParser:
    """The parts of a test as they are read, in any order."""

    __test__ = False
    """pytest would take the name for that of tests."""

    def __init__(self, cursor: Cursor) -> None:
        self.source = cursor.source
        self.cursor = cursor
        self.known = definitions(self.cursor)
        self.statements = StatementParser(self.cursor, self.known)
        self.headless: Diagnostic | None = None
        self.name = ""
        self.description = ""
        self.locations: list[Location] = []
        self.threads: list[Thread] = []
        self.kernels: list[Kernel] = []
        self.functions: list[Declaration] = []
        self.bound: int | None = None
        self.barriers: list[BarrierObject] = []
        self.observe: list[Observable] = []
        self.filter: Condition | None = None
        self.question: tuple[Quantifier, Condition] | None = None
        self.expectations: list[Expectation] = []
        self.outcome_sets: list[OutcomeSet] = []
        self.models: list[ModelChoice] = []
        self.dma = DMA_SCOPES[-1]

    def test(self) -> LitmusTest:
        """Read the whole text."""
        self.header()
        self.items()
        return self.tree()

    def items(self) -> None:
        """Read what stands behind the header."""
        while True:
            self.cursor.skip_newlines()
            if self.cursor.at("end"):
                break
            self.cursor.operators = 0
            try:
                self.item()
            except Unparsable:
                self.cursor.depth = 0
                self.recover()

    def tree(self) -> LitmusTest:
        """Return what has been read as a test, names and types of which are not known yet."""
        quantifier, condition = self.question or (Quantifier.EXISTS, Truth(True))
        return LitmusTest(
            name=self.name, description=self.description, locations=tuple(self.locations),
            threads=tuple(self.threads), barriers=tuple(self.barriers), observe=tuple(self.observe),
            filter=self.filter, quantifier=quantifier, condition=condition, expectations=tuple(self.expectations),
            outcome_sets=tuple(self.outcome_sets), levels=self.cursor.levels, kernels=tuple(self.kernels),
            functions=tuple(self.functions), bound=self.bound, dma=self.dma, models=tuple(self.models),
            source=self.source,
        )  # fmt: skip

    def header(self) -> None:
        """Read `litmus NAME`, the description, and the levels if they are not AMDGPU's."""
        cursor = self.cursor
        cursor.skip_newlines()
        if not cursor.accept_word("litmus"):
            empty = "" if cursor.source.text.strip() else "this file is empty; "
            cursor.error(cursor.peek().span, f"{empty}a test begins with 'litmus NAME'")
            self.headless = cursor.diagnostics[-1]
            return
        try:
            self.name = cursor.expect("test", "the name of the test").value
            self.description = parse_strings(cursor)
            cursor.skip_newlines()
            if cursor.at_word("levels"):
                cursor.levels = parse_levels(cursor)
        except Unparsable:
            cursor.skip_line()

    def recover(self) -> None:
        """Step to the next line; skip the block that begins on this one."""
        cursor = self.cursor
        cursor.skip_line()
        if cursor.tokens[cursor.index - 1].kind == "{" and cursor.at("newline"):
            try:
                self.statements.block()
            except Unparsable:
                cursor.depth = 0

    def item(self) -> None:
        """Read one declaration, thread, condition or expectation."""
        cursor, token = self.cursor, self.cursor.peek()
        word = token.text if token.kind == "name" else token.kind
        if word in ("global", "lds", "private") and token.kind == "name":
            self.locations += cursor.kept(parse_locations, partial(parse_locations, cursor))
        elif token.kind == "global":
            self.locations.append(parse_llvm_global(cursor))
        elif word in ("thread", "Thread"):
            self.thread()
        elif word == "kernel":
            cursor.next()
            self.kernels.append(KernelParser(cursor, self.known).kernel())
            end_of_line(cursor)
        elif word == "declare":
            cursor.next()
            self.functions.append(parse_declaration(cursor))
            end_of_line(cursor)
        elif word == "barrier":
            self.barriers.append(parse_barrier_object(cursor))
        elif word == "dma":
            self.dma = parse_dma_scope(cursor)
        elif token.kind == "metadata":
            parse_definition(cursor)
            end_of_line(cursor)
        elif word in ("exists", "~", "not", "forall"):
            self.ask()
        else:
            self.ending(word)

    def ending(self, word: str) -> None:
        """Read a filter, an observe line, an expectation or a set of outcomes."""
        cursor, token = self.cursor, self.cursor.peek()
        if word == "filter":
            cursor.next()
            condition = parse_condition(cursor)
            end_of_line(cursor, "a connective or the end of the line")
            self.filter = condition if self.filter is None else Both(self.filter, condition)
        elif word == "observe":
            cursor.next()
            self.observe.append(parse_observable(cursor))
            while cursor.accept(","):
                self.observe.append(parse_observable(cursor))
            end_of_line(cursor)
        elif word == "expect":
            self.expectations.append(cursor.kept(parse_expectation, partial(parse_expectation, cursor)))
        elif word == "outcomes":
            self.outcome_sets.append(parse_outcomes(cursor))
        elif word == "model":
            self.models += parse_models(cursor)
        elif word == "bound":
            cursor.next()
            if self.bound is not None:
                cursor.error(token.span, "a second bound")
            self.bound = parse_bound(cursor)
            end_of_line(cursor)
        elif word == "litmus":
            raise cursor.fail(token.span, "a second test begins here", "one file holds one test")
        elif word == "levels":
            raise cursor.fail(token.span, "the levels stand right after the name of the test, once")
        else:
            self.unknown(token)

    def unknown(self, token: Token) -> None:
        """Fail at a line that begins nothing."""
        if token.kind == "name":
            hint = QUESTIONS.get(token.text) or did_you_mean(token.text, KEYWORDS)
            if token.text in ("load", "store", "fence", "atomicrmw", "cmpxchg") or self.cursor.peek(1).kind == "=":
                hint = "operations stand inside a thread: thread P0 { … }"
            raise self.cursor.fail(token.span, f"'{token.text}' begins no declaration or condition", hint)
        self.cursor.fail_expected("a declaration, a thread or a condition")

    def ask(self) -> None:
        """Read the condition with its quantifier."""
        cursor = self.cursor
        start = cursor.peek()
        question = cursor.kept(parse_quantifier, self.asked)
        if self.question is not None:
            cursor.error(start.span, "a second condition", "combine the two with /\\ or \\/")
        self.question = question

    def asked(self) -> tuple[Quantifier, Condition]:
        """Read a condition with its quantifier, to the end of the line."""
        cursor = self.cursor
        quantifier = parse_quantifier(cursor)
        if cursor.at_word(*VERDICTS) and cursor.peek(1).kind == "(":
            word = cursor.peek()
            message = f"'{word.text}' is a verdict and no part of a condition"
            raise cursor.fail(word.span, message, QUESTIONS.get(word.text, ""))
        condition = parse_condition(cursor)
        end_of_line(cursor, "a connective or the end of the line")
        return quantifier, condition

    def thread(self) -> None:
        """Read `thread P0 @ … { … }`, or `Thread T1:` and the statements after it."""
        cursor = self.cursor
        cursor.next()
        name = parse_thread_name(cursor)
        placement = parse_placement(cursor)
        if cursor.accept(":"):
            body = self.open_body()
        elif cursor.at("{") and has_control_flow(cursor):
            reader = KernelParser(cursor, self.known)
            self.kernels.append(reader.thread(name, placement))
            end_of_line(cursor)
            return
        else:
            cursor.expect("{", "'{'", "a thread is written thread P0 { … }")
            body = self.statements.block()
            end_of_line(cursor)
        self.threads.append(Thread(name.text, placement, body, name.span))

    def open_body(self) -> tuple[Statement, ...]:
        """Read statements up to the next declaration, thread, condition, or the end."""
        cursor = self.cursor
        body: list[Statement] = []
        while True:
            cursor.skip_newlines()
            if cursor.at("end") or self.begins_item():
                return tuple(body)
            if cursor.at("}"):
                cursor.fail_expected("a statement")
            body += self.statements.line()

    def begins_item(self) -> bool:
        """Say whether a line of a thread without braces is no statement any more."""
        cursor = self.cursor
        after = cursor.peek(1).kind
        if cursor.at("global"):
            return after == "="
        if cursor.at("~"):
            return True
        if not cursor.at("name") or after in ("=", ":"):
            return False
        if cursor.at_word("barrier"):
            return "(" in (after, cursor.peek(2).kind)
        return cursor.peek().text in KEYWORDS


class Headless(InputError):
    """A text that is no test at all: it neither begins as one nor has a thread."""


def parse(text: str, name: str = "<string>") -> LitmusTest:
    """Return the checked test that a text describes; raise `InputError` with everything that is wrong with it."""
    parser, tree = _read(Source(name, text))
    if parser.headless and not (tree.threads or tree.kernels):
        raise Headless([parser.headless])
    diagnostics = parser.cursor.diagnostics
    if not parser.cursor.broken:
        tree, more = resolve_read(tree)
        diagnostics += more
    if diagnostics:
        raise InputError(first_errors(diagnostics))
    return tree


def read(source: Source) -> LitmusTest:
    """Return what can be read of a text, whatever is wrong with the rest; names and types are not resolved."""
    return _read(source)[1]


def _read(source: Source) -> tuple[TestParser, LitmusTest]:
    parser = TestParser(Cursor(source, *tokens(source)))
    return parser, parser.test()


def with_condition(test: LitmusTest, text: str, name: str = "<condition>") -> LitmusTest:
    """Return a test with another condition, which a text gives; raise `InputError` for what is wrong with that."""
    source = Source(name, text)
    words, diagnostics = tokens(source)
    cursor = Cursor(source, words, diagnostics)
    tree = test
    try:
        cursor.skip_newlines()
        tree = replace(test, condition=parse_condition(cursor), source=source)
        cursor.skip_newlines()
        if not cursor.at("end"):
            cursor.fail_expected("a connective or the end")
    except Unparsable:
        pass
    if not diagnostics:
        tree, diagnostics = resolve(tree)
    if diagnostics:
        raise InputError(first_errors(diagnostics))
    return replace(tree, source=test.source)


def with_bound(test: LitmusTest, bound: int | None) -> LitmusTest:
    """Return a test whose loops have this bound; with None they keep their own."""
    return replace(test, bound=bound or test.bound)
