"""The canonical text of a test.

What goes in: a `LitmusTest` that has been through the passes. What comes out: its short spelling, one statement per
line, tags in one column. Invariant: parsing the text gives an equal test, and printing that gives the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axmem.litmus import walk
from axmem.litmus.condition_printer import condition_text, observable_text, operand_text
from axmem.litmus.floats import FLOAT_UPDATES
from axmem.litmus.kernel_printer import control_text, declaration_text, launch_text, loop_text, parameters_text
from axmem.litmus.layout import implied_type, location_of, transferred_type
from axmem.litmus.lexer import encoded
from axmem.litmus.loop_printer import loop_attachment, metadata_lines, promises_attachment
from axmem.litmus.place_texts import place_texts
from axmem.litmus.placement import implied_barriers
from axmem.litmus.spelling import AV_TYPES, FROM_LDS, TO_LDS, WAIT, type_name
from axmem.litmus.syntax import (
    I1,
    I32,
    AccessMode,
    AccessStatement,
    Assign,
    Assume,
    AtomicRmw,
    Barrier,
    CmpXchg,
    Expr,
    Fence,
    For,
    If,
    Kernel,
    Label,
    LitmusTest,
    Load,
    Location,
    Make,
    ModelChoice,
    Ordering,
    OutcomeSet,
    Statement,
    Store,
    SyncScope,
    Tag,
    Thread,
    Track,
    Transfer,
    Type,
    While,
    WritingStatement,
)
from axmem.litmus.values import address_text, number_text, register_text, value_text
from axmem.litmus.words import AMDGPU, DMA_SCOPES, SPACE_NAMES

_PLAIN_TAG = re.compile(r"[^\s,:;\"]+:[^\s,;\"]+")


def print_test(test: LitmusTest, *, documented: bool = False) -> str:
    """Return the canonical text of a test, ending in a line end.

    A `documented` text is the same test in the words of the documents: `store-available`, and the place of each thread.
    """
    printer = _Printer(test, documented=documented)
    sections = [
        printer.header(), printer.dma(), printer.locations(), printer.barriers(), *printer.threads(),
        printer.functions(), *printer.kernels(), metadata_lines(test), printer.question(), printer.expectations(),
        *printer.outcomes(),
    ]  # fmt: skip
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def side_by_side(test: LitmusTest) -> tuple[list[str], list[list[str]]]:
    """Return the lines of a `documented` text that declare what threads share, and those of each thread and kernel."""
    printer = _Printer(test, documented=True)
    shared = [*printer.dma(), *printer.locations(), *printer.barriers(), *printer.functions()]
    return shared, [*printer.threads(), *printer.kernels()]


def asked_lines(test: LitmusTest) -> list[str]:
    """Return the lines of a test's canonical text that say what is asked and expected of it."""
    printer = _Printer(test)
    sections = [printer.barriers(), printer.question(), printer.expectations(), *printer.outcomes()]
    return [line for lines in sections for line in lines]


def statement_line(test: LitmusTest, statement: Statement) -> str:
    """Return one statement of a test, other than an `if`, as the canonical text has it, its tags after `#`."""
    text, tags = _Printer(test).statement(statement)
    return f"{text} # {tags}" if tags else text


class _Printer:
    def __init__(self, test: LitmusTest, *, documented: bool = False) -> None:
        self.tree = test
        self.documented = documented
        self.types = {location.name: location.type or I32 for location in walk.locations(test)}
        self.places = place_texts(test, always=documented)

    def header(self) -> list[str]:
        levels = [] if self.tree.levels == AMDGPU else [f"levels {' '.join(level.word for level in self.tree.levels)}"]
        described = [encoded(self.tree.description)] if self.tree.description else []
        return [f"litmus {self.tree.name}", *described, *levels]

    def dma(self) -> list[str]:
        return [] if self.tree.dma is DMA_SCOPES[-1] else [f"dma {self.tree.dma.word}"]

    # ------------------------------------------------ declarations

    def locations(self) -> list[str]:
        return [self.location(location) for location in self.tree.locations]

    def location(self, location: Location) -> str:
        type_ = location.type or I32
        shown = "" if type_ == I32 and self.always_i32(location.name) else f"{type_name(type_)} "
        text = f"{SPACE_NAMES[location.space]} {shown}{location.name}"
        return text if location.initial is None else f"{text} = {value_text(location.initial, type_)}"

    def always_i32(self, name: str) -> bool:
        """Say whether every access that names this location is i32, so that its type need not be written."""
        for _, statement in walk.located(self.tree):
            named = any(location_of(address) == name for address in walk.addresses(statement))
            if named and getattr(statement, "type", None) != I32:
                return False
        return True

    def barriers(self) -> list[str]:
        """Return the declarations of the barriers that the threads' places do not imply."""
        names = {barrier.name for barrier in self.tree.barriers}
        implied = {(b.name, b.participants) for b in implied_barriers(self.tree, ())}
        lines = []
        for name in sorted(names):
            objects = [b for b in self.tree.barriers if b.name == name]
            if {(b.name, b.participants) for b in objects} == {i for i in implied if i[0] == name}:
                continue
            lines += [f"barrier {f'{name} ' if name else ''}({', '.join(b.participants)})" for b in objects]
        return lines

    def threads(self) -> list[list[str]]:
        return [self.thread(thread, self.places[thread.name]) for thread in self.tree.threads]

    def thread(self, thread: Thread, place: str) -> list[str]:
        return [f"thread {thread.name}{place} {{", *self.body(thread.body), "}"]

    def body(self, statements: tuple[Statement, ...]) -> list[str]:
        """Return the lines of a thread or kernel."""
        lines = list(self.block(statements, "  "))
        width = max((len(text) for text, tags in lines if tags), default=0)
        return [f"{text:<{width}} # {tags}" if tags else text for text, tags in lines]

    def functions(self) -> list[str]:
        return [declaration_text(function) for function in self.tree.functions]

    def kernels(self) -> list[list[str]]:
        return [self.kernel(kernel) for kernel in self.tree.kernels]

    def kernel(self, kernel: Kernel) -> list[str]:
        memory = [f"  {self.location(location)}" for location in kernel.memory]
        memory += [f"  lds barrier {', '.join(map(register_text, kernel.barriers))}"] if kernel.barriers else []
        place = self.places[kernel.name]
        if kernel.lane_of_thread:
            head = f"thread {kernel.name}{place}"
        else:
            shape = launch_text(kernel)
            head = f"kernel {kernel.name}{parameters_text(kernel)}{place}{' ' * bool(shape)}{shape}"
        return [f"{head} {{", *memory, *self.body(kernel.body), "}"]

    # ------------------------------------------------ statements

    def block(self, body: tuple[Statement, ...], indent: str) -> Iterator[tuple[str, str]]:
        """Yield the lines of a block, each with its tags."""
        for statement in body:
            label = f"{statement.label}: " if statement.label else ""
            if isinstance(statement, If):
                yield from self.conditional(statement, indent, label)
            elif isinstance(statement, While | For):
                yield f"{indent}{label}{loop_text(statement)} {{", ""
                yield from self.block(statement.body, indent + "  ")
                yield f"{indent}}} {loop_attachment(statement.loop)}".rstrip(), ""
            elif isinstance(statement, Label):
                yield control_text(statement), ""
            else:
                text, tags = self.statement(statement)
                yield f"{indent}{label}{text}", tags

    def conditional(self, statement: If, indent: str, label: str) -> Iterator[tuple[str, str]]:
        yield f"{indent}{label}if {value_text(statement.condition, I1)} {{", ""
        yield from self.block(statement.then, indent + "  ")
        rest = statement.otherwise[0] if len(statement.otherwise) == 1 else None
        while isinstance(rest, If) and not rest.label:
            yield f"{indent}}} else if {value_text(rest.condition, I1)} {{", ""
            yield from self.block(rest.then, indent + "  ")
            statement = rest
            rest = statement.otherwise[0] if len(statement.otherwise) == 1 else None
        if statement.otherwise:
            yield f"{indent}}} else {{", ""
            yield from self.block(statement.otherwise, indent + "  ")
        yield f"{indent}}}", ""

    def statement(self, statement: Statement) -> tuple[str, str]:
        match statement:
            case Load():
                return self.load(statement)
            case Store():
                return self.store(statement)
            case AtomicRmw(register=register, operation=operation, address=address):
                value = self.typed_value(statement, statement.value)
                if operation in FLOAT_UPDATES:
                    value = number_text(statement.value, statement.type or I32)
                words = [*_result(register), "atomicrmw", *_modifiers(statement.mode, "volatile", "elementwise")]
                text = f"{' '.join(words)} {operation} {address_text(address)}, {value}"
                return _finished(text, statement.mode, metadata=("nontemporal",))
            case CmpXchg():
                return self.cmpxchg(statement)
            case Fence(mode=mode):
                return _finished("fence", mode)
            case Make():
                return self.make(statement)
            case Barrier(name=name):
                return f"barrier {name}".rstrip(), ""
            case Transfer():
                return self.transfer(statement)
            case Track(word=word, count=count, barrier=name):
                return f"{word} {count if word == WAIT else name}".rstrip(), ""
            case Assign(register=register, value=value):
                return f"{register_text(register)} = {value_text(value, None)}", ""
            case Assume(condition=condition):
                return f"assume {value_text(condition, I1)}", ""
            case If() | While() | For():
                raise AssertionError("a block has more than one line")
        return control_text(statement), ""

    def needs_type(self, statement: AccessStatement) -> bool:
        """Say whether the text must state the type of an access."""
        return statement.type != (implied_type(statement.address, self.types) or I32)

    def av_bits(self, type_: Type) -> int | None:
        """Return how many bits the intrinsic for a type carries, None for the word of the documents."""
        return None if self.documented else next((bits for bits, known in AV_TYPES.items() if known == type_), None)

    def load(self, statement: Load) -> tuple[str, str]:
        mode, type_ = statement.mode, statement.type or I32
        shown = f"{type_name(type_)}, " if self.needs_type(statement) else ""
        word = "load"
        if mode.av:
            bits = self.av_bits(type_)
            word = f"av.load.b{bits}" if bits else "load-visible"
            shown = "" if bits else shown
        words = [*_result(statement.register), word, *_leading(mode)]
        return _finished(f"{' '.join(words)} {shown}{address_text(statement.address)}", mode)

    def store(self, statement: Store) -> tuple[str, str]:
        mode, type_ = statement.mode, statement.type or I32
        word = "store"
        if mode.av:
            bits = self.av_bits(type_)
            word = f"av.store.b{bits}" if bits else "store-available"
        stated = word.startswith("av.")
        value = value_text(statement.value, type_) if stated else self.typed_value(statement, statement.value)
        return _finished(f"{' '.join([word, *_leading(mode)])} {value}, {address_text(statement.address)}", mode)

    def typed_value(self, statement: WritingStatement, value: Expr) -> str:
        """Return the value of an access, with its type before it if the text must state it."""
        type_ = statement.type or I32
        shown = f"{type_name(type_)} " if self.needs_type(statement) else ""
        return shown + value_text(value, type_)

    def cmpxchg(self, statement: CmpXchg) -> tuple[str, str]:
        registers = [name for name in (statement.register, statement.ok_register) if name]
        result = f"{', '.join(map(register_text, registers))} = " if registers else ""
        words = ["cmpxchg", *(["weak"] if statement.weak else []), *_modifiers(statement.mode, "volatile")]
        expected = self.typed_value(statement, statement.expected)
        desired = value_text(statement.desired, statement.type or I32)
        text = f"{result}{' '.join(words)} {address_text(statement.address)}, {expected}, {desired}"
        return _finished(text, statement.mode, f" {statement.failure.value}", metadata=("nontemporal",))

    def make(self, statement: Make) -> tuple[str, str]:
        what = "visible" if statement.visible else "available"
        mode = AccessMode(scope=statement.scope, tags=statement.tags)
        if statement.address is None:
            return _finished(f"make.{what}", mode)
        implied = implied_type(statement.address, self.types) or I32
        shown = "" if statement.type == implied else f"{type_name(statement.type or I32)}, "
        return _finished(f"make.ptr.{what} {shown}{address_text(statement.address)}", mode)

    def transfer(self, statement: Transfer) -> tuple[str, str]:
        implied = transferred_type(statement, self.types) or I32
        shown = "" if statement.type == implied else f"{type_name(statement.type or I32)}, "
        word = TO_LDS if statement.to_lds else FROM_LDS
        text = f"{word} {shown}{address_text(statement.memory)}, {address_text(statement.lds)}"
        own = statement.scope == SyncScope(self.tree.levels[0])
        return text if own else f"{text} syncscope({encoded(statement.scope.spelling)})", ""

    # ------------------------------------------------ conditions

    def question(self) -> list[str]:
        lines = [] if self.tree.bound is None else [f"bound {self.tree.bound}"]
        if self.tree.observe:
            lines.append(f"observe {', '.join(observable_text(o) for o in self.tree.observe)}")
        if self.tree.filter is not None:
            lines.append(f"filter ({condition_text(self.tree.filter)})")
        return [*lines, f"{self.tree.quantifier.value} ({condition_text(self.tree.condition)})"]

    def expectations(self) -> list[str]:
        lines = [f"model {_models(self.tree.models)}"] if self.tree.models else []
        return [*lines, *expectation_lines(self.tree)]

    def outcomes(self) -> list[list[str]]:
        return [self.outcome_set(outcomes) for outcomes in self.tree.outcome_sets]

    def outcome_set(self, outcomes: OutcomeSet) -> list[str]:
        rows = [[f"{observable_text(o)}={operand_text(v)}" for o, v in row] for row in outcomes.rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  " + "  ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        return [f"outcomes {_models(outcomes.models)} {{", *lines, "}"]


def expectation_lines(test: LitmusTest) -> list[str]:
    """Return what a test expects, verdict by verdict, as its canonical text has it."""
    lines = []
    for expectation in test.expectations:
        reason = f" {encoded(expectation.reason)}" if expectation.reason else ""
        lines.append(f"expect {_models(expectation.models)} {expectation.verdict}{reason}")
    return lines


def _result(register: str) -> list[str]:
    return [f"{register_text(register)} ="] if register else []


def _modifiers(mode: AccessMode, *words: str) -> list[str]:
    return [word for word in words if getattr(mode, word)]


def _leading(mode: AccessMode) -> list[str]:
    atomic = ["atomic"] if mode.ordering is not Ordering.NOT_ATOMIC else []
    return [*atomic, *_modifiers(mode, "volatile", "elementwise", "nontemporal")]


def _finished(text: str, mode: AccessMode, failure: str = "", *, metadata: tuple[str, ...] = ()) -> tuple[str, str]:
    """Return a statement with scope, ordering, alignment and modifiers spelled as metadata, and its tags."""
    if mode.scope != SyncScope():
        text += f" syncscope({encoded(mode.scope.spelling)})"
    if mode.ordering is not Ordering.NOT_ATOMIC:
        text += f" {mode.ordering.value}{failure}"
    if mode.align is not None:
        text += f", align {mode.align}"
    text += "".join(f", !{word} !{{i32 1}}" for word in _modifiers(mode, *metadata))
    spelled, plain = tag_texts(mode.tags)
    return text + promises_attachment(mode.promises) + spelled, plain


def tag_texts(tags: frozenset[Tag]) -> tuple[str, str]:
    """Return tags as (`, !mmra …`, `p:s p:t`): the second if every tag can be written so."""
    if not tags:
        return "", ""
    words = [f"{prefix}:{suffix}" for prefix, suffix in sorted(tags)]
    colons = any(":" in prefix for prefix, _ in tags)  # The first colon of a word ends its prefix.
    if not colons and all(_PLAIN_TAG.fullmatch(word) and word.isprintable() for word in words):
        return "", " ".join(words)
    nodes = ", ".join(f"!{{!{encoded(prefix)}, !{encoded(suffix)}}}" for prefix, suffix in sorted(tags))
    return f", !mmra !{{{nodes}}}", ""


def _models(models: tuple[ModelChoice, ...]) -> str:
    def one(choice: ModelChoice) -> str:
        variants = ", ".join(f"{key}={value}" for key, value in choice.variants)
        return f"{choice.model}[{variants}]" if variants else choice.model

    return " ".join(map(one, models))
