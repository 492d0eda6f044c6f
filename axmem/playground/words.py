"""The words of the languages that the page's editors colour and complete, taken from the readers of these languages.

What goes in: nothing. What comes out: lists of words by their class, sorted, for the test language, cat and LLVM IR.
Invariant: no word is written down here.
"""

from __future__ import annotations

from axmem.formats.ir.attributes import ATTRIBUTES, HINTS
from axmem.formats.ir.mnemonics import FLAGS
from axmem.formats.ir.parser import FUNCTIONS, SKIPPED, VARIABLES, ModuleParser
from axmem.formats.ir.types import FLOATS, WORDS
from axmem.front.source import Source
from axmem.litmus.conditions import EXPECTED
from axmem.litmus.spelling import COMPARISONS, RMW_OPERATIONS
from axmem.litmus.statements import KEYWORDS, OPERATIONS
from axmem.litmus.words import KNOWN_TAGS, SCOPE_OF, SPACES, Ordering
from axmem.model.lexer import KEYWORDS as CAT_KEYWORDS
from axmem.model.library import names
from axmem.model.primitives import PRIMITIVES


def words() -> dict[str, dict[str, list[str]]]:
    """Return the words by language and class; a class is one that the page has a colour for."""
    orderings = [ordering.value for ordering in Ordering if ordering is not Ordering.NOT_ATOMIC]
    litmus = {
        "keyword": KEYWORDS,
        "operation": OPERATIONS,
        "modifier": [*orderings, "atomic", "volatile", "syncscope"],
        "atom": [*SCOPE_OF, *SPACES, *RMW_OPERATIONS, *(text for tag in KNOWN_TAGS for text in tag), "undef", "align"],
        "verdict": [*EXPECTED, *names()],
    }
    ir = {
        "keyword": [*FUNCTIONS, *VARIABLES, *SKIPPED],
        "operation": ModuleParser(Source("", "")).readers,
        "modifier": [*orderings, "atomic", "volatile", "syncscope", *FLAGS, *ATTRIBUTES, *HINTS],
        "atom": [*RMW_OPERATIONS, *COMPARISONS, "undef", "poison"],
        "type": [*FLOATS, *WORDS, "ptr"],
    }
    cat = {"keyword": CAT_KEYWORDS, "operation": PRIMITIVES}
    return {
        language: {kind: sorted(set(found)) for kind, found in kinds.items()}
        for language, kinds in {"litmus": litmus, "llvm-ir": ir, "cat": cat}.items()
    }
