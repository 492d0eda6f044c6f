"""What `--apply` asks for: the text, and whether the kernel has what it names.

What goes in: a text such as `unroll(h, 2); drop-tags(r)`. What comes out: `Application`s in their order; and of each,
once it comes to it, a located error if it names a loop, a block or a statement that is not there then.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NoReturn

from axmem.front.source import Diagnostic, InputError, Source, Span, did_you_mean
from axmem.transform.loops import irregular
from axmem.transform.not_modelled import left_out
from axmem.transform.registry import TRANSFORMATIONS
from axmem.transform.transformation import Application, Transformation, TransformContext, TransformParameter, called

TOKEN = re.compile(r"\s*(?:(?P<number>-?[0-9]+(?![\w.$]))|(?P<name>%?[\w.$@-]+)|(?P<mark>[(),;]))")


def applications(source: Source) -> tuple[Application, ...]:
    """Return the transformations that a text names; raise `InputError` for what it cannot mean."""
    return tuple(_Reader(source).all())


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens: list[tuple[str, str, Span]] = []
        at = 0
        text = source.text.rstrip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if match is None:
                column = at + len(text[at:]) - len(text[at:].lstrip()) + 1
                self.fail(Span(1, column), f"unexpected '{text[column - 1]}'", "write 'unroll(h, 2); licm(h)'")
            kind = str(match.lastgroup)
            self.tokens.append((kind, match[kind], Span(1, match.start(kind) + 1, len(match[kind]))))
            at = match.end()
        self.end = Span(1, len(text) + 1)
        self.index = 0

    def fail(self, span: Span, message: str, hint: str = "") -> NoReturn:
        raise InputError([Diagnostic(self.source, span, message, hint)])

    def next(self) -> tuple[str, str, Span]:
        if self.index == len(self.tokens):
            return "end", "", self.end
        self.index += 1
        return self.tokens[self.index - 1]

    def at(self, mark: str) -> bool:
        if self.index < len(self.tokens) and self.tokens[self.index][1] == mark:
            self.index += 1
            return True
        return False

    def expect(self, mark: str, hint: str) -> Span:
        kind, text, span = self.next()
        if text != mark:
            self.fail(span, f"expected '{mark}'" + (f", not '{text}'" if kind != "end" else ""), hint)
        return span

    def all(self) -> Iterator[Application]:
        if not self.tokens:
            self.fail(self.end, "no transformation is named", "write 'unroll(h, 2)'")
        while self.index < len(self.tokens):
            yield self.one()
            if self.index < len(self.tokens):
                self.expect(";", "a ';' stands between transformations")

    def one(self) -> Application:
        kind, name, span = self.next()
        known = TRANSFORMATIONS.get(name)
        if why := left_out(name):
            self.fail(span, why, "docs/transform.md says what there is")
        if kind != "name" or known is None:
            hint = did_you_mean(name, TRANSFORMATIONS) or f"there are {', '.join(sorted(TRANSFORMATIONS))}"
            self.fail(span, f"no transformation is named '{name}'" if name else "expected a transformation", hint)
        usage = f"{name}({', '.join(f'[{p.name}]' if p.optional else p.name for p in known.parameters)})"
        self.expect("(", usage)
        arguments: dict[str, str | int] = {}
        spans: dict[str, Span] = {}
        last = span
        while not self.at(")"):
            if arguments:
                self.expect(",", usage)
            kind, text, last = self.next()
            if kind not in ("name", "number"):
                self.fail(last, "expected an argument" + (f", not '{text}'" if text else ""), usage)
            parameter = self.parameter(known, arguments, (kind, text, last), usage)
            arguments[parameter.name] = int(text) if parameter.kind == "count" else text.removeprefix("%")
            spans[parameter.name] = last
        last = self.tokens[self.index - 1][2]
        missing = next((p for p in known.parameters if not p.optional and p.name not in arguments), None)
        if missing is not None:
            self.fail(last, f"the {missing.name} is missing", usage)
        whole = Span(1, span.column, last.column + last.length - span.column)
        return Application(known, arguments, spans, whole)

    def parameter(
        self, known: Transformation, given: Collection[str], token: tuple[str, str, Span], usage: str
    ) -> TransformParameter:
        """Return the parameter that an argument is for: the next, where optional ones may be left out."""
        kind, text, span = token
        for parameter in (p for p in known.parameters if p.name not in given):
            if parameter.kind == "count":
                if kind == "number":
                    if int(text) < parameter.least:
                        self.fail(span, f"a {parameter.name} of {text}", f"it is at least {parameter.least}")
                    return parameter
            elif parameter.kind == "loop" or not parameter.words or text in parameter.words:
                return parameter
            if not parameter.optional:
                self.fail(span, f"'{text}' is no {_word(parameter)}", usage)
        words = [word for p in known.parameters for word in p.words]
        self.fail(span, f"'{text}' is no argument of {known.name}", did_you_mean(text, words) or usage)


def _word(parameter: TransformParameter) -> str:
    return parameter.name if parameter.kind != "count" else f"{parameter.name}, a number"


# ---------------------------------------------------------------- what the kernel has


def refuse_unknown(source: Source, application: Application, context: TransformContext) -> None:
    """Raise `InputError` for a loop, a block or a statement that the graph does not have."""
    for parameter in application.transformation.parameters:
        name = application.arguments.get(parameter.name)
        if name is None:
            continue
        found = _FAULTS[parameter.kind](str(name), context) if parameter.kind in _FAULTS else None
        if found is not None:
            raise InputError([Diagnostic(source, application.spans[parameter.name], *found)])


def _no_loop(name: str, context: TransformContext) -> tuple[str, str] | None:
    """Return the message and the hint if no loop has a header."""
    headers = [loop.header for loop in context.loops]
    if name in headers:
        return None
    cycle = next((c for c in irregular(context.flow) if name in c.blocks), None)
    if cycle is not None:
        hint = "a loop has one entry, and one block that goes back to it"
        return f"the cycle at '{name}' is no loop: {cycle.reason}", hint
    inside = [loop.header for loop in context.loops if name in loop.blocks]
    hint = did_you_mean(name, headers) or (f"the loops are {', '.join(headers)}" if headers else "there is none")
    if name in context.flow.block and inside:
        hint = f"it is in the loop '{inside[-1]}'"
    return f"no loop has the header '{name}'", hint


def _no_block(name: str, context: TransformContext) -> tuple[str, str] | None:
    blocks = list(context.flow.block)
    if name in blocks:
        return None
    return f"there is no block '{name}'", did_you_mean(name, blocks) or f"the blocks are {', '.join(blocks)}"


def _no_statement(name: str, context: TransformContext) -> tuple[str, str] | None:
    return _no_name(name, context, context.flow.block, "no statement is named")


def _no_cut(name: str, context: TransformContext) -> tuple[str, str] | None:
    """Return what is wrong with a name of a statement of the loop; of a number it is for the transformation to say."""
    if name.isdigit():
        return None
    return _no_name(name, context, context.loop.blocks, f"no statement of the loop '{context.loop.header}' is named")


def _no_name(name: str, context: TransformContext, blocks: Collection[str], message: str) -> tuple[str, str] | None:
    known = [n for b in context.flow.blocks if b.name in blocks for s in b.statements for n in called(s)]
    if name in known:
        return None
    hint = did_you_mean(name, known) or "a statement has the name of its register, or of its label"
    return f"{message} '{name}'", hint


_FAULTS = {"loop": _no_loop, "block": _no_block, "statement": _no_statement, "cut": _no_cut}
