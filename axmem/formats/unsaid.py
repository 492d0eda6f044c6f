"""What a test in another form does not say: shared by the writers of forms.

What goes in: a test that is written. What comes out: diagnostics, an error for what is left out as a whole, so that
another test would come of it, a warning for a part of something.
"""

from __future__ import annotations

from axmem.front.records import dataclass, field
from axmem.front.source import Diagnostic, Span
from axmem.litmus.syntax import LitmusTest
from axmem.litmus.words import AMDGPU


@dataclass(slots=True)
class Unsaid:
    """The test, and what of it has been lost so far."""

    test: LitmusTest
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def lost(self, span: Span, message: str, *, whole: bool = False) -> None:
        """Record what the form cannot say: a part of something, or the `whole` of it."""
        self.diagnostics.append(Diagnostic(self.test.source, span, message, "", "error" if whole else "warning"))

    def lost_by_all(self) -> None:
        """Record what no form that is written has: control flow, and levels of the test's own."""
        for kernel in self.test.kernels:
            self.lost(kernel.span, f"{kernel.name} has control flow, which is not written", whole=True)
        if self.test.levels != AMDGPU:
            self.lost(Span(1, 1), "the test has levels of its own, which have no words here", whole=True)
