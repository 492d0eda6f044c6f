"""The models of progress, and what may be answered under one: the words of the command line."""

from __future__ import annotations

from enum import Enum

LIMIT = 200_000
"""How many states are looked at if nothing else is said."""


class Progress(Enum):
    """The models of progress: to whom the scheduler is fair."""

    FAIR = "fair"
    """To every lane."""
    WAVE = "wave"
    """To every wave; the lanes of a wave wait for each other before each block."""
    OBE = "obe"
    """To the lanes of workgroups that have begun; others may never begin."""
    HSA = "hsa"
    """To the lanes of the unfinished workgroup of the smallest number."""
    HSA_OBE = "hsa-obe"
    """To the lanes of the workgroups of either."""
    LOBE = "lobe"
    """To the lanes of workgroups that have begun, and of those of smaller numbers."""
    UNFAIR = "unfair"
    """To nobody."""


class Verdict(Enum):
    """Whether every execution ends."""

    ENDS = "ends"
    ENDLESS = "does not end"
    UNKNOWN = "unknown"
