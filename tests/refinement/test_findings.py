"""The findings in passes over the IR: what the pages show of opt, and that what opt does is found unsound."""

from __future__ import annotations

import shutil

import pytest

from axmem.front.source import Source
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.functions import judged_pair
from axmem.refinement.judging import Question
from axmem.refinement.opt_runs import runs
from tests.findings.__main__ import differing
from tests.findings.pages import FINDINGS, Shown, pages, shown

OPT = shutil.which("opt-22")
PAGES = ("dropped-fence", "expanded-plain-load", "merged-unordered", "tags-of-one-store", "vectorized-over-acquire")
COMMANDS = [each for name, text in pages() if name in PAGES for each in shown(name, text) if "llc" not in each.command]
pytestmark = pytest.mark.skipif(OPT is None, reason="there is no opt-22")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each.page)
def test_a_page_shows_what_opt_prints(command: Shown) -> None:
    assert not differing(command)


@pytest.mark.parametrize(("file", "function", "options", "context"), [
    ("dropped-fence", "producer", "-passes=instcombine", 2),
    ("expanded-plain-load", "count", "-passes=atomic-expand -mtriple=amdgcn-amd-amdhsa", 1),
    ("merged-unordered", "set", "-passes=simplifycfg", 1),
    ("vectorized-over-acquire", "consumer", "-passes=load-store-vectorizer -mtriple=amdgcn-amd-amdhsa", 2),
    ("tags-of-one-store", "plain", "-passes=newgvn", 2), ("tags-of-one-store", "plain", "-passes=early-cse", 2),
    ("tags-of-one-store", "unordered", "-passes=dse", 2),
])  # fmt: skip
def test_what_a_pass_did_is_unsound(file: str, function: str, options: str, context: int) -> None:
    text = (FINDINGS / f"{file}.ll").read_text()
    ((_, found),) = runs(Source(f"{file}.ll", f"; RUN: opt {options} -S %s\n{text}"), str(OPT))
    assert not isinstance(found, str)
    (pair,) = (each.pair for each in found if each.name == function)
    assert pair is not None
    judgement = judged_pair(pair, ModelChoice("llvm"), Question(context)).judgement
    assert (judgement.verdict, judgement.context) == ("unsound", context)
