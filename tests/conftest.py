"""What holds of every test: no clock decides a result, and garbage is looked for less often."""

from __future__ import annotations

import gc

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Look for garbage less often: what the tests keep is large, and to go through it again and again takes time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
