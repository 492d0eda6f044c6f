"""Which values are equal numbers, whatever is read: one question to Z3 for each pair.

What goes in: two expressions over the same reads. What comes out: whether they are the same number for every number
that each read returns, and how often each uses what. A SAT solver does not know that a product may be taken in another
order; this is a lemma that makes such gates one. Invariant: what has no term here is equal to nothing but itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import z3

from axmem.events.values import DEPENDING, GIVEN, WHOLE, Apply, Constant, Expr, ReadOf, fold, operands

STEPS = 200_000
"""So many of Z3's units of work are spent on a pair: no load of the machine changes the answer."""
WIDTH = 128
_BINARY: Mapping[str, Callable[[z3.BitVecRef, z3.BitVecRef], z3.BitVecRef]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "and": lambda a, b: a & b,
    "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "nand": lambda a, b: ~(a & b),
    "umax": lambda a, b: z3.If(z3.UGT(a, b), a, b), "umin": lambda a, b: z3.If(z3.ULT(a, b), a, b),
    "max": lambda a, b: z3.If(a > b, a, b), "min": lambda a, b: z3.If(a < b, a, b),
    "uinc_wrap": lambda a, b: z3.If(z3.UGE(a, b), a ^ a, a + 1),
    "udec_wrap": lambda a, b: z3.If(z3.Or(a == 0, z3.UGT(a, b)), b, a - 1),
    "usub_cond": lambda a, b: z3.If(z3.UGE(a, b), a - b, a),
    "usub_sat": lambda a, b: z3.If(z3.UGE(a, b), a - b, a ^ a),
}  # fmt: skip
_SHIFTS: Mapping[str, Callable[[z3.BitVecRef, z3.BitVecRef], z3.BitVecRef]] = {
    "shl": lambda a, b: a << b, "lshr": z3.LShR, "ashr": lambda a, b: a >> b
}  # fmt: skip
_ORDERS: Mapping[str, Callable[[z3.BitVecRef, z3.BitVecRef], z3.BoolRef]] = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "ult": z3.ULT, "ule": z3.ULE, "ugt": z3.UGT, "uge": z3.UGE,
    "slt": lambda a, b: a < b, "sle": lambda a, b: a <= b, "sgt": lambda a, b: a > b, "sge": lambda a, b: a >= b,
}  # fmt: skip


class Terms:
    """Expressions as terms of Z3; what has none is a constant of its own."""

    def __init__(self) -> None:
        self._known: dict[Expr, z3.BitVecRef] = {}
        self._answers: dict[tuple[Expr, Expr], dict[Expr, int] | None] = {}

    def same(self, one: Expr, other: Expr) -> dict[Expr, int] | None:
        """Return how often the second of two expressions uses what, if they are the same number whatever that is; None
        if that is not known."""
        if (one, other) not in self._answers:
            self._answers[one, other] = self._same(one, other)
        return self._answers[one, other]

    def _same(self, one: Expr, other: Expr) -> dict[Expr, int] | None:
        both = (one, other)
        if not any(isinstance(each, Apply) for each in both) or any(getattr(each, "choices", ()) for each in both):
            return None
        solver = z3.SolverFor("QF_BV")
        solver.set("rlimit", STEPS)
        solver.add(fold(one, self._term, self._known) != fold(other, self._term, self._known))
        if solver.check() != z3.unsat:
            return None
        return _uses(other)

    def _term(self, expr: Expr) -> z3.BitVecRef:
        match expr:
            case Constant(value) if isinstance(value, int) and value >= 0:
                return z3.BitVecVal(value, WIDTH)
            case ReadOf(event):
                return z3.BitVec(f"read {event}", WIDTH)
            case Apply(name, bits, arguments, parameters):
                found = self._applied(name, bits, parameters, arguments)
                if found is not None:
                    return found
        bits = expr.bits if isinstance(expr, Apply) and 0 < expr.bits <= WIDTH else WIDTH
        return _wide(z3.FreshConst(z3.BitVecSort(bits), "other"))

    def _applied(
        self, name: str, bits: int, parameters: tuple[int, ...], arguments: tuple[Expr, ...]
    ) -> z3.BitVecRef | None:
        """Return the term of an operation: on numbers of its own width, or of that which its parameters say."""
        if name == GIVEN:
            return _wide(z3.BitVec(f"given {parameters[0]}", bits))
        if name in (DEPENDING, WHOLE):
            return self._known[arguments[0]]
        width = parameters[0] if name in _ORDERS and parameters else WIDTH if name in _ORDERS else bits
        terms = [z3.Extract(width - 1, 0, self._known[a]) for a in arguments]
        if name in _BINARY:
            return _wide(_BINARY[name](*terms))
        if name in _SHIFTS:
            by = arguments[1]
            known = isinstance(by, Constant) and isinstance(by.value, int) and by.value < bits
            return _wide(_SHIFTS[name](*terms)) if known else None
        if name in _ORDERS:
            return z3.If(_ORDERS[name](*terms), z3.BitVecVal(1, WIDTH), z3.BitVecVal(0, WIDTH))
        if name in ("zext", "trunc"):
            return _wide(terms[0])
        if name == "not":
            return _wide(~terms[0])
        if name == "sext":
            low = z3.Extract(parameters[0] - 1, 0, self._known[arguments[0]])
            return _wide(z3.SignExt(bits - parameters[0], low))
        if name == "slice":
            return _wide(z3.Extract(parameters[0] + bits - 1, parameters[0], self._known[arguments[0]]))
        if name == "concat":
            parts = [z3.Extract(w - 1, 0, self._known[a]) for a, w in zip(arguments, parameters, strict=True)]
            return _wide(z3.Concat(*reversed(parts)) if len(parts) > 1 else parts[0])
        if name == "select":
            return z3.If(self._known[arguments[0]] != 0, self._known[arguments[1]], self._known[arguments[2]])
        return None


def _wide(term: z3.BitVecRef) -> z3.BitVecRef:
    return z3.ZeroExt(WIDTH - term.size(), term) if term.size() < WIDTH else term


def _uses(expr: Expr) -> dict[Expr, int]:
    """Return how often an expression uses each read, each parameter, and undef."""
    counted: dict[Expr, dict[Expr, int]] = {}

    def count(part: Expr) -> dict[Expr, int]:
        given = isinstance(part, Apply) and part.operation == GIVEN
        if isinstance(part, ReadOf) or given or (isinstance(part, Constant) and not isinstance(part.value, int)):
            return {part: 1}
        found: dict[Expr, int] = {}
        only = isinstance(part, Apply) and part.operation in (DEPENDING, WHOLE)
        for operand in operands(part)[: 1 if only else None]:
            for leaf, number in counted[operand].items():
                found[leaf] = found.get(leaf, 0) + number
        return found

    return fold(expr, count, counted)
