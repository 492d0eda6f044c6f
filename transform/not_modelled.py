"""What LLVM does to loops and is not followed here: refused by these names, with the reason.

What goes in: a word. What comes out: why there is nothing of that name, `""` of any other word.
"""

from __future__ import annotations

_PEELING = "peeling is not followed: no metadata asks for it, and LLVM decides on it by estimates of its own"
_EPILOGUES = (
    "vectorized epilogues are not followed: no metadata asks for them, and LLVM decides on them by costs of the target"
)

LEFT_OUT = {
    **dict.fromkeys(("peel", "peeled", "peeling", "loop-peel"), _PEELING),
    **dict.fromkeys(("vectorized-epilogue", "vectorized epilogue", "epilogue-vectorize"), _EPILOGUES),
}
"""Why, by the names under which they may be asked for."""


def left_out(word: str) -> str:
    """Return why what has this name is not followed, `""` if nothing of that name is."""
    return LEFT_OUT.get(word, "")
