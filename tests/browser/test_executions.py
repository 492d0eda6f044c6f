"""Texts of pictures, as a browser measures them: none overlaps another, none is cut off."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.executions import NAMES, overlapping, put
from tests.browser.sites import chromium

pytestmark = pytest.mark.skipif(not os.environ.get("AXMEM_SITES"), reason="make test-page needs Chromium")


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    with chromium() as browser:
        yield browser.new_page(viewport={"width": 1300, "height": 850})


@pytest.mark.parametrize("name", NAMES)
def test_no_text_overlaps(page: Any, name: str) -> None:
    put(page, name)
    assert not overlapping(page)


def test_texts_that_overlap_are_found(page: Any) -> None:
    text = "<text x='{}' y='20'>happens before</text>"
    page.set_content(f"<body style='margin:0'><svg width='90' height='40'>{text.format(5)}{text.format(30)}</svg>")
    found = overlapping(page)
    assert any("overlap" in each for each in found) and any("cut off" in each for each in found)
