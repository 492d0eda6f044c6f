"""What the words of the test language mean, in a sentence each, for readers who point at one.

What goes in: a word. What comes out: the sentence, and where a specification says more. The facts about models are not
here: they stand beside the definitions in the models' texts.
"""

from __future__ import annotations

from collections.abc import Mapping

from axmem.litmus.words import AV_PREFIX, SCOPE_OF, Ordering

_ORDERINGS = '[LangRef] "Atomic Memory Ordering Constraints"'
_ACCESSES = '[LangRef] "Atomic Memory Access Instructions"'
_MAKES = '[AMDGPU-MM] "MakeAvailable and MakeVisible"'
_AVAILABLE = '[AMDGPU-MM] "store-available"'
_SCOPES = '[AMDGPU-MM] "Scopes"'

MEANINGS: Mapping[str, tuple[str, str]] = {
    Ordering.UNORDERED.value: (
        "A read takes the value of one write and never a mixture; no order follows from it.",
        _ORDERINGS,
    ),
    Ordering.MONOTONIC.value: (
        "All such operations on one location have one order, and no other location is ordered.",
        _ORDERINGS,
    ),
    Ordering.ACQUIRE.value: (
        "A read that takes the value of a release synchronizes with it: what happened before the "
        "release happens before what follows here.",
        _ORDERINGS,
    ),
    Ordering.RELEASE.value: (
        "What precedes in program order happens before what follows an acquire that takes this operation's value.",
        _ORDERINGS,
    ),
    Ordering.ACQ_REL.value: ("It acquires with its read and releases with its write.", _ORDERINGS),
    Ordering.SEQ_CST.value: (
        "As acquire and release; all such operations have one order that agrees with what every thread sees.",
        _ORDERINGS,
    ),
    "atomic": ("It accesses memory as a whole, and races with no other atomic access in its scope.", _ORDERINGS),
    "volatile": (
        "It may not be removed, added or moved across other volatile operations.",
        '[LangRef] "Volatile Memory Accesses"',
    ),
    "nontemporal": (
        "A hint that the data is not used again soon; outcomes do not depend on it.",
        '[LangRef] "Metadata"',
    ),
    "elementwise": ("Each element of the vector is accessed atomically, and the vector as a whole is not.", ""),
    "syncscope": ("The scope: which threads the operation synchronizes with. Without it, all of the system.", _SCOPES),
    "align": ("The alignment of the address in bytes; outcomes do not depend on it.", ""),
    "load": ("It reads memory into a register.", _ACCESSES),
    "store": ("It writes a value to memory.", _ACCESSES),
    "fence": ("It orders the operations around it, and accesses no memory.", '[LangRef] "fence"'),
    "atomicrmw": (
        "It reads, computes and writes in one atomic operation; the register gets what was read.",
        '[LangRef] "atomicrmw"',
    ),
    "cmpxchg": (
        "It writes the new value if it reads the expected one, in one atomic operation. The second ordering is "
        "that of a failure.",
        _ACCESSES,
    ),
    "load-visible": ("A non-atomic load that is load-visible at its scope.", _AVAILABLE),
    "store-available": ("A non-atomic store that is store-available at its scope.", _AVAILABLE),
    "make.available": ("It makes earlier writes of its thread available at its scope.", _MAKES),
    "make.visible": ("It makes available writes visible to its thread at its scope.", _MAKES),
    "make.ptr.available": ("As make.available, for the bytes at its address alone.", _MAKES),
    "make.ptr.visible": ("As make.visible, for the bytes at its address alone.", _MAKES),
    "barrier": ("In a thread: it waits for the others of its workgroup. Outside: it declares a barrier.", ""),
    "assume": ("Executions in which the condition does not hold are left out.", ""),
    AV_PREFIX: (
        "The prefix of tags about availability. With `none`, a synchronizing operation makes nothing available "
        "or visible.",
        _MAKES,
    ),
    "litmus": ("It begins a test and gives its name.", ""),
    "global": ("It declares memory that all threads share.", ""),
    "lds": ("It declares memory that one workgroup shares.", ""),
    "private": ("It declares memory of one thread.", ""),
    "thread": ("A straight program of one thread, and its place on the machine.", ""),
    "kernel": ("A program that every lane of a launch runs.", ""),
    "exists": ("The question: may the condition hold at the end of an execution?", ""),
    "forall": ("The question: does the condition hold at the end of every execution?", ""),
    "filter": ("Only executions that satisfy this condition are considered.", ""),
    "observe": ("These values are shown in outcomes besides those of the condition.", ""),
    "expect": ("What the verdict under these models should be; `axmem run` compares.", ""),
    "outcomes": ("The complete set of outcomes that these models should have.", ""),
    "bound": ("How many iterations of a loop executions have at most.", ""),
    "never": ("The condition holds of no outcome.", ""),
    "sometimes": ("The condition may hold of some outcome, and may fail for another.", ""),
    "always": ("There are outcomes, and the condition holds of all.", ""),
    "possible": ("Either sometimes or always.", ""),
    "undefined": ("Some consistent execution has undefined behaviour, so nothing is promised.", ""),
    "unknown": ("A limit was reached before the answer was certain.", ""),
    "undef": (
        "The value of a read that no value is promised for; in a condition it satisfies any equation.",
        '[LangRef] "Memory Model for Concurrent Operations"',
    ),
    "rule": ("It begins a rule and gives its name.", ""),
    "before": ("The operations that the rule replaces.", ""),
    "after": ("The operations that stand in their place.", ""),
    "where": ("What must hold of the holes for the rule to apply.", ""),
    "compatible": ("Every prefix that both tag sets have has a common suffix.", '[MMRA] "Compatibility"'),
    "incompatible": ("Some prefix that both tag sets have has no common suffix.", '[MMRA] "Compatibility"'),
    **{
        word: (f"The scope of one {word}: operations at it synchronize with threads of the same {word}.", _SCOPES)
        for word in SCOPE_OF
    },
}
"""The words that editors explain, each with its sentence and the section of a specification, empty if there is none."""
