"""`python -m axmem`: the same as the command `axmem`."""

import sys

from axmem.cli import main

if __name__ == "__main__":
    sys.exit(main())
