"""The words of the languages that editors colour and complete, taken from the readers of these languages.

What goes in: nothing. What comes out: lists of words by their class, sorted, for the test language, cat and LLVM IR.
Who colours or completes words takes them from here: the page in the browser, `axmem lsp`, the grammars and lexers.
"""

from __future__ import annotations

from collections.abc import Iterable

from axmem.formats.ir.attributes import ATTRIBUTES, HINTS
from axmem.formats.ir.mnemonics import FLAGS
from axmem.formats.ir.parser import FUNCTIONS, SKIPPED, VARIABLES, ModuleParser
from axmem.formats.ir.types import FLOATS, WORDS
from axmem.front.source import Source
from axmem.litmus.conditions import EXPECTED
from axmem.litmus.intrinsics import KNOWN, SHORT
from axmem.litmus.kernel_parser import BRANCHES, SHAPE
from axmem.litmus.spelling import (
    ARITHMETIC,
    COMPARING,
    COMPARISONS,
    CONSTANTS,
    CONVERSIONS,
    INTEGERS,
    MODIFIERS,
    RMW_OPERATIONS,
)
from axmem.litmus.spelling import FLOATS as LITMUS_FLOATS
from axmem.litmus.statements import KEYWORDS, OPERATIONS
from axmem.litmus.words import KNOWN_TAGS, SCOPE_OF, SPACES, Ordering
from axmem.model.lexer import KEYWORDS as CAT_KEYWORDS
from axmem.model.library import names
from axmem.model.primitives import PRIMITIVES


def words() -> dict[str, dict[str, list[str]]]:
    """Return the words by language and class; a class is one that editors have a colour for."""
    orderings = [ordering.value for ordering in Ordering if ordering is not Ordering.NOT_ATOMIC]
    litmus: dict[str, Iterable[str]] = {
        "keyword": [*KEYWORDS, *SHAPE, "levels"],
        "operation": [*OPERATIONS, *BRANCHES, *SHORT, *KNOWN, "else", "phi", "ret"],
        "modifier": [*orderings, *MODIFIERS, "syncscope", "align"],
        "atom": [
            *SCOPE_OF, *SPACES, *RMW_OPERATIONS, *ARITHMETIC, *CONVERSIONS, *COMPARING, *CONSTANTS,
            *(text for tag in KNOWN_TAGS for text in tag),
        ],
        "verdict": [*EXPECTED, *names()],
        "type": [*INTEGERS, *LITMUS_FLOATS, "ptr", "void"],
    }  # fmt: skip
    ir: dict[str, Iterable[str]] = {
        "keyword": [*FUNCTIONS, *VARIABLES, *SKIPPED],
        "operation": ModuleParser(Source("", "")).readers,
        "modifier": [*orderings, "atomic", "volatile", "syncscope", *FLAGS, *ATTRIBUTES, *HINTS],
        "atom": [*RMW_OPERATIONS, *COMPARISONS, "undef", "poison"],
        "type": [*FLOATS, *WORDS, "ptr"],
    }
    cat: dict[str, Iterable[str]] = {"keyword": CAT_KEYWORDS, "operation": PRIMITIVES}
    return {
        language: {kind: sorted(set(found)) for kind, found in kinds.items()}
        for language, kinds in {"litmus": litmus, "llvm-ir": ir, "cat": cat}.items()
    }
