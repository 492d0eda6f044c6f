"""The properties of executions of which theorems speak, as cat text that asserts the contrary.

The text follows a model's own and uses its definitions. An execution that meets it refutes the property. The names of
the AMDGPU model's definitions are those of `model/amdgpu.cat`.
"""

from __future__ import annotations

NECESSARY = "~empty ((lo & ((W \\ IW) * R)) \\ {order}) as denied"
"""A write that is location-ordered before a read is before it in `order`, too."""

BETWEEN_ANY = "~empty ((lo & ((M \\ IW) * (M \\ IW))) \\ {order}) as denied"
"""Of any two accesses that are location-ordered the first is before the second in `order`, too."""

INSIDE = "~empty (av \\ ma-inst^-1) as denied"
"""The scope instance of an availability operation on a write contains the write."""

NO_NARROWER = "~empty (av \\ same-wavefront) as denied"
"""Every scope instance with an availability operation includes the write: even one as narrow as a wavefront."""

BOUNDED = """
let in-sy = available(store-available-system, system) ; same-system
let in-ag = in-sy | (available(store-available-agent, agent-or-wider) ; same-agent)
let in-cl = in-ag | (available(store-available-cluster, cluster-or-wider) ; same-cluster)
let in-wg = in-cl | (available(store-available-workgroup, workgroup-or-wider) ; same-workgroup)
let in-wv = in-wg | (available(store-available-wavefront, wavefront-or-wider) ; same-wavefront)
let in-st = in-wv | (available(store-available-singlethread, singlethread-or-wider) ; same-singlethread)
~empty ((vis-system \\ in-sy) | (vis-agent \\ in-ag) | (vis-cluster \\ in-cl) | (vis-workgroup \\ in-wg)
    | (vis-wavefront \\ in-wv) | (vis-singlethread \\ in-st)) as denied
"""
"""Where a write is visible, an availability operation on it of that scope or a wider one has its instance."""

NEAR = """
~empty vis-workgroup \\ same-workgroup as denied
"""
"""A write that is visible in a workgroup is in that workgroup."""

CHAIN = """
let visibility(at, wide) = (R & at) | (make-visible & wide)
let meets(at, wide, same) =
    (((available(at, wide) ; (hb & same) ; [visibility(at, wide)]) & same & vis) ; same)
let supported = meets(store-available-system, system, same-system)
    | meets(store-available-agent, agent-or-wider, same-agent)
    | meets(store-available-cluster, cluster-or-wider, same-cluster)
    | meets(store-available-workgroup, workgroup-or-wider, same-workgroup)
    | meets(store-available-wavefront, wavefront-or-wider, same-wavefront)
    | meets(store-available-singlethread, singlethread-or-wider, same-singlethread)
~empty (vis \\ supported) as denied
"""
"""A visible write has an availability operation X and a visibility operation Z, X before Z, of inclusive scopes, and
their common instance, that of the narrower scope, contains the write and the operation where it is visible."""

ACYCLIC = "~acyclic hb as denied"
"""Happens-before is acyclic."""

PROGRAM_ORDER = "~empty ((hb & po) \\ cpo) as denied"
"""Of two operations of one thread one happens before the other only if their tags are compatible."""
