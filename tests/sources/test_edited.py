"""Code of sources with something left out, of which `verify` once said that it is sound."""

from __future__ import annotations

import re

from axmem.codegen.targets import target
from axmem.mapping.built import code, profile_of_clang, program
from axmem.mapping.findings import pages
from axmem.mapping.verification import CodeSource, Verification, verify
from tests.exploring import VERDICT_ALONE
from tests.formats.test_sources import with_clang
from tests.sources.trial import SOURCES


def edited(source: str, gpu: str, pattern: str, new: str, count: int = 0) -> Verification:
    """Return what is said of a source whose code has something else in place of what a pattern finds."""
    path, where = SOURCES / source, target(gpu, "", profile_of_clang())
    text = path.read_text(encoding="utf-8")
    made = re.sub(pattern, new, code(text, str(path), where)[1], count=count, flags=re.MULTILINE)
    test = program(text, str(path), "", where)
    return verify(test, where, code=CodeSource(("edited.s", made)), exploration=VERDICT_ALONE)


@with_clang
def test_a_line_that_the_poller_wrote_itself_before_stays_as_well() -> None:
    """It has stored 1, and waits for the other agent's 2; without the scope its L0 keeps the 1 for ever."""
    poll = r"(global_load_b32 v1, v0, s\[4:5\]) scope:SCOPE_SYS"
    assert edited("system-ring.hip", "gfx1200", poll, r"\1 scope:SCOPE_SYS").word == "sound"
    assert edited("system-ring.hip", "gfx1200", poll, r"\1", count=1).word == "does not end"


@with_clang
def test_code_that_comes_to_a_trap_is_not_sound() -> None:
    """A writer that waits for none of its stores breaks what the reader asserts, which no memory shows."""
    wait = r"(buffer_wbl2 sc1\n)\ts_waitcnt vmcnt\(0\)\n(?=\t(global_store|buffer_inv sc1\n\tglobal_store))"
    assert edited("seqlock.hip", "gfx942", wait, r"\g<0>").word == "sound"
    made = edited("seqlock.hip", "gfx942", wait, r"\1")
    assert made.word == "unknown"
    (reason,) = made.incomplete
    assert "a wave is trapped" in reason


@with_clang
def test_which_lanes_an_access_is_for_stays_until_it_cannot_be_replayed() -> None:
    """LLVM waits before all lanes execute again: an update that is issued once more would be one of all of them."""
    wait = r"\ts_wait_xcnt 0x0\n(?=\ts_or_b32 exec_lo)"
    assert edited("references.hip", "gfx1250", wait, r"\g<0>").hazards == ()
    made = edited("references.hip", "gfx1250", wait, "")
    assert made.verdict == "unsound" and {each.registers for each in made.hazards} == {("exec_lo",)}


@with_clang
def test_what_waits_for_a_scalar_load_is_no_wait_for_the_store_of_an_iteration_before() -> None:
    """LLVM 22 drops the wait where a loop begins with both; `pages` asks whether the code with it is sound."""
    made = edited("ring.hip", "gfx1250", "^", "", count=1)
    assert [each.counter for each in made.hazards] == ["xcnt", "xcnt"]
    assert pages(made) == ("docs/findings/overwritten-source.md",)
