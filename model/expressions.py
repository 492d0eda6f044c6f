r"""The expressions of cat, with herd7's precedences.

What goes in: a `Cursor` at the first token of an expression. What comes out: its tree, the cursor behind it. From
loose to tight: `|`, `++`, `;`, `\` (to the left), `&`, then `*` (product), the prefix `~` and the postfix `+ * ?`, then
`^-1`, then application, which is written `f x` or `f(x, y)` and takes every argument it can. As in herd7 the
operators `~`, `+`, `*`, `?` and the product are not associative with one another where that could be read in two
ways (`~r+`, `A * B+`): such text is refused, and parentheses decide.
"""

from __future__ import annotations

from axmem.front.records import replace
from axmem.model import doccomments
from axmem.model.cursor import MAX_DEPTH, Cursor
from axmem.model.lexer import Token, TokenKind
from axmem.model.syntax import (
    Application,
    Binding,
    Both,
    Choice,
    Condition,
    Expression,
    Infix,
    Lambda,
    Local,
    Match,
    Name,
    Not,
    Nothing,
    Prefix,
    Test,
    Text,
    Try,
)
from axmem.model.terms import Doc

LEVELS = {"|": 1, "++": 2, ";": 3, "\\": 4, "&": 5}

FURTHER = ("fun", "try", "match")
"""What begins a form that models of other tools have, and ours do not."""

UNSUPPORTED = {"yield": "`yield` is not supported"}


def expression(cursor: Cursor) -> Expression:
    """Parse an expression of any kind."""
    with cursor.nested():
        start = cursor.token
        if cursor.at("let"):
            return _local(cursor)
        if cursor.take("if"):
            asked = condition(cursor)
            cursor.expect("then", "after the condition")
            yes = expression(cursor)
            cursor.expect("else", "after the first branch")
            no = expression(cursor)
            return Choice(asked, yes, no, cursor.since(start))
        if cursor.at(*FURTHER):
            return _further(cursor)
        return _infix(cursor, 1)


def _further(cursor: Cursor) -> Expression:
    """Parse a `try`, a `fun` or a `match`."""
    start = cursor.advance()
    if start.text == "try":
        body = expression(cursor)
        cursor.expect("with", "after what is tried")
        return Try(body, expression(cursor), cursor.since(start))
    if start.text == "match":
        return _match(cursor)
    if cursor.take("("):
        parameters = parameter_list(cursor)
    else:
        parameters = (cursor.expect_kind(TokenKind.NAME, "as a parameter").text,)
    cursor.expect("->", "after the parameters")
    body = expression(cursor)
    return Lambda(Binding("fun", parameters, body, Doc(), start.span), cursor.since(start))


def _match(cursor: Cursor) -> Expression:
    """Parse the rest of a match; its two cases may stand in either order."""
    start = cursor.tokens[cursor.index - 1]
    value = expression(cursor)
    cursor.expect("with", "after what is matched")
    nothing: Expression | None = None
    some: tuple[str, str, Expression] | None = None
    while not cursor.take("end"):
        cursor.expect("||", "before a case of the `match`")
        case = cursor.token
        if cursor.take("{"):
            cursor.expect("}", "in the case of the empty set")
            cursor.expect("->", "after the case")
            nothing = expression(cursor)
            continue
        if case.kind is not TokenKind.NAME:
            raise cursor.refuse(
                f"expected a case, found {cursor.shown()}", "a set is `{}` or `first ++ rest`; tags are not supported"
            )
        cursor.advance()
        cursor.expect("++", "in the case of a set that is not empty")
        rest = cursor.expect_kind(TokenKind.NAME, "for the rest of the set")
        cursor.expect("->", "after the case")
        some = case.text, rest.text, expression(cursor)
    if nothing is None or some is None:
        hint = "it needs `|| {} -> …` and `|| first ++ rest -> …`"
        raise cursor.refuse("this `match` lacks a case", hint, start.span)
    return Match(value, nothing, *some, cursor.since(start))


def bindings(cursor: Cursor, doc: Doc) -> tuple[Binding, ...]:
    """Parse `b1 and b2 …`, the cursor behind `let` or `let rec`; `doc` belongs to those without, its remarks to b1."""
    out = [_binding(cursor, doc)]
    while cursor.at("and"):
        own = doccomments.doc(cursor.advance().comments)
        bare = own == Doc(remarks=own.remarks)
        out.append(_binding(cursor, replace(doc, remarks=own.remarks) if bare else own))
    return tuple(out)


def _binding(cursor: Cursor, doc: Doc) -> Binding:
    if cursor.at("("):
        raise cursor.refuse("patterns are not supported", "bind one name: `let x = …`")
    name = cursor.expect_kind(TokenKind.NAME, "to define")
    parameters: tuple[str, ...] | None = None
    if cursor.take("("):
        parameters = parameter_list(cursor)
    elif cursor.token.kind is TokenKind.NAME or cursor.at("_"):
        parameters = (cursor.advance().text,)
    cursor.expect("=", f"in the definition of `{name.text}`")
    body = expression(cursor)
    return Binding(name.text, parameters, body, doc, name.span, cursor.since(name))


def parameter_list(cursor: Cursor) -> tuple[str, ...]:
    """Parse `x, y)`, the cursor behind the opening parenthesis."""
    names: list[str] = []
    while not cursor.take(")"):
        if names:
            cursor.expect(",", "or `)` after a parameter")
        parameter = cursor.advance() if cursor.at("_") else cursor.expect_kind(TokenKind.NAME, "as a parameter")
        if parameter.text in names and parameter.text != "_":
            raise cursor.refuse(f"the parameter `{parameter.text}` stands here twice", span=parameter.span)
        names.append(parameter.text)
    return tuple(names)


def _local(cursor: Cursor) -> Expression:
    start = cursor.advance()
    recursive = cursor.take("rec")
    bound = bindings(cursor, Doc())
    cursor.expect("in", "after a local definition")
    body = expression(cursor)
    return Local(bound, recursive, body, cursor.since(start))


def condition(cursor: Cursor) -> Condition:
    """Parse a condition on variants: strings, `not`, `&&`, `||` and parentheses."""
    with cursor.nested():
        start = cursor.token
        left = _conjunction(cursor)
        while cursor.take("||"):
            left = Both(left, _conjunction(cursor), True, cursor.since(start))
        return left


def _conjunction(cursor: Cursor) -> Condition:
    start = cursor.token
    left = _atom(cursor)
    while cursor.take("&&"):
        left = Both(left, _atom(cursor), False, cursor.since(start))
    return left


def _atom(cursor: Cursor) -> Condition:
    start = cursor.token
    if start.kind is TokenKind.NAME and start.text == "not":
        with cursor.nested():
            cursor.advance()
            return Not(_atom(cursor), cursor.since(start))
    if cursor.take("("):
        inner = condition(cursor)
        cursor.expect(")", "after the condition")
        return inner
    if start.kind is not TokenKind.STRING:
        raise cursor.refuse(
            f"expected the name of a variant in quotes, found {cursor.shown()}",
            'conditions ask about variants, as in `if "name=value" then … else …`',
        )
    cursor.advance()
    return Test(start.text, start.span)


def _infix(cursor: Cursor, lowest: int) -> Expression:
    start = cursor.token
    left = _operand(cursor)
    while True:
        operator = cursor.token.text if cursor.token.kind is TokenKind.SYMBOL else ""
        level = LEVELS.get(operator, 0)
        if level < lowest:
            return left
        operands = [left]
        # Operands bind tighter, so that a chain of one operator becomes one n-ary node, and `\` goes to the left.
        while cursor.take(operator):
            operands.append(_infix(cursor, level + 1))
        left = Infix(operator, tuple(operands), cursor.since(start))


def _operand(cursor: Cursor) -> Expression:
    start = cursor.token
    if cursor.at("~", "!"):
        complement = _complement(cursor)
        if cursor.at("+", "*", "?"):
            raise _two_readings(cursor, "after `~`")
        return complement
    left = _inverses(cursor, start, _applied(cursor))
    for _ in range(MAX_DEPTH):
        # `r*` is a closure and `S * T` a product: which one shows in what follows the star.
        if cursor.at("*") and _begins_operand(cursor):
            cursor.advance()
            second = cursor.token
            right = _complement(cursor) if cursor.at("~", "!") else _inverses(cursor, second, _applied(cursor))
            if cursor.at("+", "*", "?"):
                raise _two_readings(cursor, "after a product")
            return Infix("*", (left, right), cursor.since(start))
        if not cursor.at("+", "*", "?"):
            return left
        operator = cursor.advance().text
        left = _inverses(cursor, start, Prefix(operator, left, cursor.since(start)))
    raise cursor.refuse("this nests too deeply", "so many postfix operators mean no more than one of them")


def _two_readings(cursor: Cursor, where: str) -> Exception:
    return cursor.refuse(f"`{cursor.token.text}` {where} can be read in two ways", "put parentheses")


def _complement(cursor: Cursor) -> Expression:
    start = cursor.advance()
    with cursor.nested():
        if cursor.at("~", "!"):
            return Prefix("~", _complement(cursor), cursor.since(start))
        inner = _inverses(cursor, cursor.token, _applied(cursor))
        return Prefix("~", inner, cursor.since(start))


def _inverses(cursor: Cursor, start: Token, operand: Expression) -> Expression:
    count = 0
    while cursor.take("^"):
        count += 1
        if cursor.take("2"):
            operand = Infix("*", (operand, operand), cursor.since(start))
            continue
        if not cursor.take("-1") or count > MAX_DEPTH:
            raise cursor.refuse(f"expected `-1` after `^`, found {cursor.shown()}", "write `r^-1`, `r+`, `r*` or `r?`")
        operand = Prefix("^-1", operand, cursor.since(start))
    return operand


def _begins_operand(cursor: Cursor) -> bool:
    """Tell whether the token after the next begins an operand, so that a `*` is a product and no closure."""
    token = cursor.following
    if token.kind is TokenKind.SYMBOL and token.text in ("~", "!"):
        # `S * ~T` is a product; but after `let r = po*` the next statement may be `~empty s`, and begin no operand.
        after = cursor.tokens[min(cursor.index + 2, len(cursor.tokens) - 1)]
        return after.kind is not TokenKind.KEYWORD or after.text == "begin"
    return _begins_simple(token)


def _begins_simple(token: Token) -> bool:
    if token.kind in (TokenKind.NAME, TokenKind.TAG):
        return True
    return token.kind in (TokenKind.SYMBOL, TokenKind.KEYWORD) and token.text in ("(", "[", "{", "0", "_", "begin")


def _applied(cursor: Cursor) -> Expression:
    start = cursor.token
    left, is_name = _simple(cursor), start.kind is TokenKind.NAME
    count = 0
    # `f x y` applies f(x) to y. Only a name is applied: `(r) (s)` is a forgotten operator, and refused by who follows.
    while is_name and _begins_simple(cursor.token):
        count += 1
        if count > MAX_DEPTH:
            raise cursor.refuse("this nests too deeply", "is an operator missing between these names?")
        left = Application(left, _arguments(cursor), cursor.since(start))
    return left


def _arguments(cursor: Cursor) -> tuple[Expression, ...]:
    return arguments(cursor) if cursor.at("(") else (_simple(cursor),)


def arguments(cursor: Cursor) -> tuple[Expression, ...]:
    """Parse `(x, y)`."""
    cursor.expect("(", "before arguments")
    out: list[Expression] = []
    while not cursor.take(")"):
        if out:
            cursor.expect(",", "or `)` after an argument")
        out.append(expression(cursor))
    return tuple(out)


def _simple(cursor: Cursor) -> Expression:
    start = cursor.token
    match start.kind, start.text:
        case TokenKind.NAME, _:
            cursor.advance()
            return Name(start.text, start.span)
        case TokenKind.STRING, _:
            cursor.advance()
            return Text(start.text, start.span)
        case TokenKind.SYMBOL, "_":
            cursor.advance()
            return Name("_", start.span)
        case TokenKind.SYMBOL, "0":
            cursor.advance()
            return Nothing(start.span)
        case (TokenKind.SYMBOL, "(" | "[" | "{") | (TokenKind.KEYWORD, "begin"):
            return _enclosed(cursor)
        case TokenKind.TAG, _:
            raise cursor.refuse("tags of bell files are not supported", 'write `tagged("prefix:suffix")` for a set')
        case TokenKind.KEYWORD, word if word in UNSUPPORTED:
            raise cursor.refuse(UNSUPPORTED[word])
    raise cursor.refuse(f"expected a set or a relation, found {cursor.shown()}")


def _enclosed(cursor: Cursor) -> Expression:
    start = cursor.advance()
    if start.text == "{":
        if not cursor.take("}"):
            raise cursor.refuse("sets cannot be listed", "`{}` and `0` are empty; other sets come from the vocabulary")
        return Nothing(cursor.since(start))
    close = {"(": ")", "[": "]", "begin": "end"}[start.text]
    inner = expression(cursor)
    if start.text == "(" and cursor.at(","):
        raise cursor.refuse("tuples are not supported", "only a function takes several arguments")
    cursor.expect(close, f"to close the `{start.text}` of line {start.span.line}")
    return Prefix("[]", inner, cursor.since(start)) if start.text == "[" else inner
