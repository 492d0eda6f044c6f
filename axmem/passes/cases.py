"""What of a change can be pasted into a report to LLVM: a file, the command, and how to ask again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from axmem.passes.batches import OptTarget
from axmem.passes.changes import FunctionChange


def command(target: OptTarget, name: str, path: str) -> str:
    """Return the command that shows a change of a file."""
    words = [target.opt.rpartition("/")[2], "-S", *target.options, f"-passes={name}", path]
    return " ".join(map(shlex.quote, words))


def case(change: FunctionChange, target: OptTarget, name: str, words: Sequence[str], path: str) -> str:
    """Return a module with the function before the change; comments have the command, what is said, and the after."""
    head = [f"; {command(target, name, path)}", *(f"; {line}" for line in words)]
    head += ["; It makes of the function below:"]
    head += [f";   {line}".rstrip() for line in change.after.rstrip("\n").split("\n")]
    return "\n".join((*head, "", target.head + change.before.rstrip("\n"))) + "\n"
