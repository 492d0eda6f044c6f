"""`python -m tests.long.readers READER…`: damaged texts through readers of other tools' forms, for as long as is said.

What goes in: for each reader our own tests in its form and its malformed ones, or the models of a dialect, damaged by a
few of the changes below. What is held: a text gives a test, which is printed and read back the same, or an `InputError`
whose places lie in the text; anything else, and what takes longer than `PATIENCE`, is shown with the text that did it.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from axmem.formats.reading import parse
from axmem.front.source import InputError
from axmem.litmus.printer import print_test
from axmem.model.library import load
from tests.paths import MALFORMED, ROOT

PATIENCE = 20
"""So many seconds of CPU a text may take."""
FORMATS = ROOT / "tests" / "formats"
DIALECTS = ROOT / "model" / "dialects"
TOKEN = re.compile(r"\s+|\w+|.", re.DOTALL)
STRANGE = ("\0", "\r", "\t", "\u00e9", "\u2028", "\ufeff", '"', "'", "/*", "(*", "*)", "{", "}", "99999999999999999999",
           "-1", "0x", "0", "018", "%", "@", "!", "\n", "[", "]", "(", ")", ",", ";", "|")  # fmt: skip

FORMS = {
    "llvm-ir": (ROOT / "tests" / "ir", MALFORMED / "llvm-ir"),
    "llvm-snippet": (FORMATS / "snippets",),
    "herd-c": (FORMATS / "herd" / "c", FORMATS / "herd" / "opencl"),
    "herd-x86": (FORMATS / "herd" / "x86",),
    "herd-aarch64": (FORMATS / "herd" / "aarch64",),
    "khronos": (FORMATS / "vulkan" / "khronos", MALFORMED / "khronos"),
    "dartagnan-vulkan": (FORMATS / "dartagnan" / "vulkan", MALFORMED / "dartagnan-vulkan"),
    "dartagnan-ptx": (FORMATS / "dartagnan" / "ptx", MALFORMED / "dartagnan-ptx"),
    "dartagnan-opencl": (FORMATS / "dartagnan" / "opencl", MALFORMED / "dartagnan-opencl"),
}
"""The folders of each form's tests, without those of `MALFORMED / "herd"`, whose names begin with the language."""
TRADITIONS = ("herd", "dartagnan")


def main() -> int:
    """Try texts until the time is over; return how many readers failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.long.readers", description=__doc__)
    known = (*FORMS, *(f"cat-{name}" for name in TRADITIONS))
    parser.add_argument("readers", nargs="*", metavar="READER", choices=[*known, []], help=", ".join(known))
    parser.add_argument("--minutes", type=float, default=10, help="for each reader (default 10)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=5, help="give a reader up after so many failures (default 5)")
    options = parser.parse_args()
    signal.signal(signal.SIGVTALRM, _late)
    return sum([tried(r, 60 * options.minutes, options.seed, options.most) > 0 for r in options.readers or known])


def tried(reader: str, seconds: float, seed: int, most: int) -> int:
    """Damage texts of a reader for so many seconds, print what fails and the numbers, and return the failures."""
    texts, read = corpus(reader), reading(reader)
    words = sorted({word for text in texts for word in TOKEN.findall(text)})
    end = time.monotonic() + seconds
    number = accepted = failures = 0
    slowest = 0.0
    while time.monotonic() < end and failures < most:
        random = Random(f"{reader} {seed} {number}")
        number += 1
        text = damaged(random.choice(texts), texts, words, random)
        start = time.process_time()
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
            accepted += read(text)
        except Exception:
            failures += 1
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            print(f"--- {reader}, seed {seed}, text {number - 1}:\n{text[:3000]}\n{traceback.format_exc()[-3000:]}")
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        slowest = max(slowest, time.process_time() - start)
    counts = f"{number} texts, {accepted} of them good, {failures} failures"
    print(f"{reader}: {counts}, {slowest:.2f} s the slowest", flush=True)
    return failures


def corpus(reader: str) -> list[str]:
    """Return the texts that are damaged."""
    if reader.startswith("cat-"):
        tradition = reader.removeprefix("cat-")
        from tests.peers.test_dialects import MODELS

        files = [*DIALECTS.glob(f"{tradition}*.cat"), *(DIALECTS / tradition).glob("*.cat")]
        own = [text for text, _ in MODELS[tradition].values()]
        return own * 4 + [file.read_text("utf-8") for file in sorted(files)]
    files = [file for folder in FORMS[reader] for file in folder.glob("*.*") if file.suffix != ".expected"]
    if reader.startswith("herd-"):
        files += (MALFORMED / "herd").glob(f"{reader.removeprefix('herd-')}-*.litmus")
    return [file.read_text("utf-8") for file in sorted(files)]


def reading(reader: str) -> Callable[[str], bool]:
    """Return the function that holds a reader to a text, and says whether it was good."""
    if not reader.startswith("cat-"):
        return lambda text: is_test(text, reader)
    folder = Path(tempfile.mkdtemp())
    tradition = reader.removeprefix("cat-")
    families = [file.stem.removeprefix(f"{tradition}-") for file in sorted(DIALECTS.glob(f"{tradition}-*.cat"))]
    return lambda text: is_model(text, folder, f"{tradition}/{families[len(text) % len(families)]}")


def is_test(text: str, form: str) -> bool:
    """Read a text in a form, and say whether it is a test, which is printed and read back the same."""
    try:
        test = parse(text, "input", form)
    except InputError as error:
        _placed(error, "input", text)
        return False
    assert parse(print_test(test)) == test, "it is not read back the same"
    return True


def is_model(text: str, folder: Path, dialect: str) -> bool:
    """Read a model in a dialect, and say whether it is one."""
    path = folder / "input.cat"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        load(f"{dialect}:{path}")
    except InputError as error:
        _placed(error, str(path), path.read_text("utf-8"))
        return False
    return True


def _placed(error: InputError, name: str, text: str) -> None:
    """Hold that each place of an error lies in the text."""
    assert error.diagnostics, "an error without a message"
    lines = text.split("\n")
    for d in error.diagnostics:
        assert d.message
        if d.source.name == name and d.span.line:
            assert 1 <= d.span.line <= len(lines), d.span
            assert 1 <= d.span.column <= len(lines[d.span.line - 1]) + 1, d.span


def damaged(text: str, texts: Sequence[str], words: Sequence[str], random: Random) -> str:
    """Return a text after one to four changes."""
    for _ in range(random.choice((1, 1, 2, 3, 4))):
        text = random.choice(CHANGES)(text, texts, words, random)
    return text


Change = Callable[[str, Sequence[str], Sequence[str], Random], str]


def _part(text: str, random: Random, most: int) -> tuple[int, int]:
    start = random.randrange(len(text) + 1)
    return start, min(len(text), start + random.randrange(most + 1))


def _cut(text: str, _texts: Sequence[str], _words: Sequence[str], random: Random) -> str:
    start, end = _part(text, random, random.choice((3, 40, 400)))
    return text[:start] + text[end:]


def _word(text: str, _texts: Sequence[str], words: Sequence[str], random: Random) -> str:
    """Put a word in the place of another."""
    found = list(TOKEN.finditer(text))
    if not found:
        return random.choice(words)
    match = random.choice(found)
    return text[: match.start()] + random.choice((*words, *STRANGE)) + text[match.end() :]


def _inserted(text: str, _texts: Sequence[str], words: Sequence[str], random: Random) -> str:
    place = random.randrange(len(text) + 1)
    return text[:place] + random.choice((*words, *STRANGE)) + text[place:]


def _twice(text: str, _texts: Sequence[str], _words: Sequence[str], random: Random) -> str:
    start, end = _part(text, random, 120)
    place = random.randrange(len(text) + 1)
    return text[:place] + text[start:end] + text[place:]


def _lines(text: str, _texts: Sequence[str], _words: Sequence[str], random: Random) -> str:
    """Exchange two lines, or leave one out, or write one twice."""
    lines = text.split("\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    how = random.randrange(3)
    if how == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif how == 1:
        del lines[one]
    else:
        lines.insert(other, lines[one])
    return "\n".join(lines)


def _spliced(text: str, texts: Sequence[str], _words: Sequence[str], random: Random) -> str:
    """Go on with another text of the form."""
    other = random.choice(texts)
    return text[: random.randrange(len(text) + 1)] + other[random.randrange(len(other) + 1) :]


def _line_of_another(text: str, texts: Sequence[str], _words: Sequence[str], random: Random) -> str:
    lines = text.split("\n")
    lines.insert(random.randrange(len(lines) + 1), random.choice(random.choice(texts).split("\n")))
    return "\n".join(lines)


def _many(text: str, _texts: Sequence[str], words: Sequence[str], random: Random) -> str:
    """Put in a word many times, which nests deeply where it can."""
    if random.random() < 0.8:
        return _word(text, _texts, words, random)
    place = random.randrange(len(text) + 1)
    word = random.choice((*words, *STRANGE, "(", "{", "[", "-", "~", "/\\ x=1 "))
    return text[:place] + word * random.choice((20, 300, 5000)) + text[place:]


CHANGES: tuple[Change, ...] = (
    _cut, _word, _word, _word, _inserted, _inserted, _twice, _lines, _lines, _spliced, _line_of_another, _many,
)  # fmt: skip


def _late(_signal: int, _frame: object) -> None:
    raise TimeoutError(f"more than {PATIENCE} s")


if __name__ == "__main__":
    sys.exit(main())
