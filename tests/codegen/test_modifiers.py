"""Modifiers of instructions that reach memory: each changes the address as its manual says, or is refused by name.

What goes in: random instructions with every modifier of llvm-mc's tables, in every combination of up to three. What is
held: the address is the one that a formula of this file has, or the modifier is refused. `python -m
tests.long.modifiers` asks the same of what `llvm-mc-22` assembles, and says of how much.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from axmem.codegen.assembly.memory import transfers
from axmem.codegen.assembly.registers import OperandError, Registers
from axmem.codegen.assembly.text import AssemblyLine, read_listing
from axmem.codegen.assembly.values import number
from axmem.events.values import Constant
from axmem.mapping.verification import CodeSource, verify
from tests.drawn import parts

BASE, INDEX, OFFSET, SCALAR = 0x1_0000_0000, 3, 5, 7
"""What s[0:1] (and the descriptor s[4:7]), v1, v2 (as an LDS address 3) and s2 hold."""
POLICY = ("glc", "slc", "dlc", "scc", "sc0", "sc1", "nt", "nv", "th:TH_LOAD_NT", "th:TH_LOAD_HT", "scope:SCOPE_SE",
          "scope:SCOPE_DEV", "scope:SCOPE_SYS")  # fmt: skip
OTHERS = ("offen", "idxen", "lds", "tfe", "lwe", "gds", "swz", "r128", "a16", "d16", "unorm", "clamp", "mul:2",
          "div:2", "dmask:0x1", "dim:SQ_RSRC_IMG_1D", "format:1", "done", "early", "row_shr:1", "quad_perm:[0,1,2,3]",
          "row_mask:0xf", "bank_mask:0xf", "bound_ctrl:0", "op_sel:[0,1]", "neg_lo:[1,0]", "byte_sel:1",
          "bitop3:1", "wait_exp:1", "index_key:1", "matrix_a_reuse", "cbsz:1", "abid:1", "blgp:1")  # fmt: skip
MOVING = ("offset:16", "offset0:1", "offset1:2", "scale_offset")
MODIFIERS = (*MOVING, *POLICY, *OTHERS)


@dataclass(frozen=True)
class Form:
    """An instruction, how wide it is in bytes, what it adds to the base, and the modifiers that it may have."""

    text: str
    size: int
    base: int
    meant: frozenset[str]
    index: int = 0


VECTOR = frozenset({*POLICY, "offset:16"}) - {"scc"}


def memory_forms(name: str, size: int) -> tuple[Form, ...]:
    """Return the instructions that reach memory beside LDS, by the name of a size."""
    return (
        Form(f"global_load_{name} v[8:9], v1, s[0:1]", size, BASE, VECTOR | {"scale_offset"}, INDEX),
        Form(f"global_load_{name} v[8:9], v[10:11], off", size, BASE, VECTOR),
        Form(f"flat_load_{name} v[8:9], v[10:11]", size, BASE, VECTOR),
        Form(f"scratch_load_{name} v[8:9], v1, off", size, INDEX, VECTOR),
        Form(f"s_load_{name} s[8:9], s[0:1], s2", size, BASE, VECTOR | {"scale_offset"}, SCALAR),
        Form(f"s_load_{name} s[8:9], s[0:1], 0x20", size, BASE + 0x20, VECTOR),
        Form(f"buffer_load_{name} v[8:9], v1, s[4:7], s2", size, BASE + SCALAR, VECTOR | {"offen"}),
        Form(f"buffer_load_{name} v[8:9], v[10:11], s[4:7], s2 addr64", size, 2 * BASE + SCALAR, VECTOR),
        Form(f"buffer_store_{name} v[8:9], v1, s[4:7], s2", size, BASE + SCALAR, VECTOR | {"offen"}),
    )


LDS = (
    Form("ds_read_b32 v8, v1", 4, INDEX, frozenset({"offset:16"})),
    Form("ds_load_b64 v[8:9], v1", 8, INDEX, frozenset({"offset:16"})),
    Form("ds_write_b32 v1, v8", 4, INDEX, frozenset({"offset:16"})),
    Form("ds_read2_b32 v[8:9], v1", 4, INDEX, frozenset({"offset0:1", "offset1:2"})),
)
FORMS = (*(form for size, old, new in ((4, "dword", "b32"), (8, "dwordx2", "b64"))
           for name in (old, new) for form in memory_forms(name, size)), *LDS)  # fmt: skip


def lined(text: str) -> AssemblyLine:
    return read_listing(f"P0:\n  {text}\n", "t.s").kernels["P0"].lines[0]


def addresses(text: str) -> list[int | None]:
    """Return where the accesses of an instruction go. Raises OperandError."""
    registers = Registers({}, [])
    values = {"s0": 0, "s1": 1, "s2": SCALAR, "s4": 0, "s5": 1, "s6": -1, "s7": 0, "v1": INDEX, "v10": 0, "v11": 1}
    registers.values = {name: Constant(value) for name, value in values.items()}
    registers.values |= {"v8": Constant(1), "v9": Constant(2)}
    found = transfers(registers, lined(text))
    assert found is not None, text
    return [number(transfer.address) for transfer in found]


def expected(form: Form, modifiers: tuple[str, ...]) -> list[int]:
    """Return where they go by the manuals: an offset is added, scale_offset multiplies a register by the size."""
    at = form.base + form.index * (form.size if "scale_offset" in modifiers else 1)
    at += 16 * ("offset:16" in modifiers) + INDEX * ("offen" in modifiers)
    if "read2" in form.text:
        return [at + 4 * ("offset0:1" in modifiers), at + 8 * ("offset1:2" in modifiers)]
    return [at]


def drawn(seed: int) -> tuple[Form, tuple[str, ...]]:
    """Return a random instruction with up to three modifiers."""
    draw = random.Random(f"modifiers {seed}")
    form = draw.choice(FORMS)
    likely = [*form.meant, *form.meant, *MODIFIERS]
    return form, tuple(dict.fromkeys(draw.choice(sorted(likely)) for _ in range(draw.randint(0, 3))))


def check(form: Form, modifiers: tuple[str, ...]) -> bool:
    """Hold an instruction against its formula; return whether it is understood."""
    text = " ".join([form.text, *modifiers])
    strange = [modifier for modifier in modifiers if modifier not in form.meant]
    if strange:
        with pytest.raises(OperandError) as refused:
            addresses(text)
        said = str(refused.value)
        assert any(f"'{modifier}'" in said or said.startswith(modifier) for modifier in strange), (text, said)
        return False
    assert addresses(text) == expected(form, modifiers), text
    return True


@pytest.mark.parametrize("part", parts(6))
def test_random_modifiers_move_the_address_as_the_manual_says_or_are_refused(part: int) -> None:
    understood = sum(check(*drawn(seed)) for seed in range(1000 * part, 1000 * part + 1000))
    assert 300 < understood < 900


@pytest.mark.parametrize("form", FORMS, ids=[form.text for form in FORMS])
def test_each_modifier_alone(form: Form) -> None:
    for modifier in MODIFIERS:
        check(form, (modifier,))


@pytest.mark.parametrize(("text", "said"), [
    ("s_load_b32 s8, s[0:1], 0x4 scale_offset", "scale_offset scales a register, and this offset is a number"),
    ("global_load_b32 v8, v[10:11], off scale_offset", "scale_offset needs a register that is added to another"),
    ("scratch_load_b32 v8, v1, off scale_offset", "unknown modifier 'scale_offset' of 'scratch_load_b32'"),
    ("ds_read_b32 v8, v1 offset0:1", "unknown modifier 'offset0:1' of 'ds_read_b32'"),
])  # fmt: skip
def test_what_has_no_meaning_is_refused(text: str, said: str) -> None:
    with pytest.raises(OperandError, match=said):
        addresses(text)


def test_a_scaled_scalar_load_reads_the_element_that_its_index_names() -> None:
    """in[1] is 7: with the index taken for bytes the load returns parts of two elements."""
    head = "litmus T\nglobal [2 x i32] in = {5, 7}\nglobal y = 0\n"
    test = head + "thread P0 { r = load in[1]\n store r, y }\nexists (y!=7)\n"
    code = """P0:
  s_get_pc_i64 s[0:1]
  s_add_nc_u64 s[0:1], s[0:1], in@rel64+4
  s_mov_b32 s2, 1
  s_load_b32 s3, s[0:1], s2 offset:0x0 scale_offset
  s_get_pc_i64 s[4:5]
  s_add_nc_u64 s[4:5], s[4:5], y@rel64+4
  v_mov_b32_e32 v0, 0
  s_wait_kmcnt 0x0
  v_mov_b32_e32 v1, s3
  global_store_b32 v0, v1, s[4:5]
  s_endpgm
"""
    assert verify(test, "gfx1250", code=CodeSource(("t.s", code))).verdict == "sound"
    assert verify(test, "gfx1250", code=CodeSource(("t.s", code.replace(" scale_offset", "")))).verdict == "unsound"
