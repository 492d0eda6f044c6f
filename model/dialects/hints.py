"""Where a name is known that a model's dialect does not have.

What goes in: the name, and the label of the dialect. What comes out: the hint that a message about it has.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePath

from axmem.front.source import Source
from axmem.model.dialects import OURS, TRADITIONS, Dialect, families, libraries, vocabulary
from axmem.model.dialects.bindings import defined
from axmem.model.files import PRELUDE_SOURCE, Vocabulary
from axmem.model.primitives import ALIASES, FUNCTIONS, PRIMITIVES
from axmem.model.vocabulary import INCLUDED

OWN_NAMES = Vocabulary(OURS, (PRELUDE_SOURCE,), lambda _name, _file: None)
"""What our dialect defines besides its primitives."""


def hint(name: str, label: str) -> str:
    """Return where a name is known that a dialect, ours if `label` is empty, does not have; empty if nowhere."""
    tradition = label.partition("/")[0]
    shelf = _shelves(tradition).get(name)
    if shelf is not None:
        return f'include "{shelf}" defines it'
    known = _known(name)
    # A file of a tradition is about another machine, or is of another tradition.
    found = [k for k in known if k not in (label or OURS, tradition)]
    if not found:
        return ""
    in_file = f', of its "{known[found[0]]}"' if known[found[0]] else ""
    chooses = f"(* axmem: dialect {found[0]} *) in the file or --cat-dialect {found[0]} chooses it"
    return f"a name of the dialect {' or '.join(found)}{in_file}; {chooses}"


@lru_cache(maxsize=1024)
def _known(name: str) -> dict[str, str]:
    """Return the dialects whose models may use a name, a tradition for all of its own, and what to include."""
    ours = name in FUNCTIONS or ALIASES.get(name, name) in PRIMITIVES or name in defined(OWN_NAMES)
    found = {OURS: ""} if ours else {}
    for tradition in TRADITIONS[1:]:
        dialects = [Dialect(tradition, family) for family in families(tradition)]
        known = [d.label for d in dialects if name in defined(vocabulary(d))]
        if len(known) == len(dialects) or name in _shelves(tradition):
            found[tradition] = "" if known else _shelves(tradition)[name]
        else:
            found |= dict.fromkeys(known, "")
    return found


@lru_cache(maxsize=4)
def _shelves(tradition: str) -> dict[str, str]:
    """Return the file of a tradition's library, ours if it is empty, that defines a name, for each that one does."""
    files = libraries(tradition) if tradition else [Source(name, text) for name, text in INCLUDED.items()]
    words = [(file.name, Vocabulary(tradition, (file,), lambda _name, _file: None)) for file in files]
    return {name: PurePath(file).name for file, each in words for name in defined(each)}
