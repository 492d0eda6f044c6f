"""The properties of executions of which theorems speak, as cat text that asserts the contrary.

The text follows a model's own and uses its definitions. An execution that meets it refutes the property. The names of
the AMDGPU model's definitions are those of `model/amdgpu.cat`.
"""

from __future__ import annotations

NECESSARY = "~empty ((lo & ((W \\ IW) * R)) \\ {order}) as denied"
"""A write that is location-ordered before a read is before it in `order`, too."""

INSIDE = "~empty (av \\ ma-inst^-1) as denied"
"""The scope instance of an availability operation on a write contains the write."""

_AVAILABLE = """
let up-sy = [sa-sy & writes] | (av ; [ma-sy])
let up-ag = [sa-ag & writes] | (av ; [ma-ag])
let up-cl = [sa-cl & writes] | (av ; [ma-cl])
let up-wg = [sa-wg & writes] | (av ; [ma-wg])
let up-wv = [sa-wv & writes] | (av ; [ma-wv])
let up-st = [sa-st & writes] | (av ; [ma-st])
"""
"""A write and the availability operations on it of each scope, itself included."""

BOUNDED = (
    _AVAILABLE
    + """
let in-sy = up-sy ; same-system
let in-ag = in-sy | (up-ag ; same-agent)
let in-cl = in-ag | (up-cl ; same-cluster)
let in-wg = in-cl | (up-wg ; same-workgroup)
let in-wv = in-wg | (up-wv ; same-wavefront)
let in-st = in-wv | (up-st ; same-singlethread)
~empty ((vis-sy \\ in-sy) | (vis-ag \\ in-ag) | (vis-cl \\ in-cl) | (vis-wg \\ in-wg) | (vis-wv \\ in-wv)
    | (vis-st \\ in-st)) as denied
"""
)
"""Where a write is visible, an availability operation on it of that scope or a wider one has its instance."""

NEAR = """
~empty ((vis-sy | vis-ag | vis-cl | vis-wg) \\ same-workgroup) as denied
"""
"""A write that is visible in a workgroup is in that workgroup."""

CHAIN = (
    _AVAILABLE
    + """
let at-st = mv-st | lv-st
let at-wv = mv-wv | lv-wv
let at-wg = mv-wg | lv-wg
let at-cl = mv-cl | lv-cl
let at-ag = mv-ag | lv-ag
let at-sy = mv-sy | lv-sy
let above-ag = at-sy
let above-cl = at-sy | at-ag
let above-wg = above-cl | at-cl
let above-wv = above-wg | at-wg
let above-st = above-wv | at-wv
let wide-ag = up-sy
let wide-cl = wide-ag | up-ag
let wide-wg = wide-cl | up-cl
let wide-wv = wide-wg | up-wg
let wide-st = wide-wv | up-wv
let meets(up, at, wide, above, same) =
    (((up ; (hb & same) ; [at | above]) | (wide ; (hb & same) ; [at])) & same & vis) ; same
let supported = meets(up-sy, at-sy, 0, emptyset, same-system)
    | meets(up-ag, at-ag, wide-ag, above-ag, same-agent)
    | meets(up-cl, at-cl, wide-cl, above-cl, same-cluster)
    | meets(up-wg, at-wg, wide-wg, above-wg, same-workgroup)
    | meets(up-wv, at-wv, wide-wv, above-wv, same-wavefront)
    | meets(up-st, at-st, wide-st, above-st, same-singlethread)
~empty (vis \\ supported) as denied
"""
)
"""A visible write has an availability operation X and a visibility operation Z, X before Z, of inclusive scopes, and
their common instance, that of the narrower scope, contains the write and the operation where it is visible."""

ACYCLIC = "~acyclic hb as denied"
"""Happens-before is acyclic."""

PROGRAM_ORDER = "~empty ((hb & po) \\ cpo) as denied"
"""Of two operations of one thread one happens before the other only if their tags are compatible."""
