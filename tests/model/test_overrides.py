"""Overrides: what stands in whose place, in which order, and what is wrong with those that replace nothing."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from axmem.front.source import InputError, Source
from axmem.model.elaborate import elaborate
from axmem.model.model import Model

PLAIN = """"plain"
(** @readings wide tags *)
let near = po & int
let pairs(r) = r & near
let rec above = near | (above ; below)
    and below = rf | (below ; above)
acyclic above as order
empty pairs(co) as apart
"""
WIDE = """"How far"
(** @variant wide = *no | yes | more : how far near goes *)
if "wide=yes"
  override let near = po
end
if "wide=more"
  let helping = rf | po
  override let near = near | helping
end
"""
TAGS = """"Which tags"
(** @variant tags = *on | off : which tags *)
(** @after wide *)
if "tags=off"
  override let near = near ; near
  override let pairs(s) = s ; s
  override irreflexive above as order
  flag ~empty co as some-order
end
"""
FILES = {"readings/wide.cat": WIDE, "readings/tags.cat": TAGS}


def read(text: str, files: Mapping[str, str] = FILES, chosen: Mapping[str, str] | None = None) -> Model:
    def include(name: str, _source: Source) -> Source | None:
        return Source(name, files[name]) if name in files else None

    return elaborate(Source("model.cat", text), chosen or {}, include)


def same(one: Model, other: Model) -> bool:
    """Tell whether two models have the same rules."""

    def rules(model: Model) -> list[object]:
        return [(a.name, a.kind, a.flag, shown(model, a.term)) for a in model.axioms]

    return rules(one) == rules(other)


def shown(model: Model, index: int) -> object:
    term = model.terms[index]
    if term.fixpoint >= 0 and not term.op.value.startswith("rec"):
        bodies = model.fixpoints[term.fixpoint].bodies
        return term.position, [shown(model, body) for body in bodies]
    parts = [repr(shown(model, argument)) for argument in term.arguments]
    commutes = term.op.value in ("union", "intersection")
    return term.op.value, term.name, term.position, sorted(parts) if commutes else parts


@pytest.mark.parametrize(
    ("chosen", "written"),
    [
        ({}, ()),
        ({"wide": "yes"}, (("po & int", "po"),)),
        ({"wide": "more"}, (("po & int", "po & int\nlet helping = rf | po\nlet near = near | helping"),)),
        ({"tags": "off"}, (("po & int", "(po & int) ; (po & int)"), "off")),
        ({"wide": "yes", "tags": "off"}, (("po & int", "po ; po"), "off")),
    ],
)
def test_what_is_replaced(chosen: dict[str, str], written: tuple[tuple[str, str] | str, ...]) -> None:
    """An override stands where what it replaces stood; one that speaks of it stands on top of it."""
    text = PLAIN
    for change in written:
        if isinstance(change, tuple):
            text = text.replace(*change)
        else:
            text = text.replace("(r) = r & near", "(s) = s ; s").replace("acyclic", "irreflexive")
            text += "flag ~empty co as some-order\n"
    assert same(read(PLAIN, chosen=chosen), read(text.replace("(** @readings wide tags *)\n", "")))


def test_a_model_of_ones_own_overrides_what_it_includes() -> None:
    own = '"own"\noverride let near = rf\ninclude "plain.cat"\n'
    plain = PLAIN.replace("(** @readings wide tags *)\n", "")
    found = read(own, {"plain.cat": plain})
    assert same(found, read(plain.replace("po & int", "rf"), {}))
    (near,) = (d for d in found.definitions if d.name == "near")
    assert (near.source.name, near.span.line) == ("model.cat", 2)


def test_one_of_several_that_recur() -> None:
    files = {**FILES, "readings/wide.cat": WIDE.replace("near = po\n", "below = co | (above ; below)\n", 1)}
    found = read(PLAIN, files, {"wide": "yes"})
    assert same(found, read(PLAIN.replace("rf | (below ; above)", "co | (above ; below)")))
    (below,) = (d for d in found.definitions if d.name == "below")
    assert below.source.name == "readings/wide.cat"


def test_a_word_like_any_other() -> None:
    """Where no definition or rule follows, `override` is a name."""
    assert same(read("let override = po\nacyclic override as o", {}), read("acyclic po as o", {}))


@pytest.mark.parametrize(
    ("text", "chosen", "said"),
    [
        ("override let nearer = po\nlet near = rf", {},
         "model.cat:1:14: error: this override replaces nothing: no definition `nearer` follows"),
        ("let near = rf\noverride let near = po", {}, "model.cat:2:14: error: this override replaces nothing"),
        ('if "x" override let nearer = po end\nlet near = rf', {}, "model.cat:1:21: error: this override replaces"),
        ("override acyclic po as order\nlet order = rf", {}, "replaces nothing: no rule `order` follows"),
        ("override empty po\nempty po", {}, "model.cat:1:1: error: an override of a rule names the rule"),
        ("override let near(r) = r\nlet near = po", {}, "`near`, which this replaces, takes no arguments"),
        ("override let near = po\nlet near(a, b) = a", {}, "`near`, which this replaces, takes 2 arguments"),
        ("override let near = po\nlet near = rf\nlet near = co", {},
         "model.cat:1:14: error: `near` is defined at model.cat:2 and at model.cat:3: an override replaces one"),
        ("override let near = po\noverride let near = rf\nlet near = co", {}, "`near` is replaced twice"),
        ("override let near = pp\nlet near = rf\nacyclic near", {}, "model.cat:1:21: error: unknown name `pp`"),
        ("(** @after nowhere *)\nlet near = po", {}, "`@after` names `nowhere`, which is no reading of this model"),
        ("(** @readings wild *)\nlet near = po", {}, "model.cat:1:1: error: cannot find the reading `wild`"),
        ("(** @readings both wide *)\nlet near = po", {},
         "readings/wide.cat:4:16: error: `near` is replaced by `both` and by `wide`, without an order"),
        ("(** @readings both wide *)\nlet near = po", {"wide": "yes"}, "without an order"),
        ("(** @readings stray *)\nlet near = po", {}, "readings/stray.cat:1:5: error: no override below it needs"),
        ("(** @readings odd *)\nlet near = po", {}, "readings/odd.cat:1:9: error: this stands in no reading"),
        ("(** @readings asks *)\nlet near = po", {}, "readings/asks.cat:1:4: error: unknown variant `wilde`"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, chosen: dict[str, str], said: str) -> None:
    files = {
        **FILES,
        "readings/both.cat": "override let near = rf",
        "readings/stray.cat": "let far = po",
        "readings/odd.cat": 'include "x.cat"',
        "readings/asks.cat": 'if "wilde=yes" override let near = po end',
    }
    with pytest.raises(InputError) as caught:
        read(text, files, chosen)
    assert said in str(caught.value)
