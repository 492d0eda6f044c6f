"""Small changes of Python: a comparison that is turned round, a clause that is dropped, a mask or a number off by one.

What goes in: the text of a module. What comes out: `CodeMutation`s in the order of the text, each of which makes a text
that Python reads. Nothing else of the text changes, so that lines stay where they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from axmem.front.typing import override

_TURNED = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "in": "not in", "not in": "in",
           "is": "is not", "is not": "is"}  # fmt: skip
_SPELLED = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in",
            ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not"}  # fmt: skip
_MASKING = (ast.BitAnd, ast.BitOr, ast.LShift, ast.RShift)
_COUNTING = (ast.Add, ast.Sub)


@dataclass(frozen=True)
class CodeMutation:
    """A change: its kind, its line, what stood there, what stands there then, and the bytes that are replaced."""

    kind: str
    line: int
    before: str
    after: str
    start: int
    end: int

    def made(self, text: str) -> str:
        """Return the module with the change."""
        whole = text.encode()
        return (whole[: self.start] + self.after.encode() + whole[self.end :]).decode()


def mutations(text: str) -> Iterator[CodeMutation]:
    """Yield every change of a module that leaves Python."""
    return (each for each in candidates(text) if leaves_python(each, text))


def candidates(text: str) -> list[CodeMutation]:
    """Return every change of a module, those that no Python is left after among them."""
    return sorted(_Finder(text).found, key=lambda each: (each.start, each.end, each.after))


def leaves_python(mutation: CodeMutation, text: str) -> bool:
    """Say whether Python reads a module with a change."""
    try:
        ast.parse(mutation.made(text))
    except SyntaxError:
        return False
    return True


class _Finder(ast.NodeVisitor):
    def __init__(self, text: str) -> None:
        self.whole = text.encode()
        self.starts = [0]
        for line in self.whole.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.found: list[CodeMutation] = []
        self.visit(ast.parse(text))

    @override
    def visit_If(self, node: ast.If) -> None:
        """Leave out what only type checkers read."""
        if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            self.generic_visit(node)

    @override
    def visit_Assert(self, node: ast.Assert) -> None:
        """Leave out assertions: they are for type checkers, and for readers."""

    @override
    def visit_Compare(self, node: ast.Compare) -> None:
        """A comparison is turned round, or a number in it is another."""
        left: ast.expr = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            word = _SPELLED[type(operator)]
            self._between(left, right, word, _TURNED[word], "comparison")
            self._off(right, "off by one")
            left = right
        self.generic_visit(node)

    @override
    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """A clause is dropped."""
        for index, value in enumerate(node.values):
            last = index == len(node.values) - 1
            start = self._end(node.values[index - 1]) if last else self._start(value)
            end = self._end(value) if last else self._start(node.values[index + 1])
            self._add("clause dropped", start, end, "")
        self.generic_visit(node)

    @override
    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """A negation is dropped."""
        if isinstance(node.op, ast.Not):
            self._add("negation dropped", self._start(node), self._start(node.operand), "")
        self.generic_visit(node)

    @override
    def visit_BinOp(self, node: ast.BinOp) -> None:
        """A mask or a number is another; what is added is taken away."""
        if isinstance(node.op, _MASKING):
            self._off(node.left, "mask")
            self._off(node.right, "mask")
        if isinstance(node.op, _COUNTING):
            word = "+" if isinstance(node.op, ast.Add) else "-"
            self._off(node.right, "off by one")
            if not isinstance(node.left, (ast.Constant, ast.JoinedStr, ast.Tuple, ast.List)):
                self._between(node.left, node.right, word, {"+": "-", "-": "+"}[word], "sign")
        self.generic_visit(node)

    @override
    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Leave out annotations."""
        if node.value is not None:
            self.visit(node.value)

    @override
    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Leave out signatures."""
        for statement in node.body:
            self.visit(statement)

    def _off(self, node: ast.expr, kind: str) -> None:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            self._add(kind, self._start(node), self._end(node), str(node.value + 1))

    def _between(self, left: ast.expr, right: ast.expr, word: str, other: str, kind: str) -> None:
        start, end = self._end(left), self._start(right)
        gap = self.whole[start:end].decode()
        if gap.count(word) == 1 and "#" not in gap:
            at = start + gap.index(word)
            self._add(kind, at, at + len(word), other)

    def _add(self, kind: str, start: int, end: int, after: str) -> None:
        line = self.whole[:start].count(b"\n") + 1
        self.found.append(CodeMutation(kind, line, self.whole[start:end].decode(), after, start, end))

    def _start(self, node: ast.expr) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.starts[node.end_lineno - 1] + node.end_col_offset
