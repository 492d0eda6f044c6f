"""Documents as JSON: the record that a document carries, as docs/schema describes it."""

from __future__ import annotations

from axmem.front.output import document as as_json
from axmem.report.tree import Document


class Json:
    """JSON."""

    def document(self, found: Document) -> str:
        """Return the record of a document as a JSON document."""
        return as_json(**found.data)


PRINTER = Json()
