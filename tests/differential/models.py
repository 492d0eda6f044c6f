"""Random models, as cat text.

What goes in: a seed. What comes out: the text of a model with a few axioms, a flag, maybe a recursive definition and an
undef rule. Every operator and function of the language occurs; recursion is monotone, and what may not depend on rf or
co (the stations of `through`) or on co alone (undef rules) does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

FIXED = ("po", "loc", "po-loc", "ext", "int", "rmw", "addr", "data", "ctrl", "guard", "id", "perf", "sa", "si", "bar")
PLACED = ("same-workgroup", "same-agent", "tag-compat", "tag-compat-sd", "tag-compat-dd", "as-compat", "covers")
SETS = ("R", "W", "M", "F", "IW", "RMW", "NA", "RLX", "ACQ", "REL", "ACQ_REL", "SC", "system", "LDS", "Tagged", "_")

COMMUNICATION = ("rf", "rf", "co", "fr", "(rf ; po)", "(po ; fr)")
"""What executions of one test differ in."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """What an expression may mention: rf, co, final reads, and the variables of the recursion it stands in."""

    rf: bool = True
    co: bool = True
    finals: bool = False
    variables: tuple[str, ...] = ()

    @property
    def constant(self) -> Grammar:
        """The same without the variables, for where an expression must not depend on them."""
        return replace(self, variables=())


def model_text(seed: int) -> str:
    """Return the text of the model with this seed."""
    rng = Random(seed)
    grammar = Grammar(finals=rng.random() < 0.25)
    lines = [f'"random {seed}"']
    names = []
    if rng.random() < 0.6:
        lines.append(_recursion(rng, grammar))
        names = ["a", "b"]
    for i in range(rng.randrange(1, 3)):
        body = f"({rng.choice(names)} & {_relation(rng, 2, grammar)})" if names else _relation(rng, 3, grammar)
        lines.append(f"{_rule(rng, body)} as rule{i}")
    if rng.random() < 0.7:
        lines.append("acyclic rf | data as no-thin-air")
    lines.append(f"flag {_test(rng)} {_relation(rng, 2, grammar)} as noticed")
    lines.append(f"flag ~empty {_set(rng, 2, grammar)} as seen")
    if rng.random() < 0.4:
        reads = "(R | Fin)" if grammar.finals else "R"
        lines.append(f"undef {_set(rng, 2, replace(grammar, co=False))} & {reads} as lost")
    return "\n".join(lines) + "\n"


def _rule(rng: Random, body: str) -> str:
    """Return a statement about a body and about what distinguishes executions."""
    one, other = rng.choice(COMMUNICATION), rng.choice(COMMUNICATION)
    return rng.choice(
        (
            f"empty {body} & {one}",
            f"empty {body} & ({one} ; {other})",
            f"irreflexive ({body} & (po | {one})) ; {other}",
            f"acyclic ({body} & (po | {one})) | {other}",
            f"acyclic ({body} & (po | {one})) | ({other} & ext)",
            f"~empty {body} & ({one} | {other})",
            f"{_test(rng)} {body}",
        )
    )


def _test(rng: Random) -> str:
    return rng.choice(("acyclic",) * 4 + ("irreflexive",) * 3 + ("empty", "~empty", "~acyclic", "~irreflexive"))


def _recursion(rng: Random, grammar: Grammar) -> str:
    inner = replace(grammar, variables=("a", "b"))
    bodies = [f"{_relation(rng, 1, grammar)} | {_relation(rng, 2, inner)}" for _ in range(2)]
    return f"let rec a = {bodies[0]}\nand b = {bodies[1]}"


def _leaf(rng: Random, grammar: Grammar) -> str:
    chosen = [rng.choice(FIXED), rng.choice(FIXED), rng.choice(PLACED)]
    if grammar.rf:
        chosen += ["rf", "rf"]
    if grammar.co:
        chosen += ["co", "fr"]
    return rng.choice([*chosen, *grammar.variables, *grammar.variables])


def _relation(rng: Random, depth: int, grammar: Grammar) -> str:
    if depth == 0:
        return _leaf(rng, grammar)

    def sub(g: Grammar = grammar) -> str:
        return _relation(rng, depth - 1, g)

    match rng.randrange(13):
        case 0 | 1:
            return f"({sub()} | {sub()})"
        case 2 | 3:
            return f"({sub()} & {sub()})"
        case 4:
            return f"({sub()} \\ {sub(grammar.constant)})"
        case 5 | 6:
            return f"({sub()} ; {sub()})"
        case 7:
            return f"({sub()}^-1)"
        case 8:
            return f"({sub()}{rng.choice('+?*')})"
        case 9:
            return f"[{_set(rng, depth - 1, grammar)}]"
        case 10:
            return f"({_set(rng, depth - 1, grammar)} * {_set(rng, depth - 1, grammar)})"
        case 11:
            fixed = Grammar(rf=False, co=False, finals=grammar.finals)
            stations, both = f"({rng.choice(SETS)} | {rng.choice(SETS)})", _relation(rng, 0, fixed)
            return f"through({sub(grammar.constant)}, {sub(grammar.constant)}, {stations}, {both})"
    return _leaf(rng, grammar)


def _set(rng: Random, depth: int, grammar: Grammar) -> str:
    if depth == 0:
        return "Fin" if grammar.finals and rng.random() < 0.2 else rng.choice(SETS)
    match rng.randrange(6):
        case 0:
            return f"({_set(rng, depth - 1, grammar)} | {_set(rng, depth - 1, grammar)})"
        case 1:
            return f"({_set(rng, depth - 1, grammar)} & {_set(rng, depth - 1, grammar)})"
        case 2:
            return f"({_set(rng, depth - 1, grammar)} \\ {_set(rng, depth - 1, grammar.constant)})"
        case 3:
            return f"domain({_relation(rng, depth - 1, grammar)})"
        case 4:
            return f"range({_relation(rng, depth - 1, grammar)})"
    return rng.choice(SETS)
