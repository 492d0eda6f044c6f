"""What the front end makes of a text besides its value: the shape of terms, documentation, variants, places."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import pytest

from axmem.front.source import InputError, Source, Span
from axmem.model import library
from axmem.model import relation as rel
from axmem.model.elaborate import elaborate
from axmem.model.model import Model
from axmem.model.parser import parse
from axmem.model.primitives import ALIASES, FUNCTIONS, PRIMITIVES
from axmem.model.syntax import Check, Infix, Name, Prefix
from axmem.model.terms import AxiomKind, Doc, Op
from axmem.model.variants import UnknownVariant
from axmem.model.vocabulary import INCLUDED


def read(cat: str, variants: Mapping[str, str] | None = None, **files: str) -> Model:
    def include(name: str, _including: Source) -> Source | None:
        key = name.removesuffix(".cat")
        return Source(name, files[key]) if key in files else None

    return elaborate(Source("model.cat", cat), variants or {}, include)


def shape(cat: str) -> str:
    """Write the tree of `empty e` with all its parentheses."""

    def show(tree: object) -> str:
        match tree:
            case Name():
                return tree.text
            case Prefix("[]", operand):
                return f"[{show(operand)}]"
            case Prefix("~", operand):
                return f"~{show(operand)}"
            case Prefix(operator, operand):
                return f"({show(operand)}){operator}"
            case Infix(operator, operands):
                return "(" + f" {operator} ".join(map(show, operands)) + ")"
        raise AssertionError(tree)

    (check,) = parse(Source("shape.cat", f"empty {cat}")).statements
    assert isinstance(check, Check)
    return show(check.expression)


@pytest.mark.parametrize(
    ("cat", "expected"),
    [
        ("a | b ; c \\ d & e", "(a | (b ; (c \\ (d & e))))"),
        ("a & b \\ c ; d | e", "((((a & b) \\ c) ; d) | e)"),
        ("a \\ b \\ c", "(a \\ b \\ c)"),
        ("a | b | c ; d ; e", "(a | b | (c ; d ; e))"),
        ("~a & b", "(~a & b)"),
        ("~a^-1", "~(a)^-1"),
        ("a+^-1?", "(((a)+)^-1)?"),
        ("a* ; b", "((a)* ; b)"),
        ("A * B & c", "((A * B) & c)"),
        ("A * B^-1", "(A * (B)^-1)"),
        ("A * ~B", "(A * ~B)"),
        ("a*^-1", "((a)*)^-1"),
        ("[A] ; a ; [B]", "([A] ; a ; [B])"),
        ("_*_\\a", "((_ * _) \\ a)"),
        ("po-loc.x'", "po-loc.x'"),
        ("begin a | b end ; c", "((a | b) ; c)"),
    ],
)
def test_precedence(cat: str, expected: str) -> None:
    assert shape(cat) == expected


def test_a_star_before_a_statement_is_a_closure() -> None:
    """`r*` followed by the `~` of the next statement is no product."""
    model = read("let a = po*\n~empty a\nacyclic rf*\nempty po")
    assert [a.kind for a in model.axioms] == [AxiomKind.EMPTY, AxiomKind.ACYCLIC, AxiomKind.EMPTY]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('"A title"', "A title"),
        ("RC11", "RC11"),
        ("C RC11", "RC11"),
        ('C "C++11"', "C++11"),
        ("(* a comment *)\nSC", "SC"),
        ("", "model"),
    ],
)
def test_title(text: str, title: str) -> None:
    assert read(f"{text}\nacyclic po").title == title


SAME = [
    ("po | rf | po", "rf | po"),
    ("(po | rf) | co", "co | (rf | po)"),
    ("po & (rf & co) & rf", "co & po & rf"),
    ("po | 0", "po"),
    ("po & 0", "0"),
    ("po \\ 0", "po"),
    ("po ; id ; rf", "po ; rf"),
    ("[W] ; [R]", "[R & W]"),
    ("po ; (rf ; co)", "po ; rf ; co"),
    ("po^-1^-1", "po"),
    ("(W * R)^-1", "R * W"),
    ("(po+)+", "po+"),
    ("(po?)+", "po*"),
    ("po*", "id | po+"),
    ("toid(W)", "[W]"),
    ("0 | {}", "0"),
    ("W | domain(0)", "W"),
    ("id ; po", "po"),
    ("po ; id", "po"),
    ("po \\ po", "rf & 0"),
    ("po ; 0", "rf & 0"),
    ("[0] | po", "po"),
    ("(W * 0) | po", "po"),
    ("([W]+)^-1 | id^-1", "[W] | id+"),
    ("through(po, 0, W, rf) | co", "co"),
    ("fencerel(F)", "(po & (_ * F)) ; po"),
    ("I * MONO", "IW * RLX"),
    ("emptyset", "{}"),
    ("~rf", "_ * _ \\ rf"),
    ("domain([W])", "W"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_equal_terms_are_one(left: str, right: str) -> None:
    model = read(f"empty {left}\nempty {right}")
    assert model.axioms[0].term == model.axioms[1].term


@pytest.mark.parametrize(("left", "right"), [("[_]", "id"), ("Fin | _", "_"), ("Fin & _", "Fin"), ("Fin \\ _", "0")])
def test_final_reads_are_outside_the_events(left: str, right: str) -> None:
    """`_` is no universe, because `Fin` is not in it."""
    model = read(f"empty {left}\nempty {right}")
    assert model.axioms[0].term != model.axioms[1].term


def test_named_definitions_stay_whole() -> None:
    model = read("let hb = po | rf\nempty hb | co")
    hb = next(d.term for d in model.definitions if d.name == "hb")
    assert hb in model.terms[model.axioms[0].term].arguments


def test_arguments_come_first_and_all_terms_are_needed() -> None:
    model = library.load("amdgpu")
    for i, term in enumerate(model.terms):
        assert all(a < i for a in term.arguments)
    assert len(set(model.terms)) == len(model.terms)


def test_fixpoint_members() -> None:
    """A round recomputes what depends on a variable, in order, and nothing else."""
    model = read("let rec a = (po ; rf) | (b ; co)\nand b = a & (rf ; rf)\nempty a | b")
    (fixpoint,) = model.fixpoints
    assert fixpoint.names == ("a", "b")
    assert [model.terms[m].op for m in fixpoint.members] == [Op.SEQUENCE, Op.UNION, Op.INTERSECTION]
    assert set(fixpoint.bodies) <= set(fixpoint.members)
    assert [model.terms[v].op for v in fixpoint.variables] == [Op.RECVAR, Op.RECVAR]
    for i, term in enumerate(model.terms):
        if term.op is Op.FIX:
            assert all(b < i for b in fixpoint.bodies)


def test_recursion_without_recursion_is_a_definition() -> None:
    model = read("let rec a = po and b = a | rf\nlet rec c = rf\nempty c")
    assert len(model.fixpoints) == 1
    assert model.terms[model.axioms[0].term].name == "rf"


def test_closed_recursion_inside_recursion() -> None:
    model = read("let closure(r) = let rec c = r | (c ; c) in c\nlet rec a = closure(po) | (a ; rf)\nempty a")
    inner, outer = sorted(model.fixpoints, key=lambda f: f.names, reverse=True)
    assert (inner.names, outer.names) == (("c",), ("a",))
    assert not set(inner.members) & set(outer.members)


def test_functions_keep_their_scope() -> None:
    """A function means the names of its own place, not of its use."""
    model = read("let a = po\nlet f(r) = a ; r\nlet a = rf\nempty f(co)\nempty po ; co")
    assert model.axioms[0].term == model.axioms[1].term


def test_axiom_names_and_signs() -> None:
    model = read(
        "acyclic po as order\nirreflexive po ;\n  rf\n~empty rf\nflag ~empty co as seen\n"
        "undefined_unless empty co as Race\nundefined_unless ~empty rf"
    )
    assert [(a.name, a.negated, a.flag) for a in model.axioms] == [
        ("order", False, False),
        ("irreflexive po ; rf", False, False),
        ("~empty rf", True, False),
        ("seen", True, True),
        ("Race", True, True),
        ("undefined_unless ~empty rf", False, True),
    ]


def test_doc_comments() -> None:
    model = read(
        '(** [LangRef] "Atomic\n    orderings": what it\n  * says *)\nlet a = po\n(** plain text *)\nacyclic a\n'
        "(** [Key]: short *)\nundef R as r\n(** lost: a blank line follows *)\n\nlet b = rf\n(**** a banner ****)\n"
        "let rec c = a (** of d *) and d = c\n(* no doc *) empty b"
    )
    docs = {d.name: d.doc for d in model.definitions}
    assert docs["a"] == Doc("LangRef", "Atomic orderings", "what it says")
    assert model.axioms[0].doc == Doc(text="plain text")
    assert model.undefs[0].doc == Doc("Key", "", "short")
    assert docs["b"] == docs["c"] == model.axioms[1].doc == Doc()
    assert docs["d"] == Doc(text="of d")


def test_places() -> None:
    model = read('let a = po\ninclude "x.cat"\nacyclic a | b', x="let b =\n  rf")
    places = {d.name: (d.source.name, d.span) for d in model.definitions}
    assert places["a"] == ("model.cat", Span(1, 5, 1))
    assert places["b"] == ("x.cat", Span(1, 5, 1))
    assert model.axioms[0].span == Span(3, 1, len("acyclic a | b"))


VARIANTS = """
(** @variant coh = *cxx | langref : what it decides *)
let a = if "coh=cxx" then po else rf
let b = if not "quick" && ("coh=cxx" || "coh=langref") then a else co
empty b
"""


@pytest.mark.parametrize(
    ("chosen", "name"),
    [({}, "po"), ({"coh": "langref"}, "rf"), ({"quick": "on"}, "co"), ({"quick": "off", "coh": "cxx"}, "po")],
)
def test_variants(chosen: dict[str, str], name: str) -> None:
    model = read(VARIANTS, chosen)
    assert model.terms[model.axioms[0].term].name == name
    assert model.chosen == tuple(sorted(({"coh": "cxx", "quick": "off"} | chosen).items()))
    assert [(v.name, v.values, v.default, v.text) for v in model.variants] == [
        ("coh", ("cxx", "langref"), "cxx", "what it decides"),
        ("quick", ("off", "on"), "off", ""),
    ]


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"cho": "cxx"}, "the model has no variant 'cho'"),
        ({"coh": "cx"}, "variant 'coh' has no value 'cx'"),
        ({"quick": "yes"}, "variant 'quick' has no value 'yes'"),
    ],
)
def test_unknown_choice(chosen: dict[str, str], message: str) -> None:
    with pytest.raises(UnknownVariant, match=message) as caught:
        read(VARIANTS, chosen)
    (diagnostic,) = caught.value.diagnostics
    assert "coh" in diagnostic.hint or "known: off, on" in diagnostic.hint or "cxx" in diagnostic.hint


def test_outermost_default_wins() -> None:
    inner = VARIANTS
    middle = '(** @default coh = langref *)\ninclude "inner.cat"'
    outer = '(** @default coh = cxx *)\ninclude "middle.cat"'
    assert read(middle, inner=inner).choice["coh"] == "langref"
    assert read(outer, inner=inner, middle=middle).choice["coh"] == "cxx"
    assert read(outer, {"coh": "langref"}, inner=inner, middle=middle).choice["coh"] == "langref"


def test_only_the_chosen_branch_is_read() -> None:
    cat = 'if "extra"\n  include "missing.cat"\nelse\n  acyclic po as kept\nend'
    assert [a.name for a in read(cat).axioms] == ["kept"]
    with pytest.raises(InputError, match=r"missing\.cat"):
        read(cat, {"extra": "on"})


def test_an_axiom_included_twice_is_one() -> None:
    cat = 'include "x.cat"\ninclude "x.cat"'
    assert len(read(cat, x="acyclic po | rf as both").axioms) == 1


def test_every_name_of_the_vocabulary_is_known() -> None:
    for name, primitive in PRIMITIVES.items():
        model = read(f"empty {name}")
        term = model.terms[model.axioms[0].term]
        assert (term.op, term.name, term.is_set) == (Op.BASE, name, primitive.is_set)
        assert primitive.text
    assert set(ALIASES.values()) <= set(PRIMITIVES)
    assert all(f.text and f.parameters for f in FUNCTIONS.values())


def test_library_models_load() -> None:
    for name in library.names():
        model = library.load(name)
        assert model.name == name and library.load(name) is model
        sent = pickle.loads(pickle.dumps(model))
        assert [getattr(sent, f.name) for f in fields(model)] == [getattr(model, f.name) for f in fields(model)]


@pytest.mark.parametrize("name", sorted(INCLUDED))
def test_herd_files_can_be_included(name: str, tmp_path: Path) -> None:
    path = tmp_path / "m.cat"
    path.write_text(f'"m"\ninclude "{name}"\nacyclic po | fr | ca', encoding="utf-8")
    assert library.load(str(path)).title == "m"


def test_includes_are_found_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "part.cat").write_text("let part = rf", encoding="utf-8")
    path = tmp_path / "whole.cat"
    path.write_text('include "part.cat"\nempty part', encoding="utf-8")
    model = library.load(str(path))
    assert model.name == "whole" and model.terms[model.axioms[0].term].name == "rf"


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "m.cat"
    path.write_text("empty po", encoding="utf-8")
    first = library.load(str(path))
    assert library.load(str(path)) is first
    path.write_text("empty rf", encoding="utf-8")
    assert library.load(str(path)).base_names == {"rf"}


def test_an_include_that_cannot_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "m.cat"
    path.write_text(f'include "{"x" * 5000}.cat"', encoding="utf-8")
    with pytest.raises(InputError, match="cannot find the included file"):
        library.load(str(path))


def test_a_variant_may_be_declared_again() -> None:
    """Two files may declare the variant they share; the first default counts."""
    model = read('(** @variant a = *b | c *)\ninclude "x.cat"\nempty po', x="(** @variant a = b | *c *)")
    assert model.chosen == (("a", "b"),)


def test_unknown_models(tmp_path: Path) -> None:
    with pytest.raises(library.UnknownModel, match="did you mean 'llvm'"):
        library.load("lvm")
    with pytest.raises(library.UnknownModel, match="unknown model 'zzzzzz'"):
        library.load("zzzzzz")
    with pytest.raises(library.UnknownModel, match="cannot read"):
        library.load(str(tmp_path / "none.cat"))
    bad = tmp_path / "bad.cat"
    bad.write_bytes(b"\xff\xfe")
    with pytest.raises(library.UnknownModel, match="not UTF-8"):
        library.load(str(bad))


def test_errors_can_be_sent_between_processes() -> None:
    with pytest.raises(InputError) as caught:
        read("empty oops")
    assert pickle.loads(pickle.dumps(caught.value)).diagnostics == caught.value.diagnostics


LIMITS = {
    "parentheses": ("empty " + "(" * 60 + "po" + ")" * 60, "nests too deeply"),
    "complements": ("empty " + "~" * 60 + "po", "nests too deeply"),
    "postfix operators": ("empty po" + "?" * 60, "nests too deeply"),
    "inverses": ("empty po" + "^-1" * 60, "expected `-1`"),
    "names in a row": ("empty " + "po " * 60, "nests too deeply"),
    "functions": (
        "let f0(r) = r\n" + "".join(f"let f{i + 1}(r) = f{i}(r)\n" for i in range(150)) + "empty f150(po)",
        "nests too deeply once functions are written out",
    ),
    "size": (
        "let f0(r) = r ; rf\n" + "".join(f"let f{i + 1}(r) = f{i}(f{i}(r))\n" for i in range(20)) + "empty f20(po)",
        "too large once its functions are written out",
    ),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_limits(limit: str) -> None:
    """What would exhaust the stack or the memory is refused at its place."""
    text, message = LIMITS[limit]
    with pytest.raises(InputError, match=message):
        read(text)


def test_includes_may_not_nest_forever() -> None:
    files = {f"f{i}": f'include "f{i + 1}.cat"' for i in range(40)}
    with pytest.raises(InputError, match="includes nest more than 30 deep") as caught:
        read('include "f0.cat"', None, **files)
    assert caught.value.diagnostics[0].source.name == "f29.cat"


def test_show_is_ignored() -> None:
    assert read("show po, rf | co\nshow (po | rf) as both\nunshow rf\nempty ~~po").axioms[0].span.line == 4


@pytest.mark.parametrize(("empty", "gone"), [("rf", True), ("LDS", True), ("loc", True), ("po", False)])
def test_a_chain_vanishes_without_links_or_stations(empty: str, gone: bool) -> None:
    """And so does `through` of relations: one derivation says so of tests and of families of programs."""
    model = read("empty through(po, rf, LDS, loc) as none")
    of = {term.name: index for index, term in enumerate(model.terms) if term.op is Op.BASE}
    assert (model.analyses.emptiness.needed_without(frozenset({of[empty]})) == frozenset()) is gone
    pairs: dict[str, rel.Relation] = dict.fromkeys(("po", "rf", "loc"), (3, 3)) | {empty: rel.EMPTY}
    found = rel.through(pairs["po"], pairs["rf"], 0 if empty == "LDS" else 0b11, pairs["loc"])
    assert (found == rel.EMPTY) is gone
