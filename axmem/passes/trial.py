"""Passes on trial: functions go in, and what passes make of them is judged.

What goes in: functions, passes, models, how far to go. What comes out: a `Trial` that grows: one `ChangeEntry` for each
distinct change, with the passes that make it and what is known of it under each model. Modules are taken one after the
other; of each, changes that are new are asked in small contexts at once, the smallest first, and in larger ones when
all modules were seen; or all is asked then, when changes that are alike stand together. Invariant: what was not asked,
or not to the end, is counted, and never called sound.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice

from axmem.check.run.jobs import HERE, Workers
from axmem.check.run.store import AnswerStore
from axmem.front.progress import Show, unseen
from axmem.front.records import dataclass, field
from axmem.passes.asking import Inquiry, answers
from axmem.passes.batches import Batch, OptTarget, Ran
from axmem.passes.changes import FunctionChange
from axmem.passes.fragments import Fragment, function
from axmem.passes.kept import batches_run
from axmem.refinement.inclusion import BOUNDED, HELD, SOUND, UNKNOWN, UNSOUND
from axmem.refinement.timed import REFUSED, Timed

PER_MODULE = 1000
"""How many functions a module has."""
TOGETHER = 8
"""How many changes are asked together for each worker."""
AHEAD = 4
"""How many modules are put together for one round of questions."""
FRAME = 2
"""How many operations of others show what a frame is for: one for each operation of the frame."""


@dataclass(frozen=True, slots=True)
class TrialOptions:
    """What is asked: passes, models by their labels, the largest contexts, seconds for each change and model.

    Contexts of up to `first` operations are asked as soon as a change is seen, larger ones at the end; frames at once
    in contexts of `FRAME` operations, as smaller ones show nothing. If `first` is 0, all are asked at the end, and the
    largest at once: who waits for no answer has them all sooner so. `until` is when to begin nothing more, by the
    clock of the system.
    """

    target: OptTarget
    passes: tuple[str, ...]
    models: tuple[str, ...]
    context: int = 2
    first: int = 1
    seconds: float | None = 30.0
    until: float | None = None

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return self.until is not None and time.time() >= self.until


@dataclass(slots=True)
class ChangeEntry:
    """One distinct change, which passes make it of how many functions, and what is known of it by models.

    `wholes` are the functions in which it was seen, with all that was left as it was, each with a pass that makes it.
    They are asked where the change is not sound alone: what was left out may be what permits it. `sizes` are those of
    the contexts that were asked about.
    """

    change: FunctionChange
    number: int
    framed: tuple[FunctionChange, ...] = ()
    passes: Counter[str] = field(default_factory=Counter)
    wholes: dict[FunctionChange, str] = field(default_factory=dict)
    answers: dict[tuple[str, FunctionChange], Timed] = field(default_factory=dict)
    sizes: dict[tuple[str, FunctionChange], int] = field(default_factory=dict)

    def note(self, model: str, change: FunctionChange, context: int, answer: Timed) -> None:
        """Note what was answered of contexts of a size; the time may have ended before all of them were searched."""
        self.answers[model, change], self.sizes[model, change] = answer, context

    def next(self, model: str, context: int) -> FunctionChange | None:
        """Return what is to be asked next in contexts of a size, if the answers so far leave something open."""
        found = self.known(model)
        if found is not None and found[1].verdict == UNSOUND:
            return None
        return next((each for each in self._asked(model) if self._open(model, each, context)), None)

    def unsound(self, models: Iterable[str]) -> bool:
        """Whether it is unsound under one of some models."""
        return any((found := self.known(each)) is not None and found[1].verdict == UNSOUND for each in models)

    def _open(self, model: str, change: FunctionChange, context: int) -> bool:
        """Whether a change was not asked, or in smaller contexts alone."""
        answer = self.answers.get((model, change))
        return answer is None or (answer.verdict == BOUNDED and self.sizes[model, change] < context)

    def _asked(self, model: str) -> Iterator[FunctionChange]:
        """Yield what there is to ask: the change; where it is sound also framed, elsewhere the functions that have it.

        A frame is a context like any other.
        """
        yield self.change
        alone = self.answers.get((model, self.change))
        if alone is None:
            return
        if alone.verdict not in HELD and self.change not in self.wholes:
            yield from sorted(self.wholes, key=order)
        elif alone.verdict in HELD:
            yield from self.framed

    def known(self, model: str) -> tuple[FunctionChange, Timed] | None:
        """Return what is known under a model, with the change of which it is known; nothing if some is to be asked."""
        asked = [*self._asked(model)]
        alone = self.answers.get((model, self.change))
        if alone is None:
            return None
        counted = asked[1:] if alone.verdict not in HELD and len(asked) > 1 else asked
        found = [(each, answer) for each in counted if (answer := self.answers.get((model, each))) is not None]
        worst = max(found, key=lambda each: WORSE.index(each[1].verdict), default=None)
        if worst is None or (worst[1].verdict != UNSOUND and len(found) < len(counted)):
            return None
        return worst


WORSE = (SOUND, BOUNDED, REFUSED, UNKNOWN, UNSOUND)
"""Verdicts, of which of several the last one counts."""
CHANGED = "changed"
"""What is counted of each pass besides the reasons why functions are not judged."""


_ANNOTATIONS = re.compile(r' syncscope\("[^"]*"\)| (?:unordered|monotonic|acquire|release|acq_rel|seq_cst)\b')


def order(change: FunctionChange) -> tuple[object, ...]:
    """Return by what changes are ordered: smaller ones first, together those that differ in orderings and scopes."""
    texts = change.before, change.after
    return change.size, *(_ANNOTATIONS.sub("", text) for text in texts), *texts


@dataclass(slots=True)
class Trial:
    """What is known so far. `functions` are those that opt was given; `cut`: not all was asked, as time was over.

    An interrupt cuts a trial, too. `told` are the numbers of entries that were yielded.
    """

    asked: TrialOptions
    functions: int = 0
    modules: int = 0
    entries: dict[FunctionChange, ChangeEntry] = field(default_factory=dict)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    failures: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    cut: bool = False
    told: set[int] = field(default_factory=set)

    def run(
        self,
        fragments: Iterable[Fragment],
        workers: Workers = HERE,
        store: AnswerStore | None = None,
        show: Show = unseen,
    ) -> Iterator[ChangeEntry]:
        """Put functions on trial; yield each entry as it turns out unsound. An interrupt leaves what is known."""
        first, largest = min(self.asked.first, self.asked.context), self.asked.context
        coming = self._batches(fragments)
        while group := list(islice(coming, AHEAD)):
            fresh: dict[FunctionChange, ChangeEntry] = {}
            for batch, found in batches_run(group, workers, store):
                show(f"module {batch.number}  {len(self.entries)} distinct changes")
                fresh |= self._noted(batch, found)
            if self.asked.first:
                yield from self._judged([*fresh.values()], first, workers, store, show)
        for context in range(first + 1, largest + 1) if self.asked.first else (largest,):
            yield from self._judged([*self.entries.values()], context, workers, store, show)

    def _batches(self, fragments: Iterable[Fragment]) -> Iterator[Batch]:
        """Yield modules, as long as there is time."""
        coming = iter(fragments)
        for number in count(1):
            group = list(islice(coming, PER_MODULE))
            if not group:
                return
            if self.asked.over:
                self.cut = True
                return
            texts = ((f"f{k}", function(f"f{k}", each, self.asked.target.space)) for k, each in enumerate(group))
            yield Batch(number, tuple(texts), self.asked.passes, self.asked.target)

    def _noted(self, batch: Batch, found: Sequence[Ran]) -> dict[FunctionChange, ChangeEntry]:
        """Add what passes made of a module; return the entries that are new, or were seen in further functions."""
        self.functions += len(batch.functions)
        self.modules += 1
        fresh: dict[FunctionChange, ChangeEntry] = {}
        for ran in found:
            counts = self.counts.setdefault(ran.name, Counter())
            counts.update(ran.counts)
            for reason in ran.failures:
                self.failures.setdefault((ran.name, reason), []).append(batch.number)
            for _, made in ran.changed:
                counts[CHANGED] += 1
                for piece, framed in made.pieces:
                    if piece not in self.entries:
                        self.entries[piece] = ChangeEntry(piece, len(self.entries) + 1, framed)
                    entry = fresh[piece] = self.entries[piece]
                    entry.passes[ran.name] += 1
                    entry.wholes.setdefault(made.whole, ran.name)
        return fresh

    def _judged(
        self, entries: Sequence[ChangeEntry], context: int, workers: Workers, store: AnswerStore | None, show: Show
    ) -> Iterator[ChangeEntry]:
        """Ask about entries in contexts of a size, smaller ones first, until nothing is open; yield unsound ones."""
        ahead = iter(sorted(entries, key=lambda each: order(each.change)))
        while group := list(islice(ahead, TOGETHER * workers.number)):
            yield from self._settled(group, context, workers, store, show)

    def _settled(
        self, entries: Sequence[ChangeEntry], context: int, workers: Workers, store: AnswerStore | None, show: Show
    ) -> Iterator[ChangeEntry]:
        """Ask about a few entries, one question after the other about each."""
        models = self.asked.models
        rest = [(entry, model) for entry in entries for model in models]
        while rest:
            asked = [(e, m, change) for e, m in rest if (change := e.next(m, context)) is not None]
            rest = []
            inquiries = self._inquiries(asked, context, show)
            for (entry, model, change), (_, found) in zip(asked, answers(inquiries, workers, store), strict=False):
                entry.note(model, change, self._size(entry, change, context), found)
                rest.append((entry, model))
                settled = all(entry.next(each, context) is None for each in models)
                if settled and entry.unsound(models) and entry.number not in self.told:
                    self.told.add(entry.number)
                    yield entry

    def _inquiries(
        self, asked: Sequence[tuple[ChangeEntry, str, FunctionChange]], context: int, show: Show
    ) -> Iterator[Inquiry]:
        """Yield questions, as long as there is time."""
        for number, (entry, model, change) in enumerate(asked):
            if self.asked.over:
                self.cut = True
                return
            size = self._size(entry, change, context)
            show(f"change {number} of {len(asked)}  {model}  contexts of {size}")
            yield Inquiry(change, self.asked.target.triple, model, size, self.asked.seconds)

    def _size(self, entry: ChangeEntry, change: FunctionChange, context: int) -> int:
        """Return of contexts of how many operations a change is asked about."""
        return min(max(context, FRAME), self.asked.context) if change in entry.framed else context
