"""`python -m tests.opt_tests DIR`: judge what opt changes in LLVM's own tests, and print a page.

DIR is llvm/test/Transforms of LLVM's sources, or a part of it. Answers are kept in build/opt-tests, so that a run that
was interrupted goes on.
"""

from __future__ import annotations

import argparse
import shutil
import sys

from axmem.front.progress import Status
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.keeping import store_of
from axmem.refinement.opt_runs import version
from axmem.refinement.opt_tests import Asked, answers, files
from axmem.report.opt_tests import NAMED, markdown
from axmem.run.workers import workers
from tests.paths import ROOT

HEAD = """\
# LLVM's own tests

What {version} does under the RUN lines of `llvm/test/Transforms`{of} (the tests are those of LLVM {tests}), to
functions that do more with memory than plain loads and stores: every change is judged under `llvm` in contexts of
up to {context} operations, in {seconds:g} s each ([refine.md](docs/refine.md#llvms-own-tests)). `unsound` is said of
LLVM's language, not of what a target makes of it; the plain loads of AtomicExpand are one
[finding](docs/findings/expanded-plain-load.md)."""


def main() -> int:
    """Run and write; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.opt_tests", description=__doc__)
    parser.add_argument("folder", metavar="DIR", help="llvm/test/Transforms")
    parser.add_argument("--tests", default="22", metavar="VERSION", help="of which version of LLVM they are")
    parser.add_argument("--named", action="store_true", help=f"only files whose names have one of {', '.join(NAMED)}")
    parser.add_argument("--without", default="", metavar="PART", help="leave out files whose paths have this part")
    parser.add_argument("--context", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    opt = shutil.which("opt-22")
    if opt is None:
        parser.error("there is no opt-22")
    asked = Asked(opt, (ModelChoice("llvm"),), options.context, options.seconds)
    named = [each for each in files([options.folder]) if not options.without or options.without not in each[1]]
    if options.named:
        named = [each for each in named if any(word in each[1].rpartition("/")[2] for word in NAMED)]
    with Status(sys.stderr) as status, workers(options.jobs) as at_work:
        found = list(answers(named, asked, at_work, store_of(str(ROOT / "build" / "opt-tests")), status.show))
    of = f", in files named {', '.join(f'`*{word}*`' for word in NAMED)}" if options.named else ""
    of += f", without `{options.without}`" if options.without else ""
    head = HEAD.format(
        version=version(opt), of=of, tests=options.tests, context=options.context,
        seconds=options.seconds,
    )  # fmt: skip
    print(markdown(found, head), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
