"""Explanations as JSON.

What goes in: explanations. What comes out: one document; events are named as in the text, relations are lists of pairs
of names. Keys and their order are fixed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from axmem.encoder.constraints import Rule
from axmem.encoder.values import UNDEF
from axmem.encoder.witness import Execution
from axmem.explain.derivation import Chain
from axmem.explain.drawing import RELATIONS, pairs
from axmem.explain.explanation import Explanation
from axmem.explain.words import Names
from axmem.model.relation import bits


def as_json(explanations: Iterable[Explanation]) -> str:
    """Return the explanations as a JSON document."""
    document = {"explanations": [_one(e) for e in explanations]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _one(explanation: Explanation) -> dict[str, Any]:
    execution = explanation.execution
    names = Names(execution.graph) if execution is not None else None
    return {
        "test": explanation.test.name,
        "model": explanation.model.name,
        "variants": dict(explanation.model.chosen),
        "answer": "unknown" if explanation.unknown else "permitted" if explanation.permitted else "forbidden",
        "unknown": explanation.unknown,
        "rules": [_rule(r) for r in explanation.rules],
        "execution": None if execution is None or names is None else _execution(execution, names),
        "breaks": [
            {
                **_rule(b.rule),
                "kind": b.kind,
                "chains": [_chain(c, names) for c in b.chains],
                "events": [names.of[e] for e in b.events],
            }
            for b in explanation.breaks
            if names is not None
        ],
        "undef": [
            {
                "event": names.of[u.event],
                "rules": [_rule(r) for r in u.rules],
                "sees": [names.of[w] for w in u.competing],
            }
            for u in explanation.undef
            if names is not None
        ],
    }


def _rule(rule: Rule) -> dict[str, str]:
    return {"name": rule.name, "key": rule.doc.key, "section": rule.doc.section, "text": rule.doc.text}


def _chain(chain: Chain, names: Names) -> list[list[str]]:
    return [[names.of[s.first], s.name, names.of[s.second]] for s in chain]


def _execution(execution: Execution, names: Names) -> dict[str, Any]:
    graph = execution.graph
    events = []
    for e in bits(execution.executed):
        event, value = graph.events[e], execution.values.get(e)
        events.append(
            {
                "name": names.of[e],
                "thread": graph.threads[event.thread] if event.thread >= 0 else None,
                "text": names.text(event, execution),
                "place": names.place(event) or None,
                "value": "undef" if value is UNDEF else value,
                "line": event.span.line or None,
            }
        )
    shown = {n: [[names.of[a], names.of[b]] for a, b in pairs(execution, n)] for n in RELATIONS}
    return {"events": events, "relations": {n: found for n, found in shown.items() if found}}
