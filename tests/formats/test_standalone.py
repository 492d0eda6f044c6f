"""Functions of which nothing is said: what their parameters may be, and what calls of unknown functions are."""

from __future__ import annotations

import pytest

from axmem.formats.ir.parser import ModuleParser
from axmem.formats.ir.standalone import StandaloneReading, function_tests, permissions
from axmem.formats.ir.syntax import Module
from axmem.front.source import InputError, Source
from axmem.litmus.printer import print_test

NOT_ALL = "not every choice of the parameters was tried"


def module(text: str) -> Module:
    parser = ModuleParser(Source("f.ll", text))
    parser.opened = True
    parser.executed = False
    found = parser.module()
    assert not parser.diagnostics
    return found


def read(text: str, *names: str) -> list[StandaloneReading]:
    found = module(text)
    return list(function_tests([(found, found.functions[name]) for name in names or ("f",)]))


def body(reading: StandaloneReading, side: int = 0) -> list[str]:
    lines = print_test(reading.tests[side]).split("\n")
    return [line.strip() for line in lines[lines.index("thread F {") + 1 : lines.index("}")]]


def locations(reading: StandaloneReading, side: int = 0) -> list[str]:
    return [
        line for line in print_test(reading.tests[side]).split("\n") if line.startswith(("global", "lds", "private"))
    ]


def test_a_pointer_is_memory_of_its_own_or_that_of_another() -> None:
    found = read("define void @f(ptr %p, ptr %q) {\n store i32 7, ptr %p\n store i32 8, ptr %q\n ret void\n}")
    assert [each.words for each in found] == ["", "%p and %q the same memory"]
    assert [body(each) for each in found] == [["store 7, p", "store 8, q"], ["store 7, p", "store 8, p"]]


AVAILABLE = """declare void @llvm.amdgcn.av.store.b128.p1(ptr addrspace(1), <4 x i32>, metadata)
@h = addrspace(1) global i32 0
!0 = !{!"agent"}
define void @f(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c) {
  LINES
  ret void
}
"""
AV_STORE = "call void @llvm.amdgcn.av.store.b128.p1(ptr addrspace(1) %p, <4 x i32> zeroinitializer, metadata !0)"


def test_accesses_that_are_calls_are_accesses() -> None:
    """Another pointer may meet one, which is never null, and points to more than a small variable."""
    lines = f"{AV_STORE}\n  %a = load i32, ptr addrspace(1) %q"
    behind = [f"%q {n} bytes behind %p" for n in (4, 8, 12)]
    found = [each.words for each in read(AVAILABLE.replace("LINES", lines))]
    assert found == ["", "%p and %q the same memory", *behind]


def test_a_call_that_accesses_null_is_undefined_behaviour() -> None:
    lines = f"br i1 %c, label %yes, label %no\nyes:\n  {AV_STORE}\n  br label %no\nno:"
    text = AVAILABLE.replace("LINES", lines).replace(", ptr addrspace(1) %q", "")
    found = {each.words: body(each) for each in read(text)}
    assert any(line.startswith("assume false") for line in found["%p leads nowhere"])


@pytest.mark.parametrize("parameters", ["ptr noalias %p, ptr %q", "ptr addrspace(1) %p, ptr addrspace(3) %q"])
def test_pointers_that_attributes_or_address_spaces_keep_apart_are_never_the_same(parameters: str) -> None:
    first, second = parameters.split(", ")
    text = f"define void @f({parameters}) {{\n store i32 7, {first.replace(' noalias', '')}\n"
    assert len(read(f"{text} store i32 8, {second}\n ret void\n}}")) == 1


def test_memory_holds_every_access_also_one_below_the_address_that_is_given() -> None:
    text = """define void @f(ptr %p) {
 %a = getelementptr i8, ptr %p, i64 -8
 store i64 1, ptr %a
 %b = getelementptr i8, ptr %p, i64 20
 store i32 2, ptr %b
 ret void
}"""
    (found,) = read(text)
    assert locations(found) == ["global <10 x i32> p = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}"]
    assert body(found) == ["store i64 1, p + 8", "store 2, p + 36"]


def test_a_number_is_open() -> None:
    text = """define i32 @f(ptr %p, i32 %n) {
 %c = icmp ult i32 %n, 10
 br i1 %c, label %a, label %b
a:
 ret i32 %n
b:
 ret i32 1
}"""
    (found,) = read(text)
    assert not found.words and any("parameter" in line for line in body(found))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("%a = getelementptr i32, ptr %p, i32 %n; store i32 1, ptr %a; ret void", ()),
        ("%a = getelementptr i32, ptr %p, i32 %n; store i32 %n, ptr %a; ret void", (NOT_ALL,)),
        ("%k = zext i32 %n to i64; %a = getelementptr i32, ptr %p, i64 %k; store i32 1, ptr %a; ret void", ()),
    ],
)
def test_a_number_by_which_memory_is_addressed_is_tried(lines: str, said: tuple[str, ...]) -> None:
    """If nothing else looks at it, what is tried is all that there is."""
    found = read(f"define void @f(ptr %p, i32 %n) {{\n {lines.replace('; ', chr(10))}\n}}")
    assert [each.words for each in found] == ["%n = 1", "%n = 0"] and found[0].undecided == said


@pytest.mark.parametrize(
    ("attribute", "frozen", "number"),
    [("", "frozen parameter 0", "parameter 0 or undef"), ("noundef ", "parameter 0", "parameter 0")],
)
def test_a_number_may_be_undef_and_is_one_where_it_is_frozen(attribute: str, frozen: str, number: str) -> None:
    text = f"define i32 @f(i32 {attribute}%n) {{\n %z = freeze i32 %n\n %s = sub i32 %z, %n\n ret i32 %s\n}}"
    (found,) = read(text)
    shown = " ".join(body(found))
    assert f"= {frozen} " in shown and number in shown and ("undef" in shown) is not attribute.startswith("noundef")


def test_a_pointer_that_is_loaded_has_somewhere_to_point_to() -> None:
    text = "define i32 @f(ptr %p) {\n %q = load ptr, ptr %p\n %v = load i32, ptr %q\n ret i32 %v\n}"
    (found,) = read(text)
    assert "global ptr p = &p.pointee" in locations(found)


def test_a_call_of_what_is_not_here_is_a_message_and_its_answer() -> None:
    text = """declare i32 @g(i32)
define i32 @f(ptr %p) {
 store i32 7, ptr %p
 %r = call i32 @g(i32 5)
 ret i32 %r
}"""
    (found,) = read(text)
    assert body(found) == [
        "store 7, p", "store atomic volatile 5, g.call release", "g.answered1 = load atomic volatile g.answer acquire",
        "return = g.answered1",
    ]  # fmt: skip


def test_a_call_that_touches_no_memory_returns_a_number_that_is_open() -> None:
    text = """declare i32 @g() memory(none) willreturn nounwind
define i32 @f() {
 %r = call i32 @g()
 ret i32 %r
}"""
    (found,) = read(text)
    assert (body(found), found.assumed) == (["return = parameter 0 or undef"], ("%g.answer is what @g() returns",))


def test_the_path_ends_at_a_call_behind_which_nothing_is_reached() -> None:
    text = "declare void @g()\ndefine void @f() {\n call void @g()\n unreachable\n}"
    (found,) = read(text)
    message, answer = "store atomic volatile 1, g.call release", "g.answered1 = load atomic volatile g.answer acquire"
    assert body(found) == [message, answer]


@pytest.mark.parametrize("call", ['call void asm sideeffect "", "~{memory}"()', "call void %p()"])
def test_calls_of_assembly_and_through_pointers_are_messages_too(call: str) -> None:
    (found,) = read(f"define void @f(ptr %p) {{\n {call}\n ret void\n}}")
    assert [line.split(",")[0] for line in body(found)] == ["store atomic volatile 1", body(found)[1]]


def test_tests_of_a_pair_declare_the_same_memory() -> None:
    text = """define void @before(ptr %p) {
 store i64 1, ptr %p
 ret void
}
define void @after(ptr %p) {
 store i32 1, ptr %p
 ret void
}"""
    (found,) = read(text, "before", "after")
    assert found.tests[0].locations == found.tests[1].locations
    assert locations(found) == ["global <2 x i32> p = {0, 0}"]


def test_what_is_taken_for_granted_is_said() -> None:
    store = "store atomic i32 1, ptr addrspace(7) %p monotonic, align 1"
    text = f"define void @f(ptr addrspace(7) %p) {{\n {store}\n ret void\n}}"
    (found,) = read(text)
    assert found.assumed == (
        "memory in address space 7 is as that in global memory",
        "pointers are aligned to the atomic accesses through them",
    )  # fmt: skip


def test_numbers_of_floating_point_are_rounded_and_what_permits_other_results_is_counted() -> None:
    text = """define float @f(ptr %p) "denormal-fp-math"="preserve-sign,preserve-sign" {
 %r = atomicrmw fadd ptr %p, float 1.0 monotonic, !amdgpu.ignore.denormal.mode !0
 %s = fadd nnan float %r, 1.0
 ret float %s
}
!0 = !{}"""
    (found,) = read(text)
    assert body(found)[0] == "r = atomicrmw fadd p, float 1.0 monotonic"
    of = module(text)
    assert sorted(permissions(of, of.functions["f"])) == [
        '"denormal-fp-math"="preserve-sign,preserve-sign"', "atomicrmw amdgpu.ignore.denormal.mode", "fadd nnan",
    ]  # fmt: skip


def test_an_index_of_floating_point_is_any() -> None:
    """What memory has room for is guessed of numbers, and of these alone."""
    text = """define i32 @f(ptr %p, i1 noundef %c) {
 %d = select i1 %c, double 1.0, double 2.0
 %i = fptosi double %d to i32
 %e = sext i32 %i to i64
 %g = getelementptr i32, ptr %p, i64 %e
 %v = load i32, ptr %g
 ret i32 %v
}"""
    assert all(each.limits == ("%p leads to 20 bytes",) for each in read(text))


@pytest.mark.parametrize("bound", ["and i32 %h, 7", "urem i32 %h, 8", "lshr i32 %h, 29"])
def test_there_is_as_much_memory_as_a_bounded_index_may_lead_to(bound: str) -> None:
    text = f"""define i32 @f(ptr %p, ptr %q) {{
 %h = load i32, ptr %q
 %m = {bound}
 %e = zext i32 %m to i64
 %g = getelementptr i32, ptr %p, i64 %e
 %v = load i32, ptr %g
 ret i32 %v
}}"""
    found = read(text)
    assert not any(each.limits for each in found)
    assert "global <8 x i32> p" in print_test(found[0].tests[0])


def test_a_structure_that_is_returned_is_the_same_however_it_is_made() -> None:
    text = """define { i32, i1 } @f(ptr %p) {
 %r = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
 ret { i32, i1 } %r
}
define { i32, i1 } @g(ptr %p) {
 %r = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
 %a = extractvalue { i32, i1 } %r, 0
 %b = extractvalue { i32, i1 } %r, 1
 %s = insertvalue { i32, i1 } poison, i32 %a, 0
 %t = insertvalue { i32, i1 } %s, i1 %b, 1
 ret { i32, i1 } %t
}"""
    (found,) = read(text, "f", "g")
    assert body(found, 0) == body(found, 1)
    assert body(found)[-1] == "return = {r[0], zext r[1] to i32}"


def test_what_no_test_can_say_is_an_error_at_its_place() -> None:
    with pytest.raises(InputError, match=r"f\.ll:1:16: error: a parameter of type \[2 x i32\]"):
        read("define void @f([2 x i32] %p) {\n ret void\n}")


def test_low_bits_of_an_address_are_those_of_its_offset() -> None:
    text = """declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
define i32 @f(ptr %p) {
 %q = getelementptr i8, ptr %p, i64 5
 %a = call ptr @llvm.ptrmask.p0.i64(ptr %q, i64 -4)
 %n = ptrtoint ptr %q to i64
 %b = and i64 %n, 3
 %c = trunc i64 %b to i32
 %v = load i32, ptr %a
 %w = shl i32 %v, %c
 ret i32 %w
}"""
    found = read(text)
    assert body(found[0]) == ["v = load p + 4", "w = v << 1", "return = w"]
    assert body(found[3]) == ["v = load p + 5", "w = v << 0", "return = w"]
    assert [each.words for each in found] == ["", "%p = 1 mod 4", "%p = 2 mod 4", "%p = 3 mod 4"]
    (aligned,) = read(text.replace("ptr %p)", "ptr align 8 %p)"))
    assert not aligned.assumed


def test_an_address_that_is_a_number_otherwise_is_refused() -> None:
    with pytest.raises(InputError, match="'ptrtoint' has no meaning"):
        read("define i64 @f(ptr %p) {\n %n = ptrtoint ptr %p to i64\n ret i64 %n\n}")


@pytest.mark.parametrize(("before", "after", "reason"), [
    ("call void @g(ptr %p)", "", "calls of @g(%p) are others, or another number"),
    ("call void @g(ptr %p)", "call void @g(ptr null)", "calls of @g(%p), @g(0) are others, or another number"),
    ("%r = fadd float 1.0, %x", "%r = fadd nsz float 1.0, %x",
     "arithmetic of floating point has more permissions: fadd nsz"),
    ("call void @g(ptr %p)", "call void @g(ptr %p)", ""),
    ("%r = fadd nsz float 1.0, %x", "%r = fadd float %x, 1.0", ""),
])  # fmt: skip
def test_what_tests_of_a_pair_do_not_show_is_said(before: str, after: str, reason: str) -> None:
    both = (("b", before), ("a", after))
    functions = (f"define void @{name}(ptr %p, float %x) {{\n {line}\n ret void\n}}\n" for name, line in both)
    text = "declare void @g(ptr)\n" + "".join(functions)
    (found,) = read(text, "b", "a")
    assert found.undecided == ((reason,) if reason else ())
    assert found.doubtful == ((reason,) if reason.startswith("calls") else ())


@pytest.mark.parametrize(("call", "expected"), [
    ("call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 4, i1 true)",
     ["a = load volatile q", "store volatile a, p"]),
    ("call void @llvm.memcpy.element.unordered.atomic.p0.p0.i32(ptr %p, ptr %q, i32 8, i32 4)",
     ["a = load atomic i32, q unordered", "store atomic i32 a, p unordered", "b = load atomic q + 4 unordered",
      "store atomic b, p + 4 unordered"]),
    ("call void @llvm.memmove.element.unordered.atomic.p0.p0.i32(ptr %p, ptr %q, i32 8, i32 4)",
     ["a = load atomic i32, q unordered", "b = load atomic q + 4 unordered", "store atomic i32 a, p unordered",
      "store atomic b, p + 4 unordered"]),
    ("call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 4, i1 false)", ["store 16843009, p"]),
    ("call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 0, i1 false)", []),
])  # fmt: skip
def test_copies_and_fills_are_the_accesses_that_they_are(call: str, expected: list[str]) -> None:
    found = body(read(f"define void @f(ptr noalias %p, ptr %q) {{\nentry:\n {call}\n ret void\n}}")[0])
    assert [line.replace("entry.0.0", "a").replace("entry.0.1", "b") for line in found] == expected


def test_a_copy_of_unknown_length_is_refused() -> None:
    text = """define void @f(ptr %p, ptr %q) {
 %n = load i64, ptr %q
 call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
 ret void
}"""
    with pytest.raises(InputError, match="its length is no number"):
        read(text)


def test_callees_that_do_less_than_another_thread_are_named() -> None:
    text = "declare void @g() nosync\ndefine void @f() {\n call void @g()\n ret void\n}"
    assert read(text, "f", "f")[0].doubtful == ("@g is taken to do more than it may",)


def test_calls_of_the_library_of_atomics_are_accesses() -> None:
    text = """declare i64 @__atomic_load_8(ptr, i32)
declare void @__atomic_store(i64, ptr, ptr, i32)
declare i1 @__atomic_compare_exchange_4(ptr, ptr, i32, i32, i32)
define i1 @f(ptr noalias %p, ptr noalias %q) {
 %a = alloca i32
 %b = alloca i64
 %v = call i64 @__atomic_load_8(ptr %q, i32 2)
 store i64 %v, ptr %b
 call void @__atomic_store(i64 8, ptr %q, ptr %b, i32 3)
 store i32 5, ptr %a
 %ok = call i1 @__atomic_compare_exchange_4(ptr %p, ptr %a, i32 6, i32 4, i32 0)
 ret i1 %ok
}"""
    assert body(read(text)[0])[1:] == [
        "v = load atomic q acquire", "store atomic v, q release",
        "a = 5", "ok.0 = a", "ok.pair = cmpxchg p, ok.0, 6 acq_rel monotonic", "a = ok.pair[0]",
        "return = ok.pair[1]",
    ]  # fmt: skip


@pytest.mark.parametrize("call", [
    "@__atomic_load_8(ptr %p, i32 %n)", "@__atomic_load(i64 8, ptr %p, ptr %q, i32 2)",
    "@__atomic_load_8(ptr %p, i32 9)",
])  # fmt: skip
def test_a_call_of_the_library_that_is_not_understood_stays_a_call(call: str) -> None:
    (found,) = read(f"define void @f(ptr noalias %p, ptr noalias %q, i32 %n) {{\n call void {call}\n ret void\n}}")
    assert any(".call" in line for line in body(found))


@pytest.mark.parametrize(("variable", "body", "reason"), [
    ("@g = constant i32 1", "store i32 2, ptr @g", "@g is taken for memory that others write"),
    ("@g = internal global i32 1", "store i32 2, ptr @g\n %v = load i32, ptr @g",
     "@g is taken for memory that others write"),
    ("@g = global i32 1", "store i32 2, ptr @g", ""),
    ("@g = global ptr null", "%a = alloca i32\n store ptr %a, ptr @g",
     "what %a points to is taken for memory of others"),
    # Nobody else has a part in these: contexts do not access them.
    ("@g = constant i32 1", "%v = load i32, ptr @g", ""),
    ("@g = internal global i32 1", "store i32 2, ptr @g", ""),
    ("", "%a = alloca i32\n store atomic i32 1, ptr %a release, align 4", ""),
])  # fmt: skip
def test_memory_that_nobody_else_writes_is_named(variable: str, body: str, reason: str) -> None:
    """Contexts may write it in the tests of a pair, so that what is unsound need not be."""
    text = f"{variable}\ndefine void @f() {{\n {body}\n ret void\n}}\n"
    assert read(text, "f", "f")[0].doubtful == ((reason,) if reason else ())


def test_a_callee_may_have_a_block_of_the_name_of_what_follows_it() -> None:
    """What follows the call has another name then, and the callee's values stay its own."""
    text = """define i32 @g(ptr %p) {
 %v = load i32, ptr %p
 %c = icmp ne i32 %v, 0
 br i1 %c, label %then, label %end
then:
 store i32 1, ptr %p
 br label %end
end:
 %o = or i32 %v, 1
 ret i32 %o
}
define i32 @f(ptr %p) {
 %r = call i32 @g(ptr %p)
 ret i32 %r
}"""
    lines = body(read(text)[0])
    assert lines[-1].startswith("return = ") and any("| 1" in line for line in lines)
