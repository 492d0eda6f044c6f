"""What holds of every test: no clock decides a result, and garbage is looked for less often."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from contextlib import suppress
from importlib import import_module  # noqa: TID251 -- which modules there are is looked for
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

# What varies a failing example to explain it traces every line, and takes an hour where tests compare large trees.
PHASES = [phase for phase in Phase if phase is not Phase.explain]
settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow], phases=PHASES
)
settings.load_profile("unhurried")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Look for garbage less often: what the tests keep is large, and to go through it again and again takes time.

    And let a change that nothing refutes be tried in contexts for a quarter of a second of a processor, not for two.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 10)
    if (refuting := sys.modules.get("axmem.refinement.refuting")) is not None:
        refuting.SECONDS = 0.25  # type: ignore[attr-defined]


@pytest.fixture
def longer_than_users_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let contexts be tried for longer than users let them: where one is to be found, on a slow machine, too."""
    monkeypatch.setattr("axmem.refinement.refuting.SECONDS", 5.0)


@pytest.hookimpl(tryfirst=True)
def pytest_configure() -> None:
    """Keep elaborated models for the processes of these tests, beside those of the user."""
    whose = os.getuid() if hasattr(os, "getuid") else 0
    os.environ.setdefault("AXMEM_CACHE", str(Path(tempfile.gettempdir()) / f"axmem-tests-{whose}"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Let every other process of a run of all tests import them from the last on, before they are collected.

    Every process imports all of them, and what is compiled for one is there for the others: of a fresh checkout each
    compiles a half.
    """
    number = os.environ.get("PYTEST_XDIST_WORKER", "")[2:]
    root = Path(__file__).parent
    if number.isdigit() and int(number) % 2 and [Path(each).resolve() for each in session.config.args] == [root]:
        for path in sorted(root.rglob("test_*.py"), reverse=True):
            # What cannot be imported is said when it is collected.
            with suppress(Exception, pytest.skip.Exception):
                import_module(".".join(path.relative_to(root.parent).with_suffix("").parts))
