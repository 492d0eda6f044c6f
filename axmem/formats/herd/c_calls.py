"""The functions of C11 and OpenCL that litmus tests call: atomics, fences, barriers.

What goes in: the name of a function and its arguments as they were read. What comes out: statements and the value of
the call. An order or scope that is not said is the language's: seq_cst, and the system (OpenCL: the device).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from axmem.formats.herd.c_memory import CallArgument, ThreadVariables
from axmem.formats.herd.c_types import TRUTH, Value, converted, of_register
from axmem.front.source import Span, did_you_mean
from axmem.litmus.syntax import (
    AccessMode,
    AtomicRmw,
    Barrier,
    CmpXchg,
    Expr,
    Fence,
    Load,
    Ordering,
    Register,
    Store,
    SyncScope,
)
from axmem.litmus.words import AS_PREFIX, Scope, failure_of

ORDERS = {
    "relaxed": Ordering.MONOTONIC, "acquire": Ordering.ACQUIRE, "release": Ordering.RELEASE,
    "acq_rel": Ordering.ACQ_REL, "seq_cst": Ordering.SEQ_CST,
}  # fmt: skip
_ANY = tuple(ORDERS.values())
_READ = (Ordering.MONOTONIC, Ordering.ACQUIRE, Ordering.SEQ_CST)
_WRITTEN = (Ordering.MONOTONIC, Ordering.RELEASE, Ordering.SEQ_CST)
"""The orders of what reads and writes, of what reads, of what writes."""
SCOPES = {
    "work_item": Scope.SINGLETHREAD, "sub_group": Scope.WAVEFRONT, "work_group": Scope.WORKGROUP,
    "device": Scope.AGENT, "all_svm_devices": Scope.SYSTEM, "all_devices": Scope.SYSTEM,
}  # fmt: skip
"""OpenCL's scopes, after `memory_scope_`, as those of LLVM's AMDGPU target."""
FLAGS = {"CLK_GLOBAL_MEM_FENCE": "global", "CLK_LOCAL_MEM_FENCE": "local"}
"""What a fence of OpenCL orders, as the tags in which clang says it."""

_FETCHES = {
    "fetch_add": "add", "fetch_sub": "sub", "fetch_or": "or", "fetch_xor": "xor", "fetch_and": "and",
    "fetch_min": "min", "fetch_max": "max", "exchange": "xchg",
}  # fmt: skip
_ATOMIC = re.compile(r"atomic_(\w+?)(_explicit)?")
_KERNEL = re.compile(r"(READ|WRITE)_ONCE|(smp|rcu|srcu|synchronize|spin)_\w+|(cmp)?xchg\w*|atomic_\w+_return\w*")
KNOWN = (
    *("atomic_load", "atomic_store", "atomic_init", "atomic_thread_fence", "atomic_work_item_fence", "barrier"),
    *("work_group_barrier", "atomic_flag_test_and_set", "atomic_flag_clear", "atomic_compare_exchange_strong"),
    *("atomic_compare_exchange_weak", *(f"atomic_{name}" for name in _FETCHES)),
)


class Calls:
    """Reads the calls of one thread, whose statements go to its body."""

    def __init__(self, body: ThreadVariables, default: Scope) -> None:
        self.body = body
        self.default = default

    def call(self, name: str, span: Span, arguments: list[CallArgument]) -> Value | None:
        """Return the value of a call; None if it has none."""
        if name in ("atomic_thread_fence", "atomic_work_item_fence"):
            return self.fence(name, span, arguments)
        if name in ("barrier", "work_group_barrier"):
            return self.barrier(span, arguments)
        what, explicit = _parted(name)
        if what == "load":
            return self.load(span, self.some(name, span, arguments, 1, explicit))
        if what == "store":
            return self.store(span, self.some(name, span, arguments, 2, explicit))
        if what == "init" and not explicit:
            return self.initialised(self.some(name, span, arguments, 2, explicit), span)
        if what in _FETCHES:
            return self.rmw(_FETCHES[what], span, self.some(name, span, arguments, 2, explicit))
        if what in ("compare_exchange_strong", "compare_exchange_weak"):
            return self.compare_exchange(name, span, self.some(name, span, arguments, 3, explicit, orders=2))
        if what == "flag_test_and_set":
            return self.test_and_set(span, self.some(name, span, arguments, 1, explicit))
        if what == "flag_clear":
            return self.store(span, self.some(name, span, arguments, 1, explicit), clears=True)
        if _KERNEL.fullmatch(name):
            raise self.body.fail(span, f"'{name}' is a word of the Linux kernel's model, which is not read")
        if name == "atomic_signal_fence":
            raise self.body.fail(span, "signal handlers are not represented here")
        raise self.body.fail(span, f"no function is named '{name}'", did_you_mean(name, KNOWN))

    # ------------------------------------------------ arguments

    def some(
        self, name: str, span: Span, arguments: list[CallArgument], operands: int, explicit: bool, orders: int = 1
    ) -> list[CallArgument]:
        """Return the arguments, if there are as many as there should be: orders only of the explicit functions."""
        least = operands + (orders if explicit else 0)
        most = least + (1 if explicit else 0)
        if not least <= len(arguments) <= most:
            wanted = f"{least} argument{'s' * (least != 1)}"
            more = "" if least == most else ", or a scope of OpenCL besides"
            raise self.body.fail(span, f"'{name}' takes {wanted}{more}, not {len(arguments)}")
        return arguments

    def order(self, argument: CallArgument, allowed: tuple[Ordering, ...]) -> Ordering:
        """Return an order, if an operation of this kind may have it."""
        word = argument.word.removeprefix("memory_order_").removeprefix("mo_")
        if word == "consume":
            hint = "write memory_order_acquire, which compilers make of it"
            raise self.body.fail(argument.span, "memory_order_consume has no meaning here", hint)
        if word not in ORDERS:
            hint = did_you_mean(argument.word, [f"memory_order_{each}" for each in ORDERS])
            raise self.body.fail(argument.span, f"'{argument.word or 'this'}' is no memory order", hint)
        if ORDERS[word] not in allowed:
            names = {order: each for each, order in ORDERS.items()}
            hint = f"one of {', '.join(names[each] for each in allowed)}"
            raise self.body.fail(argument.span, f"this operation cannot be memory_order_{word}", hint)
        return ORDERS[word]

    def scope(self, arguments: list[CallArgument], index: int) -> Scope:
        """Return the scope at an index, or the language's."""
        if index >= len(arguments):
            return self.default
        argument = arguments[index]
        word = argument.word.removeprefix("memory_scope_")
        if word not in SCOPES:
            hint = did_you_mean(argument.word, [f"memory_scope_{each}" for each in SCOPES])
            raise self.body.fail(argument.span, f"'{argument.word or 'this'}' is no scope of OpenCL", hint)
        return SCOPES[word]

    def mode(self, arguments: list[CallArgument], index: int, allowed: tuple[Ordering, ...]) -> AccessMode:
        """Return the mode of an access whose order stands at an index; without one it is seq_cst."""
        order = self.order(arguments[index], allowed) if index < len(arguments) else Ordering.SEQ_CST
        return _mode(order, self.scope(arguments, index + 1))

    # ------------------------------------------------ operations

    def load(self, span: Span, arguments: list[CallArgument]) -> Value:
        """Read an atomic load."""
        mode = self.mode(arguments, 1, _READ)
        address, target = self.body.pointed(arguments[0])
        name = self.body.fresh()
        self.body.emit(Load(name, target.type, address, mode, span=span))
        return Value(Register(name), of_register(target))

    def store(self, span: Span, arguments: list[CallArgument], *, clears: bool = False) -> Value | None:
        """Read an atomic store, of 0 if it `clears`."""
        place = 1 if clears else 2
        mode = self.mode(arguments, place, _WRITTEN)
        address, target = self.body.pointed(arguments[0])
        value = Value(self.body.number(0)) if clears else self.body.valued(arguments[1])
        self.body.emit(Store(converted(value, target), target.type, address, mode, span=span))
        return None

    def initialised(self, arguments: list[CallArgument], span: Span) -> Value | None:
        """Write without being atomic, as C says of atomic_init."""
        address, target = self.body.pointed(arguments[0])
        value = converted(self.body.valued(arguments[1]), target)
        self.body.emit(Store(value, target.type, address, AccessMode(), span=span))
        return None

    def rmw(self, operation: str, span: Span, arguments: list[CallArgument]) -> Value:
        """Read an exchange or an operation that returns what was there."""
        mode = self.mode(arguments, 2, _ANY)
        address, target = self.body.pointed(arguments[0])
        value = converted(self.body.valued(arguments[1]), target)
        if operation in ("min", "max") and not target.signed:
            operation = f"u{operation}"
        name = self.body.fresh()
        self.body.emit(AtomicRmw(name, operation, target.type, address, value, mode, span=span))
        return Value(Register(name), of_register(target))

    def test_and_set(self, span: Span, arguments: list[CallArgument]) -> Value:
        """Read what sets a flag and returns whether it was set."""
        mode = self.mode(arguments, 1, _ANY)
        address, target = self.body.pointed(arguments[0])
        name = self.body.fresh()
        one = self.body.number(1)
        self.body.emit(AtomicRmw(name, "xchg", target.type, address, one, mode, span=span))
        return Value(Register(name), of_register(target))

    def compare_exchange(self, name: str, span: Span, arguments: list[CallArgument]) -> Value:
        """Read a compare-exchange: what it read is written to the place of what it expected if it fails."""
        body = self.body
        success = self.order(arguments[3], _ANY) if len(arguments) > 3 else Ordering.SEQ_CST
        failure = self.order(arguments[4], _READ) if len(arguments) > 4 else failure_of(success)
        mode = _mode(success, self.scope(arguments, 5))
        address, target = body.pointed(arguments[0])
        local = body.local_at(arguments[1])
        expected: Expr
        if local is not None:
            expected = converted(local, target)
        else:
            where, kind = body.pointed(arguments[1])
            held = body.access(where, kind, arguments[1].span)
            expected = converted(held, target)
        desired = converted(body.valued(arguments[2]), target)
        old, ok = body.fresh(), body.fresh()
        weak = "weak" in name
        body.emit(CmpXchg(old, ok, weak, target.type, address, expected, desired, mode, failure, span=span))
        read = Value(Register(old), of_register(target))
        if local is not None:
            # If it succeeded, what it read is what was expected.
            body.assign(body.name_of(local), converted(read, local.type), span)
        else:
            body.branch(Value(Register(ok), TRUTH), (), body.stored(where, kind, read, span), span)
        return Value(Register(ok), TRUTH)

    def fence(self, name: str, span: Span, arguments: list[CallArgument]) -> Value | None:
        """Read a fence; one that is relaxed does nothing."""
        of_opencl = name == "atomic_work_item_fence"
        least, most = (2, 3) if of_opencl else (1, 2)
        if not least <= len(arguments) <= most:
            raise self.body.fail(span, f"'{name}' takes {least} or {most} arguments, not {len(arguments)}")
        place = 1 if of_opencl else 0
        order = self.order(arguments[place], _ANY)
        tags = self.flags(arguments[0]) if of_opencl else frozenset()
        mode = AccessMode(order, SyncScope(self.scope(arguments, place + 1)), tags=tags)
        if order is not Ordering.MONOTONIC:
            self.body.emit(Fence(mode, span=span))
        return None

    def flags(self, argument: CallArgument) -> frozenset[tuple[str, str]]:
        """Return the tags of the memory that a fence orders, given as `A | B`."""
        tokens = self.body.cursor.tokens[argument.start : argument.end]
        words = [word.strip() for word in " ".join(token.text for token in tokens).split("|")]
        for word in words:
            if word not in FLAGS:
                hint = did_you_mean(word, FLAGS) or f"one of {', '.join(FLAGS)}"
                raise self.body.fail(argument.span, f"'{word}' is no kind of memory that a fence orders", hint)
        return frozenset((AS_PREFIX, FLAGS[word]) for word in words)

    def barrier(self, span: Span, arguments: list[CallArgument]) -> Value | None:
        """Read a barrier of a work-group: a release fence, the barrier, an acquire fence."""
        if not 1 <= len(arguments) <= 2:
            raise self.body.fail(span, f"a barrier takes 1 or 2 arguments, not {len(arguments)}")
        tags = self.flags(arguments[0])
        scope = SyncScope(self.scope(arguments, 1) if len(arguments) > 1 else Scope.WORKGROUP)
        self.body.emit(Fence(AccessMode(Ordering.RELEASE, scope, tags=tags), span=span))
        self.body.emit(Barrier(span=span))
        self.body.emit(Fence(AccessMode(Ordering.ACQUIRE, scope, tags=tags), span=span))
        return None


@lru_cache(256)
def _parted(name: str) -> tuple[str, bool]:
    """Return what a function for atomics does, and whether its orders are arguments; nothing of another function."""
    found = _ATOMIC.fullmatch(name)
    return (found[1], bool(found[2])) if found else ("", False)


@cache
def _mode(order: Ordering, scope: Scope) -> AccessMode:
    """Return the mode of an atomic access."""
    return AccessMode(order, SyncScope(scope))


def default_scope(form: str) -> Scope:
    """Return the scope of atomics that state none: in C there is one, in OpenCL it is the device."""
    return Scope.AGENT if form.upper() == "OPENCL" else Scope.SYSTEM
