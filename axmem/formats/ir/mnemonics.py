"""The names of LLVM's instructions, by how they are read."""

from __future__ import annotations

from axmem.formats.ir.floats import ARITHMETIC as FLOATING
from axmem.formats.ir.floats import CASTS as FLOAT_CASTS
from axmem.litmus.spelling import ARITHMETIC
from axmem.litmus.spelling import CASTS as INTEGER_CASTS

BINARY = ARITHMETIC | FLOATING | {"frem"}
CASTS = INTEGER_CASTS | FLOAT_CASTS | {"bitcast", "addrspacecast", "ptrtoint", "inttoptr", "ptrtoaddr"}
COMMUTING = frozenset({"add", "mul", "and", "or", "xor"})
"""Arithmetic whose operands may stand in either order."""
PLAIN = ("select", "freeze", "fneg", "extractelement", "insertelement", "shufflevector")
TERMINATORS = frozenset({"br", "switch", "ret", "unreachable"})
EXCEPTIONAL = frozenset({"invoke", "resume", "catchswitch", "catchret", "cleanupret"})
ENDING = TERMINATORS | EXCEPTIONAL | {"callbr", "indirectbr"}
"""What may end a block; only the reader of whole modules reads more than `TERMINATORS`."""
FLAGS = frozenset(
    {"nuw", "nsw", "exact", "disjoint", "nneg", "samesign", "inbounds", "nusw"}
    | {"fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"}
)
REFUSED = {
    **dict.fromkeys(("invoke", "resume", "landingpad", "catchswitch", "catchpad", "cleanuppad", "catchret",
                     "cleanupret"), "a test has no exceptions: compile with -fno-exceptions"),
    "indirectbr": "branches go to blocks that are named", "callbr": "inline assembly has no meaning in a test",
    "va_arg": "a thread of a test has the arguments that it is given",
}  # fmt: skip
"""Instructions that are read by nobody here, and what to do."""
ASSUME = "llvm.assume"
"""What says something of values alone: that behaviour is undefined otherwise."""
