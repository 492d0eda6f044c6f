"""Links carry what the page shows, and whatever else is in an address is refused."""

from __future__ import annotations

import base64
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axmem.front.source import InputError
from axmem.playground.link import LONGEST, TABS, View, fragment, view_of

TEXTS = st.text(max_size=300)
VIEWS = st.builds(
    View, text=TEXTS, models=st.lists(TEXTS, max_size=3).map(tuple), cat=TEXTS, tab=st.sampled_from(TABS), after=TEXTS,
    target=TEXTS, outcome=TEXTS, under=TEXTS,
)  # fmt: skip


def packed(content: bytes) -> str:
    """Return a fragment with this content."""
    made = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return "#1" + base64.urlsafe_b64encode(made.compress(content) + made.flush()).decode().rstrip("=")


@given(VIEWS)
def test_every_view_comes_back(view: View) -> None:
    try:
        "".join([view.text, *view.models, view.cat, view.after, view.target, view.outcome, view.under]).encode()
    except UnicodeEncodeError:  # No address holds half of a surrogate pair.
        return
    assert view_of(fragment(view)) == view


@given(st.text(max_size=200) | st.binary(max_size=200).map(packed))
def test_whatever_is_no_link_is_refused(text: str) -> None:
    try:
        assert isinstance(view_of(text), View)
    except InputError as error:
        assert "no link of the playground" in str(error)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"text": 1}), json.dumps([]), json.dumps({"html": "<script>"}), json.dumps({"tab": "none"}),
        json.dumps({"models": "llvm"}), json.dumps({"models": [1]}), "[" * 100_000,
        json.dumps({"text": "x" * (LONGEST + 1)}),
        "\x00", "x" * (4 * LONGEST + 1),
    ],
)  # fmt: skip
def test_no_view_is_made_of_other_content(content: str) -> None:
    with pytest.raises(InputError, match="no link of the playground"):
        view_of(packed(content.encode()))


def test_a_link_that_unpacks_to_much_is_cut_off() -> None:
    bomb = packed(b" " * (64 * LONGEST))
    assert len(bomb) < 100_000
    with pytest.raises(InputError, match="more than"):
        view_of(bomb)
