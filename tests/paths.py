"""Where things lie in the checkout: every test that reads a file finds it from here."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "litmus" / "corpus"
"""The directory of the corpus; its tests are `CORPUS_TESTS`, in order of their paths."""
CORPUS_TESTS = tuple(sorted(CORPUS.rglob("*.litmus")))
RESULTS = ROOT / "results"
GOLDENS = ROOT / "tests" / "goldens"
INPUTS = GOLDENS / "cli" / "inputs"
"""The small tests that commands are tried on."""
MALFORMED = ROOT / "tests" / "malformed"
PATIENCE = 1800.0
"""Seconds that a test waits for what will come: a guard against a hang, which no load of the machine reaches."""
MODELS = ROOT / "tests" / "models"
"""Models as others might write them."""
