"""The proofs that come with the package, and those of others: found by theorem, by rule or by file, and checked.

What goes in: the name of a theorem or of a rule, or the path of a file of lemmas. What comes out: `Task`s, each a claim
with the script that is to prove it, and what became of them.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from pathlib import Path

from axmem.check.selection import parse_choice
from axmem.front.files import content
from axmem.front.records import dataclass, replace
from axmem.front.source import Diagnostic, InputError, Source, did_you_mean, mistake
from axmem.litmus.syntax import ModelChoice
from axmem.model.facts import Premise, without
from axmem.model.primitives import CONSTRUCTS
from axmem.refinement.bounded.bound import Bound
from axmem.refinement.bounded_check import Claim, model_of, rule_claim, source_of
from axmem.refinement.claims import Theorem
from axmem.refinement.proofs.changes import CHANGES, NOTHING
from axmem.refinement.proofs.check import Checker, Proof
from axmem.refinement.proofs.script import Script, Word, parse
from axmem.refinement.proofs.theory import ModelText, theory
from axmem.refinement.rules import BY_NAME
from axmem.refinement.theorems import THEOREMS

ENDING = ".proof"


@dataclass(frozen=True, slots=True)
class Task:
    """A claim and the script that is to prove it; `key` and `statement` are the theorem's.

    A script that is about no theorem says itself what is to be proved of a model: then the task is its `own`.
    """

    key: str
    statement: str
    claim: Claim
    script: Script
    own: bool = False


@cache
def scripts() -> dict[str, Script]:
    """Return the scripts that come with the package, by the names of their files."""
    found = (f for f in resources.files(__package__).iterdir() if f.name.endswith(ENDING))
    return {f.name: parse(Source(f.name, f.read_text(encoding="utf-8"))) for f in sorted(found, key=lambda f: f.name)}


def tasks(name: str, model: ModelChoice | None = None) -> list[Task]:
    """Return what a name means: a theorem, or all whose names begin so; a rule; a file of lemmas.

    `model` is taken instead of the theorem's own. Raises InputError where nothing is meant, or no proof is there.
    """
    if name.endswith(ENDING):
        return _of_script(_read(name), model)
    chosen = [t for t in THEOREMS if t.key == name] or [
        t for t in THEOREMS if t.key.startswith(name) or t.claim.rule == name
    ]
    found = [_with(Task(t.key, t.statement, t.claim, s), model) for t in chosen for s in _for(t)]
    named = (task for script in scripts().values() for task in _of_rules(script, model))
    found += [task for task in named if name in (task.key, task.claim.rule)]
    if found:
        return found
    if chosen:
        raise mistake("axmem prove", f"there is no proof of '{name}'", "axmem prove --list", text=name)
    known = {key for task in all_tasks() for key in (task.key, task.claim.rule) if key}
    hint = did_you_mean(name, known) or "axmem prove --list, or the path of a .proof file"
    raise mistake("axmem prove", f"no theorem or rule '{name}'", hint, text=name)


def listed() -> list[tuple[Theorem, Script]]:
    """Return the theorems of which there are proofs, with these."""
    return [(t, s) for t in THEOREMS for s in _for(t)]


def all_tasks() -> list[Task]:
    """Return the theorems and rules of which there are proofs, as tasks."""
    return [*(Task(t.key, t.statement, t.claim, s) for t, s in listed()), *rule_tasks()]


def rule_tasks() -> list[Task]:
    """Return the proofs of rules that are about no theorem, each under the models that it names."""
    return [task for script in scripts().values() for task in _of_rules(script, None)]


def _of_rules(script: Script, model: ModelChoice | None) -> list[Task]:
    found: list[Task] = []
    for word in script.about("rule"):
        rule = BY_NAME.get(word.text)
        if rule is None:
            hint = did_you_mean(word.text, BY_NAME)
            raise InputError([Diagnostic(script.source, word.span, f"no rule '{word.text}'", hint)])
        for choice in dict.fromkeys(model or parse_choice(each.text) for each in script.about("model")):
            found.append(Task(f"{rule.name} {choice.label}", rule.text, rule_claim(rule, choice), script))
    return found


def _for(theorem: Theorem) -> list[Script]:
    return [s for s in scripts().values() if any(fnmatchcase(theorem.key, w.text) for w in s.about("theorem"))]


def _of_script(script: Script, model: ModelChoice | None) -> list[Task]:
    found: list[Task] = []
    for word in script.about("theorem"):
        meant = [t for t in THEOREMS if fnmatchcase(t.key, word.text)]
        if not meant:
            hint = did_you_mean(word.text, [t.key for t in THEOREMS])
            raise InputError([Diagnostic(script.source, word.span, f"no theorem '{word.text}'", hint)])
        found += [_with(Task(t.key, t.statement, t.claim, script), model) for t in meant]
    found += _of_rules(script, model)
    for word in script.about("model") if not script.about("rule") else ():
        choice = model or parse_choice(word.text)
        found.append(Task(script.source.name, "", Claim(Bound(), choice, choice), script, own=True))
    if not found:
        raise mistake(script.source.name, "this file names no `theorem`, no `rule` and no `model`")
    return found


def _with(task: Task, model: ModelChoice | None) -> Task:
    return task if model is None else replace(task, claim=replace(task.claim, before=model, after=model))


def _read(path: str) -> Script:
    try:
        return parse(Source(path, content(path).decode("utf-8-sig")))
    except OSError as error:
        raise mistake("axmem prove", f"cannot read '{path}': {error.strerror or error}", text=path) from None
    except (UnicodeDecodeError, ValueError):
        raise mistake("axmem prove", f"'{path}' is not UTF-8 text", text=path) from None


def prove(task: Task) -> Proof:
    """Check a task. Raises InputError for what is wrong in a script or a model, and for a claim of another kind."""
    claim = task.claim
    primed = None if task.own or claim.deny else CHANGES.get(claim.rule) if claim.rule else NOTHING
    if claim.rule and primed is None:
        raise mistake("axmem prove", f"what '{claim.rule}' says of the primitives is not known", text=claim.rule)
    after, before = (
        ModelText(source_of(claim, side), dict(choice.variants))
        for side, choice in (("after", claim.after), ("before", claim.before))
    )
    found = theory(after, before if primed is not None else None, primed or NOTHING)
    model = model_of(claim, "before") if primed is not None else None

    def permitted(premise: Premise) -> bool:
        return task.own or _permitted(premise, claim)

    return Checker(found, _included, permitted, model).run(task.script)


def _permitted(premise: Premise, claim: Claim) -> bool:
    """Tell whether all programs that a claim is about meet a premise."""
    space = claim.space
    return {
        "one-thread": claim.threads == 1,
        "untagged": not (space.any_tags or space.tags or space.synchronize_as),
        "no-volatile": not space.volatile,
        "whole-accesses": True,
        **{without(construct): construct in space.without for construct in CONSTRUCTS},
    }[premise.name]


def _included(word: Word, source: Source) -> Script:
    if word.text in scripts():
        return scripts()[word.text]
    path = Path(source.name).parent / word.text
    if not path.is_file():
        raise InputError([Diagnostic(source, word.span, f'cannot find the included file "{word.text}"')])
    return _read(str(path))
