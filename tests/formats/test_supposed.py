"""What a fault rests on that a program does not say: its launch, the size of memory, what a call does.

A fault of a launch that is supposed is one, since some launch has it; the answer says so. One by the size of memory
that nothing says, or by what unknown code is taken to do, is not known to be one.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from axmem.cli import main

HEAD = """
declare i32 @llvm.amdgcn.workgroup.id.x()
declare void @strange(ptr addrspace(1))
declare i32 @odd(i32)
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
"""
ADD = """
  %v = load i32, ptr addrspace(1) %p
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %p
  ret void
}
"""
FAR = """
  %i = call i32 @llvm.amdgcn.workgroup.id.x()
  %at = add i32 %i, 2000
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %at
  %v = load i32, ptr addrspace(1) %q
  store i32 %v, ptr addrspace(1) %p
  ret void
}
"""
DIVIDED = """
  %v = load atomic i32, ptr addrspace(1) %p syncscope("agent") monotonic, align 4
  %w = udiv i32 %v, %n
  store atomic i32 %w, ptr addrspace(1) %p syncscope("agent") monotonic, align 4
  ret void
}
"""
GIVEN = "; axmem: launch k<<<2, 1>>>(p, 1)\n"
LISTED = "; axmem: init @p = {1, 2}\n"
KNOWN = "whether that is a fault is not known"
SOME = "a fault of some launch, since nothing says it; it is supposed: k: 2 workgroups × 1 wave × 1 lane; "
UNSIZED = "access outside what is known of 'p', and nothing says how large that is"


def checked(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    path = tmp_path / "m.ll"
    path.write_text(text, encoding="utf-8")
    return main(["check", str(path), *options]), capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "code", "said", "unsaid"),
    [
        pytest.param(f"{GIVEN}{HEAD}{ADD}", 1, ["data race"], [KNOWN, "supposed"], id="everything is said"),
        pytest.param(f"{HEAD}{ADD}", 1, ["data race", SOME], [KNOWN], id="a launch is supposed"),
        pytest.param(f"{GIVEN}{HEAD} call void @strange(ptr addrspace(1) %p){ADD}", 3,
                     ["data race", f"{KNOWN}; it is supposed: call of @strange (line 7) does nothing"], [SOME],
                     id="a call is not known"),
        pytest.param(f"{GIVEN}{HEAD}{FAR}", 3, [UNSIZED, KNOWN], ["supposed"], id="a size is not said"),
        pytest.param(f"{GIVEN}{LISTED}{HEAD}{FAR}", 1, ["access outside every location"], [KNOWN], id="a size is said"),
        pytest.param(f"{HEAD}{DIVIDED}", 1, ["a division by zero", SOME, "%n: 0, 1 or 2"], [KNOWN],
                     id="a number is supposed"),
        pytest.param(f"{GIVEN}{HEAD}{DIVIDED}", 0, ["every sequentially consistent execution ends"], ["supposed"],
                     id="a number is said"),
    ],
)  # fmt: skip
def test_what_a_fault_rests_on_is_said(
    text: str, code: int, said: list[str], unsaid: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, printed = checked(text, tmp_path, capsys)
    assert found == code, printed
    assert all(each in printed for each in said), printed
    assert not any(each in printed for each in unsaid), printed
    assert f"{int(code == 1)} at fault, {int(code == 3)} unknown" in printed


def test_formats_that_list_problems_tell_faults_from_doubts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"{GIVEN}{HEAD} call void @strange(ptr addrspace(1) %p){ADD}"
    for asked, rule in ((text, "unknown"), (f"{GIVEN}{HEAD}{ADD}", "program")):
        _, printed = checked(asked, tmp_path, capsys, "--format", "sarif")
        results = json.loads(printed)["runs"][0]["results"]
        assert {each["ruleId"] for each in results if "data race" in each["message"]["text"]} == {rule}


@pytest.mark.parametrize(
    ("text", "code", "verdict", "doubted"),
    [
        pytest.param(f"{GIVEN}{HEAD}{FAR}", 3, "unknown", True, id="a size is not said"),
        pytest.param(f"{GIVEN}{LISTED}{HEAD}{FAR}", 1, "does not end", False, id="a size is said"),
        pytest.param(f"{HEAD}{DIVIDED}", 1, "does not end", False, id="a number is supposed"),
        pytest.param(f"{HEAD} call void @strange(ptr addrspace(1) %p){DIVIDED}", 3, "unknown", True,
                     id="a call is not known"),
        pytest.param(f"{GIVEN}{HEAD}{DIVIDED}", 0, "ends", False, id="a number is said"),
    ],
)  # fmt: skip
def test_progress_does_not_know_either_what_is_a_fault(
    text: str, code: int, verdict: str, doubted: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.ll"
    path.write_text(text, encoding="utf-8")
    assert main(["kernel", "progress", str(path)]) == code
    printed = capsys.readouterr().out
    assert f" {verdict} under fair" in printed and (KNOWN in printed) == doubted
    assert main(["kernel", "progress", str(path), "--format", "json"]) == code
    assert json.loads(capsys.readouterr().out)["answers"][0]["verdict"] == verdict


WAITING = """
  br label %loop
loop:
  %v = load atomic i32, ptr addrspace(1) %p syncscope("agent") monotonic, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %end
end:
  store atomic i32 1, ptr addrspace(1) %p syncscope("agent") monotonic, align 4
  ret void
}
"""


@pytest.mark.parametrize(("call", "code"), [("", 1), (" call void @strange(ptr addrspace(1) %p)", 3)])
def test_who_waits_for_what_an_unknown_call_may_do_is_not_known_to_hang(
    call: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.ll"
    path.write_text(f"{GIVEN}{HEAD}{call}{WAITING}", encoding="utf-8")
    assert main(["kernel", "progress", str(path), "--memory", "amdgpu"]) == code
    assert (KNOWN in capsys.readouterr().out) == (code == 3)
