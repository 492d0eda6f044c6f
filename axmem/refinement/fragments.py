"""Rules as text: a row of operations before and one after, with holes.

What goes in: a `Source`. What comes out: a `Rule`, or an InputError with everything that is wrong. The operations are
those of the test language; names that begin with `$` are holes. Invariant: a hole of the second row is bound in the
first, and what becomes of every register is said.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from axmem.front.records import replace
from axmem.front.source import InputError, Source, Span, did_you_mean
from axmem.litmus.cursor import Cursor, Unparsable
from axmem.litmus.lexer import Token, tokens
from axmem.litmus.spelling import scope_named
from axmem.litmus.words import (
    NONE_TAG,
    SCOPE_OF,
    SPACE_TAGS,
    AddressSpace,
    OperationKind,
    Ordering,
    Scope,
    atomic_for,
    tag_text,
)
from axmem.refinement.alignment import Copy, Gap, Row, aligned
from axmem.refinement.bounded.bound import NAMED_TAGS
from axmem.refinement.patterns import Condition, Hole, SlotPattern, change_of
from axmem.refinement.rules import FULL, Rule

RULE, BEFORE, AFTER, WHERE = KEYWORDS = ("rule", "before", "after", "where")
"""The words that begin the parts of a rule."""
COMPATIBILITY = ("compatible", "incompatible")
"""What a condition may say of two holes of tags."""
KNOWN_TAGS = ("f:a", "f:b", *map(tag_text, (NONE_TAG, SPACE_TAGS[AddressSpace.GLOBAL], SPACE_TAGS[AddressSpace.LDS])))


def parse_rule(source: Source) -> Rule:
    """Return the rule that a text describes; raise InputError."""
    words, diagnostics = tokens(source)
    cursor = Cursor(source, words, diagnostics)
    parser = _RuleParser(cursor)
    rule = None
    with contextlib.suppress(Unparsable):
        rule = parser.rule()
    if diagnostics or rule is None:
        raise InputError(sorted(dict.fromkeys(diagnostics), key=lambda d: (d.span.line, d.span.column)))
    return rule


class _RuleParser:
    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.holes: dict[str, tuple[str, Span]] = {}
        self.conditions: list[Condition] = []

    # ------------------------------------------------------------ the whole

    def rule(self) -> Rule:
        cursor = self.cursor
        cursor.skip_newlines()
        cursor.expect_word(RULE)
        name = cursor.expect("name", "the rule's name").text
        while not cursor.at("newline", "string", "end"):
            token = cursor.next()
            name += token.text
        cursor.skip_newlines()
        text = []
        while cursor.at("string"):
            text.append(cursor.next().value)
            cursor.skip_newlines()
        before = list(self._row(BEFORE))
        bound = dict(self.holes)
        after = list(self._row(AFTER))
        for hole, (what, span) in self.holes.items():
            if hole not in bound and what not in ("value", "register", "operation"):
                cursor.error(span, f"'{hole}' is not in the row before", "a rule says what becomes of what was there")
        while cursor.at_word(WHERE):
            self._where()
            cursor.skip_newlines()
        if not cursor.at("end"):
            cursor.fail_expected("'where' or the end of the file")
        return self._made(name, "".join(text), before, after)

    def _made(self, name: str, text: str, before: Row, after: Row) -> Rule:
        pattern = replace(aligned(self.cursor, name, before, after), text=text, conditions=tuple(self.conditions))
        steps = [s for pair in pattern.slots for s in pair if s is not None]
        named = any(not isinstance(s.tags, Hole) and any(t.startswith("f:") for t in s.tags) for s in steps)
        places = {s.location for s in steps if s.location}
        kinds = {*FULL.kinds, *(OperationKind(s.kind) for s in steps if s.kind != "any")}
        tags = NAMED_TAGS if named else ()
        space = replace(FULL, kinds=kinds, tags=tags, any_tags=not named, locations=max(FULL.locations, len(places)))
        return Rule(name, text, change_of(pattern), space, pattern=pattern)

    def _row(self, title: str) -> Iterator[SlotPattern | Copy | Gap]:
        cursor = self.cursor
        cursor.expect_word(title)
        cursor.expect("{", "'{'")
        cursor.skip_newlines()
        while not cursor.at("}", "end"):
            yield self._statement()
            if not cursor.at("}"):
                cursor.expect("newline", "the end of the line")
            cursor.skip_newlines()
        cursor.expect("}", "'}'")
        cursor.skip_newlines()

    # ------------------------------------------------------------ statements

    def _statement(self) -> SlotPattern | Copy | Gap:
        cursor = self.cursor
        first = cursor.peek()
        if cursor.accept("..."):
            return Gap(first.span)
        if cursor.at_word("store"):
            step = self._store()
        elif cursor.at_word("store-available"):
            cursor.next()
            value = self._hole("value")
            cursor.expect(",", "','")
            place, scope = self._hole("location"), self._scope(needed=True)
            step = SlotPattern("store", first.span, value, place, scope=scope, av=True)
        elif cursor.at_word("fence"):
            cursor.next()
            step = SlotPattern("fence", first.span, scope=self._scope(), ordering=self._ordering("fence"))
        elif cursor.at_word("make.available", "make.visible"):
            step = SlotPattern(cursor.next().text, first.span, scope=self._scope(needed=True))
        elif first.text.startswith("$") and cursor.peek(1).kind == "=":
            found = self._assignment()
            if isinstance(found, Copy):
                return found
            step = found
        elif first.text.startswith("$"):
            step = SlotPattern("any", first.span, self._hole("operation"))
        else:
            cursor.fail_expected(
                "an operation", "load, store, atomicrmw xchg, fence, an av intrinsic, or a hole such as $a"
            )
            raise AssertionError
        return replace(step, tags=self._tags(), span=cursor.since(first.span))

    def _assignment(self) -> SlotPattern | Copy:
        cursor = self.cursor
        first = cursor.peek().span
        register = self._hole("register")
        cursor.expect("=", "'='")
        if cursor.accept_word("load-visible"):
            return SlotPattern("load", first, register, self._hole("location"), scope=self._scope(needed=True), av=True)
        if cursor.accept_word("load"):
            atomic = bool(cursor.accept_word("atomic"))
            volatile = bool(cursor.accept_word("volatile"))
            location = self._hole("location")
            scope, ordering = (self._scope(), self._ordering("load")) if atomic else (Scope.SYSTEM, Ordering.NOT_ATOMIC)
            return SlotPattern("load", first, register, location, ordering=ordering, scope=scope, volatile=volatile)
        if cursor.accept_word("atomicrmw"):
            volatile = bool(cursor.accept_word("volatile"))
            cursor.expect_word("xchg")
            location = self._hole("location")
            cursor.expect(",", "','")
            self._hole("value")
            return SlotPattern(
                "rmw", first, register, location, scope=self._scope(), ordering=self._ordering("rmw"), volatile=volatile
            )
        token = cursor.peek()
        if token.text.startswith("$"):
            cursor.next()
            return Copy(register, token.text, cursor.since(first))
        cursor.fail_expected("load, load-visible, atomicrmw, or the register or value that stands for this one")
        raise AssertionError

    def _store(self) -> SlotPattern:
        cursor = self.cursor
        first = cursor.next().span
        atomic = bool(cursor.accept_word("atomic"))
        volatile = bool(cursor.accept_word("volatile"))
        value = self._hole("value")
        cursor.expect(",", "','")
        location = self._hole("location")
        scope, ordering = (self._scope(), self._ordering("store")) if atomic else (Scope.SYSTEM, Ordering.NOT_ATOMIC)
        return SlotPattern("store", first, value, location, ordering=ordering, scope=scope, volatile=volatile)

    # ------------------------------------------------------------ parts of statements

    def _hole(self, what: str, token: Token | None = None) -> str:
        """Read a hole, or take a token for one, and note of what it is."""
        word = token or self.cursor.expect("name", f"a hole for the {what}, such as ${what[0]}")
        if not word.text.startswith("$") or len(word.text) < 2:
            raise self.cursor.fail(
                word.span,
                f"expected a hole for the {what}, found '{word.text}'",
                f"write ${word.text.strip('$') or what[0]}: any {what}",
            )
        known = self.holes.setdefault(word.text, (what, word.span))[0]
        if known != what:
            self.cursor.error(word.span, f"'{word.text}' is the hole of {_AN[known]} and cannot be that of {_AN[what]}")
        return word.text

    def _scope(self, *, needed: bool = False) -> Scope | Hole:
        cursor = self.cursor
        if not cursor.at_word("syncscope"):
            if needed:
                cursor.fail_expected("syncscope(…)")
            return Scope.SYSTEM
        cursor.next()
        cursor.expect("(", "'('")
        found: Scope | Hole
        if cursor.at("name"):
            found = Hole(self._hole("scope"))
        else:
            token = cursor.peek()
            named = scope_named(cursor)
            found = SCOPE_OF[named.level.word]
            if named.one_as:
                cursor.error(
                    token.span, "rules know no scopes of one address space", "write the tag on a fence instead"
                )
        cursor.expect(")", "')'")
        return found

    def _ordering(self, kind: str) -> Ordering | Hole:
        token = self.cursor.expect("name", "an ordering, or a hole such as $o")
        if token.text.startswith("$"):
            return Hole(self._hole("ordering", token))
        legal = [ordering.value for ordering in atomic_for(kind)]
        if token.text not in legal:
            hint = did_you_mean(token.text, legal) or f"one of {', '.join(legal)}"
            raise self.cursor.fail(token.span, f"no {kind} is '{token.text}'", hint)
        return Ordering(token.text)

    def _tags(self) -> tuple[str, ...] | Hole:
        token = self.cursor.accept("tags")
        words = token.value.split() if token else []
        if token and len(words) == 1 and words[0].startswith("$"):
            span = Span(token.span.line, token.span.column + token.text.index("$"), len(words[0]))
            return Hole(self._hole("tags", Token("name", words[0], words[0], span)))
        for word in words:
            if token and word not in KNOWN_TAGS:
                span = Span(token.span.line, token.span.column + token.text.index(word), len(word))
                self.cursor.error(
                    span, f"rules do not know the tag '{word}'", f"one hole, or of {', '.join(KNOWN_TAGS)}"
                )
        return tuple(words)

    # ------------------------------------------------------------ conditions

    def _where(self) -> None:
        cursor = self.cursor
        cursor.next()
        while True:
            left = cursor.expect("name", "a hole")
            what = self._what(left)
            if what == "tags":
                relation = cursor.expect("name", "'compatible' or 'incompatible'")
                if relation.text not in COMPATIBILITY:
                    raise cursor.fail(relation.span, "tags are compatible or incompatible")
            else:
                if not cursor.at("=", "!=", "<=", *((">=",))):
                    cursor.fail_expected("=, !=, <= or >=")
                relation = cursor.next()
            right = cursor.next()
            self._right(what, relation, right)
            self.conditions.append(Condition(what, left.text, relation.text, right.text))
            if not cursor.accept(","):
                return

    def _what(self, token: Token) -> str:
        if token.text not in self.holes:
            raise self.cursor.fail(token.span, f"no hole '{token.text}'", did_you_mean(token.text, self.holes))
        what = self.holes[token.text][0]
        if what not in ("location", "scope", "ordering", "tags"):
            raise self.cursor.fail(token.span, f"there is nothing to ask of {_AN[what]}")
        return what

    def _right(self, what: str, relation: Token, token: Token) -> None:
        words = {"scope": [*SCOPE_OF], "ordering": [o.value for o in Ordering]}.get(what, [])
        if what == "location" and relation.text not in ("=", "!="):
            self.cursor.error(relation.span, "locations have no order")
        if token.text.startswith("$"):
            if self._what(token) != what:
                self.cursor.error(
                    token.span, f"'{token.text}' is the hole of {_AN[self.holes[token.text][0]]}, not of {_AN[what]}"
                )
        elif token.text not in words:
            self.cursor.error(
                token.span,
                f"expected a hole{' or ' + _AN[what] if words else ''}, found '{token.text}'",
                did_you_mean(token.text, words),
            )


_AN = {
    "location": "a location",
    "scope": "a scope",
    "ordering": "an ordering",
    "tags": "tags",
    "value": "a value",
    "register": "a register",
    "operation": "an operation",
}
