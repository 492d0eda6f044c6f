"""`python -m axmem`: the same as the command `axmem`."""

from axmem.cli import process

if __name__ == "__main__":
    process()
