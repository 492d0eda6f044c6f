"""Calls: convergent operations, tokens, ids, declared functions, with their operand bundles."""

from __future__ import annotations

import re

from axmem.litmus.expressions import parse_expression
from axmem.litmus.kernels import IDS, SIGNATURES, Call, ConvergenceToken
from axmem.litmus.lexer import Token
from axmem.litmus.spelling import at_type, parse_type
from axmem.litmus.statements import StatementParser
from axmem.litmus.syntax import I1, I32, Assign, Expr, IntegerOperation, Number, Register, Statement, Type

TOKEN_NAME = re.compile(r"llvm\.experimental\.convergence\.(entry|anchor|loop)")
ID_NAMES = {"llvm.amdgcn.workitem.id.x": IDS[0], "llvm.amdgcn.workgroup.id.x": IDS[1], "llvm.amdgcn.wave.id": IDS[2]}
_SUFFIX = re.compile(r"\.(?:v[0-9]+)?[ip][0-9]+$")
_RESULTS = {"i1": I1, "i32": I32, "N": Type(64)}


class CallParser(StatementParser):
    """Reads the calls of one kernel or thread."""

    def bundle(self) -> str:
        """Read `[ "convergencectrl"(token %t) ]`, if it stands here, and return its token."""
        cursor = self.cursor
        token = ""
        while cursor.at("["):
            opening = cursor.next()
            name = cursor.expect("string", "the name of a bundle")
            if name.value != "convergencectrl":
                raise cursor.fail(name.span, f"unknown operand bundle '{name.value}'", "the bundle is convergencectrl")
            cursor.expect("(", "'('")
            cursor.expect_word("token")
            operand = self.result_name()
            if cursor.at(","):
                raise cursor.fail(cursor.peek().span, "a 'convergencectrl' bundle has exactly one token operand")
            cursor.expect(")", "')'")
            cursor.expect("]", "']'")
            if token:
                cursor.error(cursor.since(opening.span), "a call has at most one 'convergencectrl' bundle")
            token = operand.value
        return token

    def short_call(self, register: str, label: str, start: Token) -> Statement:
        """Read `readlane x, 1` and its like after the first word."""
        operation = "s.barrier" if start.text == "barrier" else start.text
        return self.finished_call(register, label, start, (operation, None))

    def call(self, register: str, label: str, start: Token) -> Statement | None:
        """Read `call T @f(…)`: a convergent operation, a token, an id, a declared function, another intrinsic."""
        cursor = self.cursor
        before = cursor.index
        cursor.accept_word("tail")
        cursor.next()
        result = parse_type(cursor) if at_type(cursor) or cursor.at_word("ptr") else None
        cursor.accept_word("void", "token")
        name = cursor.peek()
        operation = _SUFFIX.sub("", name.value.removeprefix("llvm.amdgcn."))
        token = TOKEN_NAME.fullmatch(name.value)
        known = token or name.value in ID_NAMES or operation in SIGNATURES or operation in ("mbcnt.lo", "mbcnt.hi")
        if not known and name.value.startswith("llvm."):
            cursor.index = before
            return super().operation(register, label)
        if not cursor.at("global"):
            cursor.fail_expected("the name of a function")
        cursor.next()
        if not known:
            return self.finished_call(register, label, start, (name.text, None))
        if operation in SIGNATURES:
            return self.finished_call(register, label, start, (operation, result))
        cursor.expect("(", "'('")
        return self.valued_call(register, label, start, name)

    def valued_call(self, register: str, label: str, start: Token, name: Token) -> Statement:
        """Read the call of a token or an id after its opening parenthesis."""
        cursor = self.cursor
        if not register:
            raise cursor.fail(name.span, f"the result of '{name.value}' needs a register")
        operands = self.operands(")")
        if token := TOKEN_NAME.fullmatch(name.value):
            bundle = self.bundle()
            return ConvergenceToken(register, token[1], bundle, label, cursor.since(start.span))
        value: Expr = Register(ID_NAMES.get(name.value, IDS[3]), span=name.span)
        if ".mbcnt." in name.value:
            mask = operands[0] if len(operands) == 2 else None
            if not isinstance(mask, Number) or mask.value not in (-1, 0xFFFFFFFF):
                raise cursor.fail(name.span, "mbcnt is known with the mask -1 alone", "it counts the lanes below")
            base = operands[1]
            high = name.value.endswith(".hi")
            if high or not (isinstance(base, Number) and base.value == 0):
                value = base if high else IntegerOperation("add", (base, value), span=name.span)
        return Assign(register, value, label, cursor.since(start.span))

    def operands(self, closing: str) -> list[Expr]:
        """Read operands up to a closing token, and that."""
        cursor = self.cursor
        found: list[Expr] = []
        while not cursor.accept(closing):
            found.append(parse_expression(cursor))
            if not cursor.accept(",") and not cursor.at(closing):
                cursor.fail_expected(f"',' or '{closing}'")
        return found

    def finished_call(self, register: str, label: str, start: Token, what: tuple[str, Type | None]) -> Statement:
        """Read the operands of a call, in parentheses or without, and its bundle."""
        cursor = self.cursor
        operation, stated = what
        llvm = cursor.tokens[cursor.index - 1].kind == "global"
        if llvm:
            cursor.expect("(", "'('")
        barrier, operands = self.arguments(operation, ")" if llvm else None)
        if llvm:
            cursor.expect(")", "',' or ')'")
        token = self.bundle()
        signature = SIGNATURES.get(operation)
        result = stated or (_RESULTS.get(signature.result) if signature else None)
        span = cursor.since(start.span)
        if signature is not None:
            needed = len([kind for kind in signature.operands if kind != "barrier"])
            missing = needed - len(operands)
            if 0 < missing <= len(signature.defaults):
                operands += [Number(value) for value in signature.defaults[-missing:]]
            if len(operands) != needed or (not barrier and "barrier" in signature.operands):
                wanted = ", ".join(signature.operands) or "none"
                raise cursor.fail(span, f"'{operation}' has other operands than these", f"it takes {wanted}")
        if bool(register) and (signature is None or not signature.result):
            raise cursor.fail(start.span, f"'{operation}' has no result")
        self.refuse_tags("a call")
        return Call(
            operation=operation, operands=tuple(operands), register=register, type=result, barrier=barrier,
            token=token, label=label, span=span,
        )  # fmt: skip

    def arguments(self, operation: str, closing: str | None) -> tuple[str, list[Expr]]:
        """Read the named barrier, if the operation has one, and its other operands."""
        cursor = self.cursor
        signature = SIGNATURES.get(operation)
        barrier = ""
        if signature is not None and "barrier" in signature.operands:
            if at_type(cursor) or cursor.at_word("ptr"):
                parse_type(cursor)
            if not cursor.at("name", "local", "global"):
                cursor.fail_expected("the name of a barrier")
            barrier = cursor.next().value
            if not cursor.accept(","):
                return barrier, []
        operands: list[Expr] = []
        while not cursor.at("newline", "end", "}", "[", "tags", *([closing] if closing else [])):
            operands.append(parse_expression(cursor))
            if not cursor.accept(","):
                break
        return barrier, operands
