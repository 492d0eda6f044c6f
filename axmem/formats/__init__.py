"""Tests in the forms that other tools read, as tests of axmem; and which form a text is in."""
