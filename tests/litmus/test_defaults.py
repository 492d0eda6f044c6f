"""What the text of a test may leave out: types, places, barriers, conditions; and what the lint remarks on."""

from __future__ import annotations

import pytest

from axmem.litmus.lint import warnings
from axmem.litmus.parser import parse
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import (
    I32,
    I64,
    AddressSpace,
    Barrier,
    Load,
    Number,
    Placement,
    Quantifier,
    Store,
    Type,
    UndefValue,
    VectorOf,
)
from tests.litmus.written import only, parsed

# ---------------------------------------------------------------- declarations and types


def locations(text: str) -> list[tuple[str, AddressSpace, Type | None]]:
    test = parse(f"litmus t\n{text}\nthread P0 {{ r = 1 }}\n")
    assert parse(print_test(test)) == test
    return [(location.name, location.space, location.type) for location in test.locations]


def test_locations_in_both_spellings() -> None:
    text = (
        "global x = 0, y\nlds i64 t\nprivate p\nglobal ptr q = &x\nglobal [2 x i16] a = {1, 2}\n"
        "@z = internal unnamed_addr addrspace(3) global [4 x i32] undef, align 16\n"
        "@w = dso_local addrspace(1) constant <4 x i32> <i32 1, i32 2, i32 3, i32 4>, align 16\n"
        "@e = external addrspace(1) global i32\n"
    )
    assert locations(text) == [
        ("x", AddressSpace.GLOBAL, I32), ("y", AddressSpace.GLOBAL, I32), ("t", AddressSpace.LDS, I64),
        ("p", AddressSpace.PRIVATE, I32), ("q", AddressSpace.GLOBAL, Type(64, 0, AddressSpace.GENERIC)),
        ("a", AddressSpace.GLOBAL, Type(16, 2)), ("z", AddressSpace.LDS, Type(32, 4)),
        ("w", AddressSpace.GLOBAL, Type(32, 4)), ("e", AddressSpace.GLOBAL, I32),
    ]  # fmt: skip


def test_initial_values() -> None:
    test = parsed(
        "r = load z", "litmus t\nglobal i32 z = undef, n\n@l = addrspace(3) global i32 poison\nglobal <2 x i8> v = 7"
    )
    undef, nothing, lds, vector = [location.initial for location in test.locations]
    assert undef == UndefValue(I32)
    assert nothing is None and lds is None
    assert vector == VectorOf((Number(7, Type(8)), Number(7, Type(8))), Type(8, 2))


@pytest.mark.parametrize(
    ("body", "type_"),
    [
        ("r = load x", I32),
        ("r = load i64, x", I64),
        ("store i8 1, x\nr = load x", Type(8)),
        ("store i8 1, x\nr = load i16, x", Type(32)),
        ("r = av.load.b128 x", Type(32, 4)),
        ("store i64 1, x[1]", Type(64, 2)),
        ("store 1, x + 8", Type(32, 3)),
        ("q = load i64, y\nstore q, x", I64),
        ("store &y, x", Type(64, 0, AddressSpace.GENERIC)),
    ],
)
def test_the_type_of_a_location_follows_its_accesses(body: str, type_: Type) -> None:
    test = parsed(body, "litmus t\nglobal x = 0, y = 0" if "&" not in body else "litmus t\nglobal x, y = 0")
    assert test.locations[0].type == type_


def test_a_scalar_initial_value_stays_in_the_first_lane() -> None:
    test = parsed("r = av.load.b64 x", "litmus t\nglobal x = 5")
    assert test.locations[0].initial == VectorOf((Number(5, I32), Number(0, I32)), Type(32, 2))


def test_a_scalar_stored_to_a_vector_fills_it() -> None:
    statement = only("store 3, b")
    assert isinstance(statement, Store)
    assert statement.value == VectorOf((Number(3, I32),) * 4, Type(32, 4))


def test_an_index_counts_in_the_accessed_type() -> None:
    statement = only("r = load i8, b[3]")
    assert isinstance(statement, Load) and statement.type == Type(8)
    element = only("r = load b[3]")
    assert isinstance(element, Load) and element.type == I32


def test_getelementptr_is_a_pointer_plus_bytes() -> None:
    assert only("p = getelementptr inbounds i32, ptr @b, i64 3") == only("p = &b + 12")
    assert only("p = getelementptr [4 x i32], ptr @b, i64 0, i64 2") == only("p = &b + 8")


# ---------------------------------------------------------------- places and barriers


def places(text: str) -> list[Placement]:
    test = parse("litmus t\n" + text.replace("{}", "{ r = 1 }"))
    assert parse(print_test(test)) == test
    return [thread.placement for thread in test.threads]


def test_threads_without_a_place_have_workgroups_of_their_own() -> None:
    assert places("thread A {}\nthread B @ workgroup 0 {}\nthread C {}") == [
        Placement((0, 0, 1, 0, 0)), Placement((0, 0, 0, 0, 0)), Placement((0, 0, 2, 0, 0)),
    ]  # fmt: skip


def test_missing_levels_are_fresh_beside_the_named_ones() -> None:
    assert places(
        "thread A @ agent 1, workgroup 0 {}\nthread B @ agent 1, workgroup 0, wavefront 0 {}\n"
        "thread C @ agent 1, workgroup 0, wavefront 0 {}\nthread D @ cluster 3, workgroup 0 {}"
    ) == [Placement(at) for at in ((1, 0, 0, 1, 0), (1, 0, 0, 0, 0), (1, 0, 0, 0, 1), (0, 3, 0, 0, 0))]


def test_undeclared_barriers_are_one_object_per_workgroup() -> None:
    test = parse(
        "litmus t\n" + "".join(f"thread {n} @ workgroup {g} {{ barrier }}\n" for n, g in [("A", 0), ("B", 1), ("C", 0)])
    )
    assert [(b.name, b.participants) for b in test.barriers] == [("", ("A", "C")), ("", ("B",))]
    assert parse(print_test(test)) == test


def test_a_declared_barrier_names_its_participants() -> None:
    test = parse("litmus t\nbarrier b (A, B)\nthread A { barrier b }\nthread B { barrier b }\n")
    assert [(b.name, b.participants) for b in test.barriers] == [("b", ("A", "B"))]
    assert test.threads[0].body == (Barrier("b"),)
    assert parse(print_test(test)) == test


# ---------------------------------------------------------------- conditions and expectations


def test_connectives_bind_as_they_should() -> None:
    head = "litmus t\nglobal x = 0, y = 0\nthread P { r = load x }\n"
    one = parse(head + "exists (~P:r=1 /\\ x=0 \\/ y=1 => x=1 => y=0)")
    other = parse(head + "exists (~(((~(P:r=1)) /\\ x=0) \\/ y=1) \\/ (~(x=1) \\/ y=0))")
    assert one.condition == other.condition
    assert parse(print_test(one)) == one


def test_a_condition_may_run_over_lines() -> None:
    head = "litmus t\nglobal x = 0\nthread P { r = load x }\n"
    assert (
        parse(head + "exists (\n  P:r=1\n  /\\\n  x=0\n)\n").condition
        == parse(head + "exists (P:r=1 /\\ x=0)").condition
    )
    assert parse(head + "exists P:r=1\n  /\\ x=0\n").condition == parse(head + "exists (P:r=1 /\\ x=0)").condition


@pytest.mark.parametrize(
    ("words", "quantifier"),
    [("exists", Quantifier.EXISTS), ("~exists", Quantifier.NOT_EXISTS), ("not exists", Quantifier.NOT_EXISTS),
     ("forall", Quantifier.FORALL)],
)  # fmt: skip
def test_quantifiers(words: str, quantifier: Quantifier) -> None:
    assert parse(f"litmus t\nthread P {{ r = 1 }}\n{words} (P:r=1)").quantifier is quantifier


def test_values_take_the_type_of_what_they_are_compared_with() -> None:
    test = parse("litmus t\nglobal <4 x i32> b = 0\nglobal ptr p = &b\n"
                 "thread P {\n v = load b\n q = load p\n c = 1 == 1\n}\n"
                 "exists (P:v={1,undef,1,1} /\\ P:v[2]=-1 /\\ P:q=&b+4 /\\ P:c=true /\\ b[1]=2 /\\ P:v=0)")  # fmt: skip
    assert parse(print_test(test)) == test


def test_expectations_and_outcomes() -> None:
    test = parse("""litmus t
"one "
"description"
global x = 0
thread P { r = load x }
filter (x=0)
observe P:r, x
expect llvm, amdgpu[vis.instance=literal, coh=rc11] never "because "
  "of this"
expect amdgpu-doc ptx-v7.5 undefined
outcomes llvm {
  P:r=0  x=0
  x=1, P:r=undef
}
outcomes amdgpu { }
""")
    assert test.description == "one description"
    first, second = test.expectations
    assert [m.model for m in first.models] == ["llvm", "amdgpu"]
    assert first.models[1].variants == (("vis.instance", "literal"), ("coh", "rc11"))
    assert first.reason == "because of this"
    assert [m.model for m in second.models] == ["amdgpu-doc", "ptx-v7.5"] and second.verdict == "undefined"
    assert [len(o.rows) for o in test.outcome_sets] == [2, 0]
    assert parse(print_test(test)) == test


# ---------------------------------------------------------------- warnings


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("global x = 0\nthread P { store 1, x # amdgcn-av:agent\n}", "no target knows the suffix 'agent' of amdgcn-av"),
        ("global x = 0\nthread P { store 1, x # vulcan:private\n}", "no target knows the tag prefix 'vulcan'"),
        ("lds t\nthread P { r = load t }", "'t' is read, but has no initial value"),
        ("global x = 0, y = 0\nthread P { store 1, x }", "location 'y' is not used"),
        ("global x = 0\nthread P { store r, x\n r = 1 }", "'r' may be read before it is assigned"),
        ("thread P { c = 1\n if c == 1 { r = 1 }\n s = r }", "'r' may be read before it is assigned"),
        ("global x = 0\nthread P { store 1, x, !dbg !7\n}", "metadata '!dbg' has no effect"),
        ('global x = 0\n!2 = !{!{!"a", !"b"}, !2}\nthread P { store 1, x, !mmra !2\n}', "'!2' contains itself"),
        ("lds t = 0\nthread P { store 1, t }\nthread Q { store 2, t }", "threads of different workgroups"),
        ("global x = 0\nthread P { store 1, x release\n}", "'release' makes this store atomic"),
        ("global x = 0\nthread P { r = load volatile x acquire\n}", "'acquire' makes this load atomic"),
        ("thread P { r = 1 }\nexists (true)", "mentions no register"),
        ("thread P { r = 1 }\nexpect llvm never", "mentions no register"),
    ],
)
def test_each_warning(text: str, part: str) -> None:
    found = warnings(parse("litmus t\n" + text))
    assert [w for w in found if part in w.message], [w.message for w in found]
    assert all(w.severity == "warning" for w in found)


@pytest.mark.parametrize(
    "text",
    [
        "global x = 0\nthread P { store 1, x # f:a\n}",
        "thread P { r = 1 }\nexists (true)\nexpect llvm always\nexpect sc never",
        "thread P { r = 1 }\nexists (true)\nexpect llvm undefined",
        "global x = 0\nthread P { store atomic 1, x release\n fence acquire }",
    ],
    ids=["free-prefix", "any-execution", "undefined-behaviour", "atomic"],
)
def test_what_is_meant_is_not_warned_of(text: str) -> None:
    """[MMRA] leaves prefixes free; `exists (true)` asks whether there is an execution, and whether it is undefined."""
    assert not warnings(parse("litmus t\n" + text))


def test_what_a_parameter_points_to_is_used_and_may_be_written() -> None:
    body = "kernel K(ptr addrspace(1) %p = &y) {\nstore i32 1, p\nr = load x\n}"
    assert warnings(parse(f"litmus t\nglobal x\nglobal y\n{body}\nexists (x=0)")) == ()


def test_a_clean_test_has_no_warnings() -> None:
    text = ("litmus t\nglobal x = 0\nlds t\nthread P @ workgroup 0 {\n store 1, x # amdgcn-av:none\n store 1, t\n}\n"
            "thread Q @ workgroup 0 {\n r = load x\n if r == 1 { s = 1 } else { s = 2 }\n u = s + 1\n v = load t\n}\n"
            "exists (Q:r=1 /\\ Q:u=2 /\\ Q:v=1)\nexpect llvm never\n")  # fmt: skip
    assert warnings(parse(text)) == ()
