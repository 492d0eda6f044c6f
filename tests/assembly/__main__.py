"""`python -m tests.assembly`: make the record anew, and the assembly of the findings; `--show` prints the record."""

from __future__ import annotations

import argparse

from tests.assembly.record import make, read, write, write_findings


def main(arguments: list[str] | None = None) -> None:
    """Record, or print what is recorded."""
    parser = argparse.ArgumentParser(prog="python -m tests.assembly", description=__doc__)
    parser.add_argument("--show", nargs="*", metavar="WORD", help="print texts whose title has these words")
    options = parser.parse_args(arguments)
    if options.show is None:
        write(make())
        write_findings()
        return
    for key, text in read().items():
        title = " ".join(part for part in key if part)
        if all(word in title for word in options.show):
            print(f"; {title}\n{text}")


if __name__ == "__main__":
    main()
