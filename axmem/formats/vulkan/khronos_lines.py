"""The lines of a test in Khronos' form: groups, instructions, questions.

What goes in: a text. What comes out: `Lines`, with what stands on each line and where, and what is wrong with it by
itself; what it is together, `axmem.formats.vulkan.khronos` says.
"""

from __future__ import annotations

import re

from axmem.formats.vulkan import operations
from axmem.formats.vulkan.operations import InstructionWords
from axmem.front.records import dataclass, field
from axmem.front.source import NOWHERE, Diagnostic, Source, Span, did_you_mean
from axmem.litmus import vulkan
from axmem.litmus.syntax import Expectation, ModelChoice

MODEL = "vulkan"
_INSTRUCTION = re.compile(r"(?P<words>[\w.]+)(?:[ \t]+(?P<rest>.*))?")
_OPERAND = re.compile(r"(?P<name>[A-Za-z_]\w*)(?:[ \t]*=[ \t]*(?P<first>\d+)(?:[ \t]+(?P<second>\d+))?)?")
_GROUPS = {"NEWDEV": 0, "NEWQF": 1, "NEWWG": 2, "NEWSG": 3, "NEWTHREAD": 4}
_SPELLED = {f"scope{word}": word for word in operations.SCOPES}
_WORDS = (
    *("st", "ld", "rmw", "atom", "membar", "cbar", "acq", "rel", "av", "vis", "nonpriv"), *vulkan.WORDS, *_SPELLED,
)  # fmt: skip
_ATOMS = {"consistent[X]": ("consistency", "required"), "#dr=0": ("races", "none"), "#dr>0": ("races", "some")}
"""What a question is made of, and the variant that each part chooses."""


@dataclass(frozen=True, slots=True)
class KhronosLine:
    """One line of a thread: its words and, of what it names and says, the values: `first` is read by what reads."""

    words: InstructionWords
    thread: int
    name: str = ""
    name_span: Span = NOWHERE
    first: int | None = None
    second: int | None = None

    @property
    def reads(self) -> bool:
        """Whether it reads."""
        return self.words.kind in ("ld", "rmw")

    @property
    def writes(self) -> bool:
        """Whether it writes."""
        return self.words.kind in ("st", "rmw")

    @property
    def written(self) -> int | None:
        """The value that it writes, if it is given."""
        return self.second if self.words.kind == "rmw" else self.first


@dataclass(slots=True)
class Lines:
    """The lines of a test as they are read."""

    source: Source
    diagnostics: list[Diagnostic] = field(default_factory=list)
    instructions: list[KhronosLine] = field(default_factory=list)
    places: dict[int, tuple[tuple[int, ...], Span]] = field(default_factory=dict)
    synchronized: list[tuple[int, int, Span]] = field(default_factory=list)
    same: list[tuple[str, str, Span]] = field(default_factory=list)
    questions: list[Expectation] = field(default_factory=list)
    path: list[int] = field(default_factory=lambda: [0, 0, 0, 0, 0])
    open: int = 4
    thread: int = 0

    def error(self, span: Span, message: str, hint: str = "") -> None:
        """Record what is wrong at a place."""
        self.diagnostics.append(Diagnostic(self.source, span, message, hint))

    def read(self) -> None:
        """Read every line."""
        for number, line in enumerate(self.source.text.split("\n"), 1):
            text = line.strip()
            if not text or text.startswith("//"):
                continue
            span = Span(number, line.index(text[0]) + 1, len(text))
            word = re.split(r"[ \t]", text, maxsplit=1)[0]
            if word in _GROUPS:
                self.group(word, text, span)
            elif word in ("SATISFIABLE", "NOSOLUTION"):
                self.question(word, text, span)
            elif word == "SSW":
                self.system(text, span)
            elif word == "SLOC":
                self.location(text, span)
            elif word.isupper():
                known = (*_GROUPS, "SSW", "SLOC", "SATISFIABLE", "NOSOLUTION")
                self.error(
                    Span(number, span.column, len(word)), f"unknown directive '{word}'", did_you_mean(word, known)
                )
            else:
                self.instruction(text, span)

    def group(self, word: str, text: str, span: Span) -> None:
        """Begin a group; a number after NEWTHREAD is the thread's."""
        depth, rest = _GROUPS[word], text[len(word) :].strip()
        if rest and (word != "NEWTHREAD" or not re.fullmatch("[0-9]+", rest)):
            self.error(span, f"nothing stands after {word}" if word != "NEWTHREAD" else "a thread has a number")
            return
        if depth > self.open + 1:
            missing = next(name for name, number in _GROUPS.items() if number == self.open + 1)
            self.error(span, f"{word} where a new group has no {missing} yet", f"{missing} stands before {word}")
        if self.instructions or self.places:
            self.path[depth] += 1
            self.path[depth + 1 :] = [0] * (4 - depth)
        self.open = depth
        if depth == 4:
            self.thread = int(rest) if rest else self.thread + 1 if self.places else 0
            if self.thread in self.places:
                self.error(span, f"thread {self.thread} is there already")
            self.places.setdefault(self.thread, (tuple(self.path), span))

    def system(self, text: str, span: Span) -> None:
        """Read which threads the system synchronizes."""
        match = re.fullmatch(r"SSW[ \t]+(\d+)[ \t]+(\d+)", text)
        if match is None:
            self.error(span, "SSW names two threads", "SSW 0 1")
        else:
            self.synchronized.append((int(match[1]), int(match[2]), span))

    def location(self, text: str, span: Span) -> None:
        """Read which references have one location."""
        match = re.fullmatch(r"SLOC[ \t]+([A-Za-z_]\w*)[ \t]+([A-Za-z_]\w*)", text)
        if match is None:
            self.error(span, "SLOC names two references of one location", "SLOC x y")
        else:
            self.same.append((match[1], match[2], span))

    def question(self, word: str, text: str, span: Span) -> None:
        """Read what SATISFIABLE and NOSOLUTION ask: a conjunction of what the model's variants choose."""
        variants = {"consistency": "ignored"}
        asked, offset = text[len(word) :], len(word)
        if match := re.match(r"[ \t]+NOCHAINS\b", asked):
            variants["chains"] = "off"
            asked, offset = asked[match.end() :], offset + match.end()
        for part in asked.split("&&"):
            atom = re.sub(r"\s", "", part)
            lead = len(part) - len(part.lstrip())
            place = Span(span.line, span.column + offset + lead, max(1, len(part.strip())))
            offset += len(part) + 2
            if atom not in _ATOMS:
                self.error(place, "this part of a question is not read", f"known: {', '.join(_ATOMS)}, joined by &&")
                continue
            name, value = _ATOMS[atom]
            if name in variants and variants[name] not in (value, "ignored"):
                self.error(place, "executions without and with races are two questions")
            variants[name] = value
        if variants["consistency"] == "required":
            del variants["consistency"]
        verdict = "possible" if word == "SATISFIABLE" else "never"
        choice = ModelChoice(MODEL, tuple(sorted(variants.items())), span)
        self.questions.append(Expectation((choice,), verdict, span=span))

    def instruction(self, text: str, span: Span) -> None:
        """Read one instruction."""
        if self.open < 4:
            missing = next(name for name, number in _GROUPS.items() if number == self.open + 1)
            self.error(span, f"an instruction where a new group has no {missing} yet", f"{missing} stands before it")
            return
        self.places.setdefault(self.thread, (tuple(self.path), span))
        match = _INSTRUCTION.fullmatch(text)
        if match is None:
            self.error(span, "this is no instruction", "for example: st.atom.rel.scopedev.sc0.semsc0 x = 1")
            return
        words = self.words(match["words"], span)
        if words is None:
            return
        rest = (match["rest"] or "").strip()
        place = Span(span.line, span.column + (match.start("rest") if rest else len(text)), max(1, len(rest)))
        if words.kind == "cbar":
            if not re.fullmatch("[0-9]+", rest):
                self.error(
                    place if rest else span, "a control barrier has the number of its instance", "cbar.scopewg 0"
                )
                return
            self.instructions.append(KhronosLine(words, self.thread, rest, place))
        elif not words.accesses:
            if rest:
                self.error(place, f"nothing stands after {words.kind}")
            self.instructions.append(KhronosLine(words, self.thread))
        else:
            self.access(words, rest, place)

    def access(self, words: InstructionWords, rest: str, place: Span) -> None:
        """Read the variable of an access, and its values."""
        match = _OPERAND.fullmatch(rest)
        if match is None:
            hint = "x = 2 3: what is read and what is written" if words.kind == "rmw" else "x, or x = 1"
            self.error(place, "an access names a variable and may give a value", hint)
            return
        if match["second"] is not None and words.kind != "rmw":
            self.error(place, "only a read-modify-write has two values", "rmw x = 2 3")
            return
        first, second = (None if value is None else int(value) for value in (match["first"], match["second"]))
        self.instructions.append(KhronosLine(words, self.thread, match["name"], place, first, second))

    def words(self, text: str, span: Span) -> InstructionWords | None:
        """Read the words of an instruction, and say what is wrong with them."""
        found: dict[str, Span] = {}
        column, wrong = span.column, False
        for word in text.split("."):
            place = Span(span.line, column, max(1, len(word)))
            column += len(word) + 1
            if word not in _WORDS:
                self.error(place, *operations.unknown(word, _WORDS))
                wrong = True
            found.setdefault(_SPELLED.get(word, word), place)
        both = {"ld", "st"} <= found.keys()
        kinds = ["rmw"] if both else [kind for kind in operations.KINDS if kind in found]
        whole = Span(span.line, span.column, len(text))
        if wrong:
            return None
        if len(kinds) != 1:
            self.error(whole, "an instruction is one of st, ld, rmw, membar, cbar, avdevice and visdevice")
            return None
        if both and "atom" not in found:
            self.error(whole, "what loads and stores is atomic", "add atom, or write rmw")
        words = InstructionWords(kinds[0], found, whole)
        for fault in operations.faults(words):
            self.error(*fault)
        return words
