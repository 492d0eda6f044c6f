"""Names of herd's cat files that the models here do not have, and what stands for them.

What goes in: a name that a model uses and nothing defines. What comes out: a hint for those that herd's models know:
the word for it here, or that programs of LLVM have no such thing.
"""

from __future__ import annotations

import re

_NONE = "herd's name; programs of LLVM have no such thing"
_FENCES = "herd's name for a fence; here fences are F with an ordering: F & ACQ, F & REL, F & ACQ_REL, F & SC"

_MEANT = {
    r"sb": "herd's name for `po`",
    r"mo": "herd's name for `co`",
    r"asw": "herd's name for what follows the initial writes; here they are first in `co` and in no `po`",
    r"amo|lxsx": "herd's name for a read-modify-write's two events; here `rmw`",
    r"sthd": "herd's name for `int`",
    r"L|Release": "herd's name for releases; here `REL | ACQ_REL | SC`",
    r"Q|Acquire": "herd's name for acquires; here `ACQ | ACQ_REL | SC`",
    r"Once": "herd's name for relaxed accesses; here `RLX`",
    r"Plain": "herd's name for `NA`",
    r"Marked": "herd's name for all but `NA`",
    r"iico_\w+": "herd's name for what happens inside an instruction; here `data`, `addr`, `ctrl` and `rmw` say it",
    r"same-location": "herd's name for `loc`",
    r"FW": "herd's name for final writes; here `W & ~domain(co)`",
    r"linearisations": "herd enumerates orders with it; here `co` ranges over all coherence orders",
    r"(?i:dmb|dsb)([.-]\w+)*|(?i:isb|mfence|lfence|sfence|sync|lwsync|eieio|isync)|([RW]?mb|Rmb|Wmb|Mb)": _FENCES,
    r"(ctrl|addr|data)(isb|isync)": "herd's name for a dependency with a fence; here `ctrlcfence(F & ACQ)`",
    r"s?rcu.*|PT[EV].*|TLBI|X|partial|Wreg|Rreg|vmem": _NONE,
}


def herds(name: str) -> str:
    """Return what to write for a name of herd's, as a hint; the empty string for a name that is not herd's."""
    return next((hint for pattern, hint in _MEANT.items() if re.fullmatch(pattern, name)), "")
