"""What holds of every test."""

from __future__ import annotations

import gc

import pytest
from hypothesis import settings

settings.register_profile("axmem", deadline=None)  # A test that is slow under load is no failure.
settings.load_profile("axmem")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Look for garbage less often: what the tests keep is large, and to go through it again and again takes time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
