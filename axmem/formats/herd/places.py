"""Where threads stand, as forms of other tools say it: `@wg 0,dv 1`, and trees of scopes.

What goes in: tokens. What comes out: places of axmem. A word names one level of AMDGPU's hierarchy, which is what it
means on that target.
"""

from __future__ import annotations

from collections import Counter

from axmem.litmus.cursor import Cursor, Unparsable
from axmem.litmus.lexer import numeral
from axmem.litmus.syntax import Placement
from axmem.litmus.words import PLACED, Level, Scope

LEVELS: dict[str, Level] = {
    **dict.fromkeys(("system", "sy"), Scope.SYSTEM),
    **dict.fromkeys(("device", "dv", "dev", "agent", "gpu"), Scope.AGENT),
    "cluster": Scope.CLUSTER,
    **dict.fromkeys(("work_group", "workgroup", "wg", "cta"), Scope.WORKGROUP),
    **dict.fromkeys(("sub_group", "subgroup", "sg", "wavefront", "wave", "warp", "wf"), Scope.WAVEFRONT),
    **dict.fromkeys(("work_item", "wi", "thread", "lane"), Scope.SINGLETHREAD),
}


def placement(cursor: Cursor) -> Placement:
    """Read `wg 0, dv 1` after the `@`."""
    numbers: dict[str, int | None] = {}
    while True:
        word = cursor.expect("name", "a level such as wg")
        level = LEVELS.get(word.text)
        if level is None or level is Scope.SYSTEM:
            hint = f"the levels are {', '.join(name for name in LEVELS if LEVELS[name] is not Scope.SYSTEM)}"
            raise cursor.fail(word.span, f"'{word.text}' is no level at which a thread has a place", hint)
        number = cursor.expect("number", f"the number of the {word.text}")
        numbers[level.place] = numeral(number.text)
        if not cursor.accept(","):
            return Placement.at(**numbers)


def tree(cursor: Cursor) -> dict[str, Placement]:
    """Read `(device (work_group P0 P1) (work_group P2))` and return the places of the threads, by their names.

    Instances are numbered within the one around them, in the order of the text.
    """
    found: dict[str, Placement] = {}
    seen: Counter[tuple[int, ...]] = Counter()
    _branch(cursor, {}, found, seen)
    return found


def _branch(
    cursor: Cursor, around: dict[Level, int], found: dict[str, Placement], seen: Counter[tuple[int, ...]]
) -> None:
    """Read one level of a tree, whose threads are in the instances around it."""
    cursor.expect("(", "'('")
    word = cursor.expect("name", "a level such as work_group")
    level = LEVELS.get(word.text)
    if level is None:
        raise cursor.fail(word.span, f"'{word.text}' is no level of scopes", f"the levels are {', '.join(LEVELS)}")
    if any(level >= above for above in around):
        raise cursor.fail(word.span, f"a {word.text} does not stand inside what is around it here")
    key: tuple[int, ...] = (level, *(part for pair in sorted(around.items()) for part in pair))
    inside = {**around, level: seen[key]}
    seen[key] += 1
    if cursor.at("number"):
        cursor.next()
    while not cursor.accept(")"):
        if cursor.at("("):
            cursor.deeper(cursor.peek().span)
            _branch(cursor, inside, found, seen)
            cursor.depth -= 1
        elif cursor.at("name") and cursor.peek().text not in LEVELS:
            thread = cursor.next()
            if thread.text in found:
                raise cursor.fail(thread.span, f"thread {thread.text} stands in the tree already")
            places = {place.place: inside.get(place) for place in (*PLACED, Scope.SINGLETHREAD)}
            found[thread.text] = Placement.at(**places)
        else:
            cursor.fail_expected("a thread, '(' or ')'")


def placed_by_tree(cursor: Cursor) -> dict[str, Placement]:
    """Read a whole tree; what is wrong is recorded, and gives no places."""
    try:
        found = tree(cursor)
        if not cursor.at("end"):
            cursor.fail_expected("the end of the tree")
    except Unparsable:
        return {}
    return found
