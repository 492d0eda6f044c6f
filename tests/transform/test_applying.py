"""What `--apply` cannot mean is told at its place; refusals are told with their reasons, and exit with 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from axmem.cli import main
from axmem.front.source import InputError
from axmem.litmus.parser import parse
from axmem.transform.applying import Refused, apply_all

TEST = """\
litmus k
global x = 0
kernel K(i32 %m = 3) {
entry:
  br h
h:
  %i = phi i32 [ 0, entry ], [ %j, b ]
  br %i < 4, b, z
b:
  store %i, x
  %j = add i32 %i, 1
  br h
z:
  %c = icmp eq i32 %m, 0
  br %c, e, f
e:
  br f
f:
  %d = icmp eq i32 %m, 1
  br %d, e, y
y:
  ret void
}
observe K.0.0.0:i
exists (x=3)
"""

BAD = {
    "unrol(h)": "1:1: error: no transformation is named 'unrol'\n  unrol(h)\n  ^~~~~\n  hint: did you mean 'unroll'?",
    "unroll(g)": "1:8: error: no loop has the header 'g'\n  unroll(g)\n         ^\n  hint: the loops are h",
    "unroll(b)": "1:8: error: no loop has the header 'b'\n  unroll(b)\n         ^\n  hint: it is in the loop 'h'",
    "unroll(h, 0)": "1:11: error: a factor of 0\n  unroll(h, 0)\n            ^\n  hint: it is at least 2",
    "unroll(h, -1)": "1:11: error: a factor of -1\n  unroll(h, -1)\n            ^~\n  hint: it is at least 2",
    "unroll(h, two)": "1:11: error: 'two' is no argument of unroll\n  unroll(h, two)\n            ^~~\n"
    "  hint: unroll(loop, [factor], [how])",
    "unroll(h, 2, prolog)": "1:14: error: 'prolog' is no argument of unroll\n  unroll(h, 2, prolog)\n"
    "               ^~~~~~\n  hint: did you mean 'prologue'?",
    "unroll()": "1:8: error: the loop is missing\n  unroll()\n         ^\n  hint: unroll(loop, [factor], [how])",
    "unroll h": "1:8: error: expected '(', not 'h'\n  unroll h\n         ^\n  hint: unroll(loop, [factor], [how])",
    "unroll(h": "1:9: error: expected ','\n  unroll(h\n          ^\n  hint: unroll(loop, [factor], [how])",
    "unroll(h) unroll(h)": "1:11: error: expected ';', not 'unroll'\n  unroll(h) unroll(h)\n            ^~~~~~\n"
    "  hint: a ';' stands between transformations",
    "unroll(h, 2) & unroll(h)": "1:14: error: unexpected '&'\n  unroll(h, 2) & unroll(h)\n               ^\n"
    "  hint: write 'unroll(h, 2); licm(h)'",
    "": "1:1: error: no transformation is named\n  hint: write 'unroll(h, 2)'",
    "unroll(e)": "1:8: error: the cycle at 'e' is no loop: it is entered at 'f' and 'e'\n  unroll(e)\n         ^\n"
    "  hint: a loop has one entry, and one block that goes back to it",
    "drop-tags(k)": "1:11: error: no statement is named 'k'\n  drop-tags(k)\n            ^\n"
    "  hint: a statement has the name of its register, or of its label",
    "merge(j, jj)": "1:10: error: no statement is named 'jj'\n  merge(j, jj)\n           ^~\n  hint: did you mean 'j'?",
    "sink(j, w)": "1:9: error: there is no block 'w'\n  sink(j, w)\n          ^\n"
    "  hint: the blocks are entry, h, b, z, e, f, y",
    "merge-tails(zz)": "1:13: error: there is no block 'zz'\n  merge-tails(zz)\n              ^~\n"
    "  hint: did you mean 'z'?",
    "distribute(h, 1, c)": "1:18: error: no statement of the loop 'h' is named 'c'\n  distribute(h, 1, c)\n"
    "                   ^\n  hint: a statement has the name of its register, or of its label",
    "peel(h, 1)": "1:1: error: peeling is not followed: no metadata asks for it, and LLVM decides on it by estimates "
    "of its own\n  peel(h, 1)\n  ^~~~\n  hint: docs/transform.md says what there is",
    "jam(h)": "1:6: error: the factor is missing\n  jam(h)\n       ^\n  hint: jam(loop, factor)",
}


@pytest.mark.parametrize("text", BAD)
def test_what_a_text_cannot_mean(text: str) -> None:
    (kernel,) = parse(TEST).kernels
    with pytest.raises(InputError) as caught:
        apply_all(kernel, text)
    assert str(caught.value) == f"--apply:{BAD[text]}"


def run(tmp_path: Path, *options: str) -> int:
    path = tmp_path / "k.litmus"
    path.write_text(TEST, encoding="utf-8")
    return main(["transform", str(path), *options])


def test_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "--apply", "unroll(h, 2)") == 0
    shown = capsys.readouterr().out
    # The kernel that is printed is read, its counter is asked for as before, and it is unrolled: no test is left.
    assert "i.1 = phi" in shown and "i = i.1" in shown and parse(shown).kernels
    assert run(tmp_path, "--apply", "jam(h, 2)") == 1
    assert "refused: jam(h, 2): there is no loop inside" in capsys.readouterr().out
    assert run(tmp_path, "--apply", "unroll(g)") == 2


def test_the_loop_that_a_step_has_made_is_named_in_the_next() -> None:
    (kernel,) = parse(TEST.replace("%i < 4", "%i < %m")).kernels
    made = apply_all(kernel, "unroll(h, 4); unroll(h.1, 2, tests)")
    assert {header: of.source for header, of in made.loops.items()} == {"h": "h", "h.1": "h"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("unroll(h, 129)", "129 copies of the body; 128 are the most"),
        ("interleave(h, 100000)", "100000 copies of the body; 128 are the most"),
        ("vectorize(h, 129)", "129 copies of the body; 128 are the most"),
        ("jam(h, 129)", "129 copies of the body; 128 are the most"),
        ("unroll(h, 128); unroll(h, 128)", "statements; 10000 are the most"),
    ],
)
def test_kernels_do_not_grow_without_bound(text: str, said: str) -> None:
    """Not even by force: what takes minutes to print is of no use."""
    kernel = parse(
        "litmus k\nglobal x = 0\nkernel K(i32 n = 2) {\nentry:\n  br h\nh:\n  i = phi i32 [ 0, entry ], [ j, h ]\n"
        "  store i, x\n  j = i + 1\n  br j < n, h, z\nz:\n  ret void\n}\n",
        "k",
    ).kernels[0]
    with pytest.raises(Refused, match=said):
        apply_all(kernel, text, force=True)
