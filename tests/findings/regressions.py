"""`python -m tests.findings.regressions`: write the faults of LLVM as tests in the form of LLVM's own.

What goes in: a page with its command. What comes out: its file with a RUN line and the lines that FileCheck asks for,
which are those that the page expects, and nothing else of the kind. Such a test fails as long as the fault is there.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from axmem.report.filecheck import literal
from tests.findings.pages import FINDINGS, WRONG, Repro, pages, ran, repro

REGRESSIONS = FINDINGS / "regressions"
_CLASSES = {r"\s": "[[:space:]]+", r"\w": "[[:alnum:]_]"}
"""What LLVM's regular expressions have for what grep calls so."""
_LABEL = re.compile(r"\w+:")


@dataclass(frozen=True, slots=True)
class Filter:
    """What a page does with what LLVM prints: the lines or parts of lines that it looks at."""

    pattern: str
    whole: bool
    counted: bool
    """Whether the page says how many there are, not what they are."""
    once: bool
    """Whether repeated lines are left out, so that nothing can be said of what else is there."""

    @property
    def regex(self) -> str:
        """Return the pattern as FileCheck reads it."""
        text = self.pattern
        for ours, theirs in _CLASSES.items():
            text = text.replace(ours, theirs)
        return f"{{{{{text}}}}}"

    def line(self, text: str) -> str:
        """Return a line of what is looked at, as FileCheck reads it."""
        ends = self.whole or any(re.fullmatch(part, text) for part in self.pattern.split("|") if part.endswith(".*"))
        return literal(text.strip()) + "{{$}}" * ends


def taken_apart(command: str) -> tuple[str, Filter]:
    """Return a page's command as a RUN line has it up to FileCheck, and which lines the page looks at.

    What a page does with the lines besides stays in the RUN line.
    """
    parts = [part.strip() for part in re.split(r"\|(?=(?:[^']*'[^']*')*[^']*$)", command)]
    grep = next(k for k, part in enumerate(parts) if re.match(r"grep -(o?E|c) ", part))
    _, options, pattern = shlex.split(parts[grep])
    after = parts[grep + 1 :]
    kept = parts if any(part.startswith("sed ") for part in after) else parts[:grep]
    kept = [*kept, *(part for part in after if part.startswith("grep -v"))]
    run = " | ".join(re.sub(r"^(opt|llc)-22\b", r"\1", part) for part in kept)
    return re.sub(r"docs/findings/\S+", "%s", run), Filter(pattern, "o" not in options, "c" in options, "uniq" in after)


def lines(found: Repro) -> Iterator[str]:
    """Yield the RUN line of a page and its checks, as comments."""
    run, looked = taken_apart(found.command)
    yield f"; RUN: {run} | FileCheck %s" + ("" if looked.once else f" --implicit-check-not='{looked.regex}'")
    yield ";"
    for text in found.right[max(found.right)].splitlines():
        if looked.counted:
            yield f"; CHECK-COUNT-{text}: {looked.pattern}"
        elif _LABEL.fullmatch(text):
            yield f"; CHECK-LABEL: {{{{^}}}}{text}"
        else:
            yield f"; CHECK:       {looked.line(text)}"


def regression(found: Repro) -> str:
    """Return a page as a test of LLVM."""
    (name,) = re.findall(r"< docs/findings/(\S+)", found.command)
    first, _, _ = (FINDINGS / f"{found.page}.md").read_text(encoding="utf-8").partition("\n")
    title = re.sub(r"^# (\[[^]]+\])+ ", "", first)
    head = "\n".join(lines(found))
    return f"{head}\n;\n; {title}.\n\n{(FINDINGS / name).read_text(encoding='utf-8')}"


def faults() -> Iterator[tuple[Repro, Path]]:
    """Yield the faults of LLVM that have a page, with the paths of their tests."""
    for page, text in pages():
        if (found := repro(page, text)) is not None:
            yield found, REGRESSIONS / f"{Path(page).name}.ll"


def failing(found: Repro, test: Path, version: str) -> list[str]:
    """Run a test with a version of LLVM; return what is the matter unless it fails where the version is wrong."""
    (run,) = re.findall(r"^; RUN: (.*)$", test.read_text(encoding="utf-8"), re.MULTILINE)
    command = re.sub(r"(^|\| )(opt|llc)\b", rf"\g<1>\g<2>-{version}", run).replace("FileCheck", "FileCheck-22")
    command = command.replace("%s", str(test))
    done = ran(command)
    if (done.returncode == 1) == (found.versions[version] == WRONG) and done.returncode <= 1:
        return []
    return [f"{test.name}: LLVM {version} is {found.versions[version]}, and FileCheck exits with {done.returncode}\n"
            f"$ {command}\n{done.stderr}"]  # fmt: skip


def main() -> None:
    """Write the tests."""
    REGRESSIONS.mkdir(exist_ok=True)
    for found, test in faults():
        test.write_text(regression(found), encoding="utf-8")


if __name__ == "__main__":
    main()
