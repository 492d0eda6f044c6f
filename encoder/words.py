"""Values as bit vectors of a circuit's literals.

What goes in: operations of `axmem.litmus.arithmetic`, words. What comes out: words, as gates of the circuit, so that
arithmetic that is the same is the same literals. A word says of each bit whether it is undef, so that each use may take
it for 0 or for 1: what a value may be are the numbers that agree with its other bits.

Undef has two readings. `over`: what a word may be is at least what the operation gives of what its arguments may be;
for a program after a change, and whoever looks for an execution. Else it is at most that: for an execution before the
change that answers. Invariant: so an answer never rests on what is not known of undef.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from axmem.encoder.circuit import FALSE, TRUE, Circuit
from axmem.encoder.float_words import float_update
from axmem.encoder.word import ANYTHING as ANYTHING
from axmem.encoder.word import NOTHING as NOTHING
from axmem.encoder.word import WIDEST, masked
from axmem.encoder.word import Word as Word
from axmem.encoder.word import constant as constant
from axmem.encoder.word import digits as digits
from axmem.litmus.arithmetic import BITWISE, DEFINED, DEPENDING, DIFFERS, DIVISIONS, FROZEN, POISON, STRICT, WHOLE

_TURNED = {*STRICT, "shl", "lshr", "ashr", "select"} - {WHOLE}
"""The operations of which it is known what they give of other numbers: not those of floating point."""
_APART = {"eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge", "sub", "xor"}
"""Those that of the same number twice give what they do not of two."""
_ORDERS = ("ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")


def _known(w: Word) -> bool:
    """Whether a word is one number, whatever the literals are."""
    return not w.free and all(abs(x) == TRUE for x in w.bits)


class Words:
    """Arithmetic on words of one circuit, in one reading of undef."""

    def __init__(self, circuit: Circuit, *, over: bool, unknown: dict[Hashable, tuple[int, ...]]) -> None:
        """`unknown` are the results of functions of which nothing is known, by what they are applied to."""
        self.c, self.over, self.unknown = circuit, over, unknown

    # ------------------------------------------------------------ gates

    def xor(self, a: int, b: int) -> int:
        """Return the literal that two literals differ."""
        return self.c.either(self.c.both(a, -b), self.c.both(-a, b))

    def mux(self, test: int, a: int, b: int) -> int:
        """Return one literal or another."""
        return a if a == b else self.c.either(self.c.both(test, a), self.c.both(-test, b))

    def any_free(self, w: Word) -> int:
        """Return the literal that some bit is undef."""
        return self.c.disjunction(w.free)

    def undefined(self, w: Word) -> int:
        """Return the literal that a word is not one number."""
        varies = self.c.disjunction([self.xor(x, w.bit(i)) for i, x in enumerate(w.other or ())])
        return self.c.disjunction([w.poison, self.any_free(w), varies])

    def turned(self, w: Word) -> tuple[int, ...]:
        """Return the bits of another number that a word may be, if it may be several."""
        if w.other is not None:
            return w.other
        return tuple(self.xor(w.bit(i), w.undef(i)) for i in range(w.width))

    def one_of(self, ways: Sequence[tuple[int, Word]]) -> Word:
        """Return the word whose literal holds, of which at most one does."""
        width = max((w.width for _, w in ways), default=0)
        holds = [x for x, _ in ways]
        sure = len(ways) == 2 and holds[0] == -holds[1]

        def joined(literals: Sequence[int]) -> int:
            if sure:  # What both are needs no gates.
                return self.mux(holds[0], *literals)
            return self.c.disjunction([self.c.both(x, y) for x, y in zip(holds, literals, strict=True)])

        bits = tuple(joined([w.bit(i) for _, w in ways]) for i in range(width))
        free = tuple(joined([w.undef(i) for _, w in ways]) for i in range(width))
        poison, there = joined([w.poison for _, w in ways]), joined([w.there for _, w in ways])
        other = None
        if any(w.other is not None for _, w in ways):
            turned = [self.turned(w) for _, w in ways]
            other = tuple(joined([t[i] if i < len(t) else FALSE for t in turned]) for i in range(width))
        return Word(bits, masked(free), poison, there, other)

    def equals(self, w: Word, number: int) -> int:
        """Return the literal that the bits are a number."""
        width = max(w.width, number.bit_length())
        return self.c.conjunction([w.bit(i) if number >> i & 1 else -w.bit(i) for i in range(width)])

    def may_be(self, w: Word, number: int) -> int:
        """Return the literal that a word may be a number."""
        width = max(w.width, number.bit_length())
        ways = ((w.bit(i) if number >> i & 1 else -w.bit(i), w.undef(i)) for i in range(width))
        return self.c.conjunction([self.c.either(x, f) for x, f in ways])

    def covers(self, mine: Word, theirs: Word) -> int:
        """Return the literal that one word may be whatever another may be, where that is there."""
        c, parts = self.c, []
        for i in range(max(mine.width, theirs.width)):
            same = c.both(-theirs.undef(i), -self.xor(mine.bit(i), theirs.bit(i)))
            parts.append(c.either(mine.undef(i), same))
        agrees = c.either(mine.poison, c.both(-theirs.poison, c.conjunction(parts)))
        return c.either(-theirs.there, c.both(mine.there, agrees))

    def _same(self, a: Word, b: Word) -> int:
        return self.c.conjunction([-self.xor(a.bit(i), b.bit(i)) for i in range(max(a.width, b.width))])

    def _less(self, a: Word, b: Word, width: int, *, signed: bool = False, orequal: bool = False) -> int:
        less = TRUE if orequal else FALSE
        for i in range(width):
            x, y = a.bit(i), b.bit(i)
            if signed and i == width - 1:
                x, y = y, x
            less = self.mux(self.xor(x, y), y, less)
        return less

    def _sum(self, a: Word, b: Word, bits: int) -> tuple[int, ...]:
        return self._added([a.bit(i) for i in range(bits)], [b.bit(i) for i in range(bits)], FALSE)[0]

    def _difference(self, a: Word, b: Word, bits: int) -> tuple[tuple[int, ...], int]:
        """Return a - b, and the literal that it is not negative."""
        return self._added([a.bit(i) for i in range(bits)], [-b.bit(i) for i in range(bits)], TRUE)

    def _added(self, a: Sequence[int], b: Sequence[int], carry: int) -> tuple[tuple[int, ...], int]:
        out = []
        for x, y in zip(a, b, strict=True):
            half = self.xor(x, y)
            out.append(self.xor(half, carry))
            carry = self.c.either(self.c.both(x, y), self.c.both(carry, half))
        return tuple(out), carry

    # ------------------------------------------------------------ operations

    def apply(self, name: str, bits: int, parameters: Sequence[int], args: Sequence[Word]) -> Word:
        """Return the word of an operation (`apply_operation`)."""
        found = self._applied(name, bits, parameters, args)
        if self.over or name not in _TURNED or not any(w.free or w.other is not None for w in args):
            return found
        # What it gives of other numbers that the arguments may be, which undef may be in one use and not in another.
        there = [(w, Word(self.turned(w), (), w.poison, w.there)) for w in args]
        others = [[w for _, w in there]]
        if len(there) == 2 and name in _APART:
            others += [[there[0][0], there[1][1]], [there[0][1], there[1][0]]]
        made = [self._applied(name, bits, parameters, [w._replace(free=()) for w in each]) for each in others]
        if bits == 1:
            free = [self.c.either(w.poison, self.xor(found.bit(0), w.bit(0))) for w in made]
            return found._replace(free=masked((self.c.disjunction([found.undef(0), *free]),)), other=None)
        width = max(w.width for w in (found, *made))
        other = tuple(found.bit(i) for i in range(width))
        for w in reversed(made):
            # Where it may be poison, it may be taken for any number.
            turned = [self.mux(w.poison, -found.bit(i), w.bit(i)) for i in range(width)]
            differs = self.c.disjunction([self.xor(x, found.bit(i)) for i, x in enumerate(turned)])
            other = tuple(self.mux(differs, x, y) for x, y in zip(turned, other, strict=True))
        return found._replace(other=None if other == self.turned(found._replace(other=None)) else other)

    def _applied(self, name: str, bits: int, parameters: Sequence[int], args: Sequence[Word]) -> Word:
        c = self.c
        there = c.conjunction([a.there for a in args])
        poison = c.disjunction([a.poison for a in args])
        if name == POISON:
            return Word((), poison=TRUE)
        if name in (DEPENDING, WHOLE):  # Each bit of an integer is undef where that of memory is.
            return args[0]._replace(there=there)
        if name == DEFINED:
            return self.one_of([(-(undef := self.undefined(args[0])), args[0]), (undef, args[1])])
        if name == FROZEN:
            value, number = args[0].within(bits), args[1]
            taken = (c.either(value.poison, value.undef(i)) for i in range(bits))
            return Word(tuple(self.mux(x, number.bit(i), value.bit(i)) for i, x in enumerate(taken)), there=there)
        if name == DIFFERS:
            return Word((c.conjunction([*(-self.undefined(a) for a in args), -self._same(*args)]),), there=there)
        if name == "select":
            return self._select(bits, args[0], *(a.within(bits) for a in args[1:]))._replace(there=there)
        if not self.over:  # Undef has no width of its own: as much of it as the others have is surely there.
            others = [a.width for a in args if a.width < WIDEST]
            width = max(others, default=bits) if name in _ORDERS or name in ("eq", "ne") else bits
            args = [a.within(width) if a.width == WIDEST else a for a in args]
        if name in ("zext", "trunc", "slice", "concat", "sext"):
            return self._moved(name, bits, parameters, args)._replace(poison=poison, there=there)
        if name in BITWISE:
            return self._bitwise(name, bits, args)._replace(poison=poison, there=there)
        if name in ("shl", "lshr", "ashr"):
            found = self._shift(name, bits, *args)
            return found._replace(poison=c.either(poison, found.poison), there=there)
        if name in ("eq", "ne"):
            return self._equal(name, *args)._replace(poison=poison, there=there)
        if name in _ORDERS:
            return self._compared(name, parameters, *args)._replace(poison=poison, there=there)
        if name in DIVISIONS:
            poison = c.either(poison, self._undivided(name, bits, *args))
        return self._computed(name, bits, parameters, args)._replace(poison=poison, there=there)

    def _select(self, bits: int, test: Word, yes: Word, no: Word) -> Word:
        """Return one word or another; which one, of an undef truth value, each use chooses."""
        c, taken, undef = self.c, test.bit(0), test.undef(0)
        found = self.one_of([(taken, yes), (-taken, no)])
        poison = c.either(test.poison, found.poison)
        if undef == FALSE:
            return found._replace(poison=poison)
        differ = [self.xor(yes.bit(i), no.bit(i)) for i in range(found.width)]
        if self.over:
            poison = c.either(poison, c.both(undef, c.either(yes.poison, no.poison)))
            ways = [c.disjunction([x, yes.undef(i), no.undef(i)]) for i, x in enumerate(differ)]
        elif yes.free or no.free:  # It is the one that may be anything, if one may.
            every = [c.conjunction([w.undef(i) for i in range(bits)]) for w in (yes, no)]
            taken = self.mux(undef, c.either(every[0], c.both(taken, -every[1])), taken)
            found = self.one_of([(taken, yes), (-taken, no)])
            return found._replace(poison=c.either(test.poison, found.poison))
        else:  # That each of several bits is chosen alone would say too much.
            one = c.both(c.at_least(1, differ), -c.at_least(2, differ))
            ways = [c.both(one, x) for x in differ]
        free = masked([c.either(found.undef(i), c.both(undef, x)) for i, x in enumerate(ways)])
        return found._replace(free=free, poison=poison)

    def _moved(self, name: str, bits: int, parameters: Sequence[int], args: Sequence[Word]) -> Word:
        """Return bits that stand elsewhere."""
        a = args[0]
        if name in ("zext", "trunc"):
            return a.cut(0, parameters[0] if parameters else bits)
        if name == "slice":
            return a.cut(parameters[0], bits)
        if name == "concat":
            places = [(a, i) for a, width in zip(args, parameters, strict=True) for i in range(width)]
            return Word(tuple(a.bit(i) for a, i in places), masked([a.undef(i) for a, i in places]))
        width = parameters[0]
        top = width - 1
        low, high = [a.undef(i) for i in range(width)], [FALSE] * (bits - width)
        if self.over:
            high = [a.undef(top)] * (bits - width)
        elif bits > width:  # The upper bits are all the same one: that each is chosen alone would say too much.
            low[top] = FALSE
        copies = bits - width if self.over else 0
        found = (*(a.bit(i) for i in range(width)), *[a.bit(top)] * (bits - width))
        return Word(found, masked(low + high), copies=copies)

    def _undivided(self, name: str, bits: int, a: Word, by: Word) -> int:
        """Return the literal that a division may be none: by zero, or of the least number by -1."""
        least = self.c.both(self.may_be(a, 1 << bits - 1), self.may_be(by, (1 << bits) - 1))
        return self.c.either(self.may_be(by, 0), least if name[0] == "s" else FALSE)

    def _bitwise(self, name: str, bits: int, args: Sequence[Word]) -> Word:
        c, out, free = self.c, [], []
        for i in range(bits):
            if name == "not":
                out.append(-args[0].bit(i))
                free.append(args[0].undef(i))
                continue
            x, y, f, g = args[0].bit(i), args[1].bit(i), args[0].undef(i), args[1].undef(i)
            if name == "xor":
                out.append(self.xor(x, y))
                free.append(c.either(f, g))
                continue
            conjunction = name != "or"
            s, t = (x, y) if conjunction else (-x, -y)
            open_ = c.both(c.either(s, f), c.either(t, g))  # Neither bit decides alone.
            value = open_ if conjunction else -open_
            out.append(-value if name == "nand" else value)
            free.append(c.both(open_, c.either(f, g)))
        return Word(tuple(out), masked(free))

    def _shift(self, name: str, bits: int, a: Word, by: Word) -> Word:
        """Return a number shifted; by as many bits as it has, or more, it is poison."""
        c = self.c
        fill = a.bit(bits - 1) if name == "ashr" else FALSE
        fill_free = a.undef(bits - 1) if name == "ashr" and self.over else FALSE
        out, free = [a.bit(i) for i in range(bits)], [a.undef(i) for i in range(bits)]
        if name == "ashr" and not self.over:  # What is shifted in is the same bit many times.
            free[bits - 1] = FALSE
        for k in range((bits - 1).bit_length()):
            step, test = 1 << k, by.bit(k)
            if test == FALSE:
                continue
            sources = [i - step if name == "shl" else i + step for i in range(bits)]
            moved = [out[j] if 0 <= j < bits else fill for j in sources]
            moved_free = [free[j] if 0 <= j < bits else fill_free for j in sources]
            out = [self.mux(test, x, y) for x, y in zip(moved, out, strict=True)]
            free = [self.mux(test, x, y) for x, y in zip(moved_free, free, strict=True)]
        large = -self._less(by, Word(digits(bits)), max(by.width, bits.bit_length()))
        every = c.conjunction([by.undef(i) for i in range(bits.bit_length())])  # So it may be taken for the width.
        poison = c.either(large, self.any_free(by) if self.over else every)
        return Word(tuple(out), masked(free), poison)

    def _equal(self, name: str, a: Word, b: Word) -> Word:
        """Return whether two words are equal: undecided where only undef bits may make them differ."""
        c, same, free = self.c, [], []
        for i in range(max(a.width, b.width)):
            f = c.either(a.undef(i), b.undef(i))
            same.append(c.either(f, -self.xor(a.bit(i), b.bit(i))))
            free.append(f)
        equal, some = c.conjunction(same), c.disjunction(free)
        value = c.both(equal, -some)
        return Word((value if name == "eq" else -value,), masked([c.both(equal, some)]))

    def _compared(self, name: str, parameters: Sequence[int], a: Word, b: Word) -> Word:
        """Return the order of two words: undecided where their least and greatest numbers say otherwise."""
        signed = name[0] == "s"
        width = parameters[0] if signed else max(a.width, b.width)

        def end(w: Word, *, greatest: bool) -> Word:
            bits = []
            for i in range(width):
                up = greatest != (signed and i >= width - 1 - w.copies)  # They are the sign, too.
                bits.append(self.c.either(w.bit(i), w.undef(i)) if up else self.c.both(w.bit(i), -w.undef(i)))
            return Word(tuple(bits))

        def less(one: Word, other: Word) -> int:
            if name[1] == "g":
                one, other = other, one
            return self._less(one, other, width, signed=signed, orequal=name[2] == "e")

        if not a.free and not b.free:
            return Word((less(a, b),))
        ways = [less(end(a, greatest=up), end(b, greatest=not up)) for up in (False, True)]
        return Word((self.c.both(*ways),), masked([self.xor(*ways)]))

    def _computed(self, name: str, bits: int, parameters: Sequence[int], args: Sequence[Word]) -> Word:
        """Return the result of arithmetic on whole numbers: what is undef of it is known roughly."""
        c = self.c
        out = self._numbers(name, bits, parameters, args)
        some = c.disjunction([self.any_free(a) for a in args])
        if self.over:
            return Word(out, masked([some] * len(out)))
        free = FALSE
        if name == "mul" and _known(args[0]):
            args = args[::-1]
        if name in ("add", "sub"):
            free = c.disjunction([c.conjunction([a.undef(i) for i in range(bits)]) for a in args])
        elif name == "mul" and _known(args[1]):
            zeros = next((i for i, x in enumerate(args[1].bits) if x == TRUE), bits)
            free = c.conjunction([args[0].undef(i) for i in range(bits)]) if zeros == 0 else FALSE
        return Word(out, masked([free] * bits))

    def _numbers(self, name: str, bits: int, parameters: Sequence[int], args: Sequence[Word]) -> tuple[int, ...]:
        """Return the bits of arithmetic on what the bits of the arguments are."""
        c = self.c
        a, b = args if len(args) == 2 else (args[0], args[0])
        if name in ("umax", "umin", "max", "min"):
            less = self._less(a, b, bits, signed=not name.startswith("u"))
            first = less if name.endswith("min") else -less
            return tuple(self.mux(first, a.bit(i), b.bit(i)) for i in range(bits))
        if name == "add":
            return self._sum(a, b, bits)
        if name == "sub":
            return self._difference(a, b, bits)[0]
        if name in ("usub_cond", "usub_sat"):
            found, fits = self._difference(a, b, bits)
            return tuple(self.mux(fits, x, a.bit(i) if name == "usub_cond" else FALSE) for i, x in enumerate(found))
        if name == "uinc_wrap":
            less = self._less(a, b, bits)
            return tuple(c.both(less, x) for x in self._sum(a, Word((TRUE,)), bits))
        if name == "udec_wrap":
            wraps = c.either(self.equals(a, 0), self._less(b, a, bits))
            fewer = self._difference(a, Word((TRUE,)), bits)[0]
            return tuple(self.mux(wraps, b.bit(i), x) for i, x in enumerate(fewer))
        if name == "mul":
            # A product is the same gates in either order; those of a constant are fewest where it is the second.
            factors = sorted((a, b), key=lambda w: (_known(w), w.bits))
            return self._product(factors[0], factors[1], bits)
        if name in DIVISIONS:
            return self._division(name, a, b, bits)
        update = float_update(name, bits, tuple(w.bits for w in args), over=self.over)
        if update.result is not None:
            return update.result
        key = (update.name, bits, tuple(parameters), update.arguments)
        if key not in self.unknown:
            self.unknown[key] = tuple(c.variable() for _ in range(bits))
        return self.unknown[key]

    def _division(self, name: str, a: Word, b: Word, bits: int) -> tuple[int, ...]:
        """Return the quotient, or what is left, by subtracting bit by bit; those of signed numbers by their sizes."""
        negative = (a.bit(bits - 1), b.bit(bits - 1)) if name[0] == "s" else (FALSE, FALSE)
        a, b = (self._negated(w, sign, bits) for w, sign in zip((a, b), negative, strict=True))
        quotient, left = [FALSE] * bits, Word(())
        for i in reversed(range(bits)):
            left = Word((a.bit(i), *left.bits))
            less, fits = self._difference(left, b, bits + 1)
            quotient[i] = fits
            left = Word(tuple(self.mux(fits, x, left.bit(j)) for j, x in enumerate(less[:bits])))
        if name.endswith("rem"):
            return self._negated(left, negative[0], bits).bits
        return self._negated(Word(tuple(quotient)), self.xor(*negative), bits).bits

    def _negated(self, w: Word, sign: int, bits: int) -> Word:
        """Return a number, or where a literal holds what it is with the other sign."""
        turned = Word(tuple(self.xor(w.bit(i), sign) for i in range(bits)))
        return Word(self._sum(turned, Word((sign,)), bits))

    def _product(self, a: Word, b: Word, bits: int) -> tuple[int, ...]:
        total: tuple[int, ...] = (FALSE,) * bits
        for k in range(min(bits, len(b.bits))):
            if b.bit(k) != FALSE:
                part = (*[FALSE] * k, *(self.c.both(b.bit(k), a.bit(i)) for i in range(bits - k)))
                total = self._added(total, part, FALSE)[0]
        return total
