"""`python -m tests.assembly`: make the record anew, and the assembly of the findings."""

from __future__ import annotations

from tests.assembly.record import make, write, write_findings

if __name__ == "__main__":
    write(make())
    write_findings()
