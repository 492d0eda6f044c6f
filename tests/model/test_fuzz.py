"""Any text at all gives a model or an `InputError` with places inside the text, and never another exception.

`make test` takes some of the cases, `make test-long` all.
"""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from axmem.front.source import InputError, Source
from axmem.model.elaborate import elaborate
from axmem.model.model import Model
from tests.drawn import examples
from tests.paths import MODELS as FOLDER

TEXT = """
    let rec and in acyclic irreflexive empty flag undef include if then else end begin show as not fun match try
    procedure po rf co W R _ 0 f x fr id domain range tagged through toid ( ) [ ] { } | & ; \\ * + ? ~ ^-1 ^ = , ++ &&
    || -> "a" "a=b" "m:n" "self.cat" 'tag (* *) (** // # @variant @default
"""
WORDS = TEXT.split()
TOKENS = st.lists(st.sampled_from([*WORDS, "\n", "(** @variant a = *b | c *)\n", "let f(x) = "]), max_size=60).map(
    " ".join
)
MODELS = [p.read_text(encoding="utf-8") for p in sorted(FOLDER.glob("*.cat"))]


def check(text: str) -> None:
    """Elaborate, with a file that includes itself as the only one to include."""
    source = Source("self.cat", text)
    try:
        model = elaborate(source, {}, lambda name, including: source if name == "self.cat" else None)
    except InputError as error:
        assert error.diagnostics
        lines = text.count("\n") + 1
        for d in error.diagnostics:
            assert d.message and 1 <= d.span.line <= lines and d.span.column >= 1
            assert str(d).startswith(f"{d.source.name}:{d.span.line}:{d.span.column}: error: ")
    else:
        assert isinstance(model, Model)


@settings(max_examples=examples(400))
@given(st.text(max_size=80))
def test_any_text(text: str) -> None:
    check(text)


@settings(max_examples=examples(800))
@given(TOKENS)
@example("acyclic " + "(" * 3000)
@example("acyclic " + "~" * 3000 + "po")
@example("acyclic po" + "?" * 3000)
@example("acyclic po" + "^-1" * 3000)
@example("acyclic " + "f " * 3000)
@example("acyclic " + "let x = " * 3000)
@example("acyclic " + "po | " * 3000 + "po")
@example("acyclic " + "po ; " * 3000 + "po")
@example("acyclic " + "po \\ " * 3000 + "po")
@example("acyclic if " + "not " * 3000 + '"a" then po else rf')
@example('if "a" ' * 3000)
@example("(*" * 3000)
@example(
    "let f0(r) = r ; r\n"
    + "".join(f"let f{i + 1}(r) = f{i}(f{i}(r | [W]) ; rf)\n" for i in range(80))
    + "empty f80(po)"
)
@example("let f0(r) = r\n" + "".join(f"let f{i + 1}(r) = f{i}(r)\n" for i in range(500)) + "empty f500(po)")
@example("empty " + "let rec x = " * 12 + "x | po" + " in x" * 12)
@example("acyclic " + "(po | " * 40 + "po" + ")" * 40)
def test_any_tokens(text: str) -> None:
    check(text)


@settings(max_examples=examples(400))
@given(st.sampled_from(MODELS), st.data())
def test_damaged_models(text: str, data: st.DataObject) -> None:
    """Cut a piece out of a good model, or put a word in."""
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 12)))
    check(text[:start] + data.draw(st.sampled_from(["", *WORDS])) + text[stop:])
