"""What holds of every test."""

from __future__ import annotations

import gc

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Look for garbage less often: what the tests keep is large, and to go through it again and again takes time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
