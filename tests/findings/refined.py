"""What opt does to the functions of the findings in passes over the IR: `axmem refine` has to call it unsound."""

from __future__ import annotations

from dataclasses import dataclass

from axmem.front.source import Source
from axmem.litmus.syntax import ModelChoice
from axmem.refinement.functions import judged_pair
from axmem.refinement.judging import Question
from axmem.refinement.opt_runs import runs
from tests.findings.pages import FINDINGS

OPT = "opt-22"


@dataclass(frozen=True, slots=True)
class Refined:
    """A function of a file, what opt is called with, and the operations of the smallest context that refutes it."""

    file: str
    function: str
    options: str
    context: int


TRIPLE = "-mtriple=amdgcn-amd-amdhsa"
REFINED = (
    Refined("dropped-fence", "local_after_all", "-passes=instcombine", 2),
    Refined("expanded-plain-load", "count", f"-passes=atomic-expand {TRIPLE}", 1),
    Refined("fixed/failure-ordering", "twice", "-passes=gvn", 2),
    Refined("fixed/merged-unordered", "set", "-passes=simplifycfg", 1),
    Refined("fixed/vectorized-over-acquire", "consumer", f"-passes=load-store-vectorizer {TRIPLE}", 2),
    Refined("merged-functions", "b", "-passes=mergefunc", 2),
    Refined("narrow-load", "narrow", "-passes=early-cse", 1),
    Refined("narrow-load", "narrow", "-passes=gvn", 1),
    Refined("stored-back", "back", "-passes=early-cse", 1),
    Refined("stored-back", "back", "-passes=instcombine", 1),
    Refined("tags-of-one-store", "plain", "-passes=newgvn", 2),
    Refined("tags-of-one-store", "plain", "-passes=early-cse", 2),
    Refined("tags-of-one-store", "unordered", "-passes=dse", 2),
)


def not_refined(one: Refined) -> list[str]:
    """Return the verdict on what opt did, if it is not unsound in a context of that size."""
    text = (FINDINGS / f"{one.file}.ll").read_text(encoding="utf-8")
    ((_, found),) = runs(Source(f"{one.file}.ll", f"; RUN: opt {one.options} -S %s\n{text}"), OPT)
    where = f"{one.file}: {one.function} after {one.options}"
    if isinstance(found, str):
        return [f"{where}: {found}"]
    pair = next((each.pair for each in found if each.name == one.function), None)
    if pair is None:
        return [f"{where}: it is not there, or not read"]
    judgement = judged_pair(pair, ModelChoice("llvm"), Question(one.context)).judgement
    said = (judgement.verdict, judgement.context)
    return [] if said == ("unsound", one.context) else [f"{where}: {said}, not unsound in {one.context}"]
