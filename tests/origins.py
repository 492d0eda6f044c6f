"""`python -m tests.origins MAKER… -- COMMAND…`: run what makes files of results/, and note what they were made from.

`results/origins.txt` has a line for each file that takes too long to be made again by a test: a digest of the file, and
of each thing that it was made from. A test compares them with what stands in the checkout today, so that a file that is
not current is found without an hour's run; `theorems.csv` and `theorems/` are compared with `theorems.json`. What a
thing's digest is of:

- a model: the words of its text and of what it includes, without comments, and its variants;
- `corpus`, `tests`, `suite`: the texts of the tests, those of the whole corpus with the flags that they raise;
- `changes`: which mutations there are;
- `pairs`: the changes with known answers;
- `statements`: the theorems with their claims, in words;
- `lowering`: what `axmem lower` prints for the tests on the target;
- `machine`: a version and the table of its families; `engine`, `search`: versions.

The source of the engines, of the machine and of the search over programs is no part of it, or every refactoring would
ask for a run of hours: who changes what they answer raises `VERSIONS`. Without a command the lines are written for the
files as they are: for files of which one knows otherwise that they would be made so again.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache

from axmem.codegen.program import lower
from axmem.codegen.targets import NEWEST_LLVM, target
from axmem.formats.reading import parse_file
from axmem.front.exits import Terminated, interrupt_code
from axmem.front.source import InputError
from axmem.litmus.printer import print_test
from axmem.litmus.syntax import LitmusTest
from axmem.mapping.suite import classical, suite
from axmem.model.lexer import Lexer
from axmem.model.library import files, load, names, reading, text
from axmem.model.parser import parse
from axmem.model.syntax import Readings
from axmem.passes import enumeration
from axmem.passes.fragments import function
from axmem.passes.passes import ALL as ALL_PASSES
from axmem.refinement.bodies import BODIES, DEEDS, LLVM, kernel_text
from axmem.refinement.claims import Theorem
from axmem.refinement.contexts import space_text
from axmem.refinement.optimizations import OPTIMIZATIONS
from axmem.refinement.rules import BY_NAME, CORE, FULL
from axmem.refinement.theorems import THEOREMS
from axmem.refinement.transforms import MODELS, questions
from axmem.report.listing import listing
from axmem.report.theorems import models_of
from axmem.run.fingerprint import digest_of
from axmem.run.interrupts import interruptible
from tests.mutants.laboratory import FILES, TABLES, mutations_of
from tests.opt_tests.__main__ import MODELS as OPT_MODELS
from tests.passes.__main__ import MODELS as PASSES_MODELS
from tests.paths import CORPUS, CORPUS_TESTS, RESULTS, ROOT
from tests.refinement.known.library import MODELS as KNOWN_MODELS
from tests.refinement.known.library import library
from tests.refinement.known.tabled import right, wrong

FILE = RESULTS / "origins.txt"
VERSIONS = {"engine": "2", "machine": "2", "search": "2"}
"""To be raised with what the engine, the machine or the search over all programs answers."""
TARGETS = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250")

PEERS_MODELS = ("aarch64", "opencl", "ptx", "rc11", "tso", "vulkan")
"""Our models by which the peers' tests are judged."""
READERS = ("axmem/formats/herd", "axmem/formats/dartagnan", "axmem/formats/vulkan")
"""What reads them."""

CLASSICAL, WHOLE = "classical", "whole"
"""The tests of the suite that a file is of: the classical shapes, or all."""

Origin = Mapping[str, str]
"""The digests of what a file was made from, by the names of the things."""


def main(arguments: Sequence[str]) -> int:
    """Run the command, if there is one, and write the lines of its files; return its exit code.

    The digests are taken before the command runs: whoever changes the sources meanwhile is told by the test.
    """
    makers, command = list(arguments), []
    if "--" in makers:
        command = makers[makers.index("--") + 1 :]
        makers = makers[: makers.index("--")]
    unknown = [maker for maker in makers if maker not in MAKERS]
    if unknown or not makers:
        print(f"usage: python -m tests.origins {{{','.join(MAKERS)}}}… [-- COMMAND…]", file=sys.stderr)
        return 2
    made_from = {maker: dict(MAKERS[maker]()) for maker in makers}
    if command:
        code = _run(command)
        if code:
            return code
    lines = committed()
    for maker in makers:
        for path in [path for path in lines if maker_of(path) == maker]:
            del lines[path]
        lines.update({path: {"file": file_digest(path), **origin} for path, origin in made_from[maker].items()})
    FILE.write_text("".join(map(_line, sorted(lines.items()))), encoding="utf-8")
    return 0


def _run(command: Sequence[str]) -> int:
    """Run a command, which hears of an interrupt and ends first; return its exit code."""
    with subprocess.Popen(command, cwd=ROOT) as child:
        try:
            with interruptible():
                return child.wait()
        except KeyboardInterrupt as interrupt:
            if isinstance(interrupt, Terminated):
                child.terminate()
            child.wait()
            return interrupt_code(interrupt)


def committed() -> dict[str, dict[str, str]]:
    """Return what the committed lines say: for each file its own digest and those of what it was made from."""
    found = {}
    for line in FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else ():
        path, *parts = line.split()
        found[path] = dict(part.split("=", 1) for part in parts)
    return found


def maker_of(path: str) -> str:
    """Return who makes a file, by its path in results/."""
    name = path.replace("/", ".").split(".")[0]
    return "mutants" if name == "replacements" else name


def file_digest(path: str) -> str:
    """Return the digest of a file of results/."""
    return short((RESULTS / path).read_text(encoding="utf-8"))


def short(said: object) -> str:
    """Return the start of the digest of a text, or of plain data."""
    return digest_of(said if isinstance(said, str) else repr(said))[:12]


def _line(item: tuple[str, Origin]) -> str:
    path, origin = item
    return " ".join([path, *(f"{name}={digest}" for name, digest in origin.items())]) + "\n"


# ---------------------------------------------------------------- what files are made from


def mutants_origins(without: frozenset[str] = frozenset()) -> Iterator[tuple[str, Origin]]:
    """Yield the pages of mutations with what they are made from, some tests of the corpus (FAMILY/NAME) left out."""
    made = {*FILES, *(model for models in FILES.values() for model in models)}
    models = {name: digest_of_text(name) for name in files() if name in made}
    paths = [path for path in CORPUS_TESTS if path.relative_to(CORPUS).with_suffix("").as_posix() not in without]
    tests = [(path.relative_to(CORPUS).as_posix(), path.read_text(encoding="utf-8")) for path in paths]
    for name, table in TABLES.items():
        changes = [(file, m.name, m.action) for file in FILES for m in mutations_of(name, file)]
        said = {"corpus": short([tests, (CORPUS / "flags.txt").read_text(encoding="utf-8")]), "changes": short(changes)}
        yield table.page.name, {**models, **said, **_version("engine")}


def _theorems() -> Iterator[tuple[str, Origin]]:
    origin = _statements(THEOREMS)
    for path in ("theorems.md", "theorems.json"):
        yield path, origin


def _optimizations() -> Iterator[tuple[str, Origin]]:
    yield "optimizations.md", _statements(OPTIMIZATIONS)


def _transforms() -> Iterator[tuple[str, Origin]]:
    asked = [(q.deed, q.body, q.model, q.wide, q.small) for q in questions()]
    texts = [(deed.text, kernel_text(body, deed)) for deed in DEEDS for body in BODIES]
    spaces = [space.words() for space in (FULL, CORE)]
    models = {model: digest_of_text(model) for model in MODELS}
    for path in ("transforms.md", "transforms.json"):
        yield path, {**models, "statements": short([asked, texts, spaces, LLVM]), **_version("search")}


def _statements(theorems: Sequence[Theorem]) -> Origin:
    claims = [
        (
            theorem.key, theorem.statement, theorem.source, theorem.expected, theorem.corpus, bound, space_text(claim),
            models_of(claim), claim.rule, claim.rule and BY_NAME[claim.rule].text, claim.deny, claim.alike,
            claim.overrides, claim.side,
        )
        for theorem in theorems
        for claim, bound in theorem.claims()
    ]  # fmt: skip
    named = sorted({c.model for t in theorems for c in (t.claim.before, t.claim.after)})
    return {**{name: digest_of_text(name) for name in named}, "statements": short(claims), **_version("search")}


def _of_suite(folder: str, ending: str, which: str) -> Callable[[], Iterator[tuple[str, Origin]]]:
    def made() -> Iterator[tuple[str, Origin]]:
        machine = (ROOT / "codegen" / "machine" / "families.toml").read_text(encoding="utf-8")
        for gpu in TARGETS:
            parts = {"amdgpu": digest_of_text("amdgpu"), "suite": tests_of(which), "lowering": lowering(which, gpu)}
            version = {"machine": f"{VERSIONS['machine']}-{short(machine)}"}
            yield f"{folder}/{gpu}.{ending}", {**parts, **version}

    return made


def _savings() -> Iterator[tuple[str, Origin]]:
    for gpu in TARGETS:
        tests = {"suite": tests_of(CLASSICAL), "tests": tests_of("amdgpu")}
        made = [lowering(which, gpu) for which in (CLASSICAL, "amdgpu")]
        yield f"savings/{gpu}.md", {**tests, "lowering": short(made)}


def _peers() -> Iterator[tuple[str, Origin]]:
    models = {name: digest_of_text(name) for name in PEERS_MODELS}
    readers = [path.read_text(encoding="utf-8") for room in READERS for path in sorted((ROOT / room).rglob("*.py"))]
    dialects = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "model" / "dialects").rglob("*.cat"))]
    asked = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests" / "peers").glob("*.txt"))]
    yield "peers.md", {**models, "readers": short(readers), "dialects": short(dialects), "explained": short(asked)}


def _known() -> Iterator[tuple[str, Origin]]:
    pairs = [f"{pair.label}\n{pair.text}\n{pair.head['verdict']}" for pair in (*library(), *wrong(), *right())]
    models = {name: digest_of_text(name) for name in KNOWN_MODELS}
    yield "known.md", {**models, "pairs": short(pairs), **_version("engine"), **_version("search")}


def _opt_tests() -> Iterator[tuple[str, Origin]]:
    models = {name: digest_of_text(name) for name in OPT_MODELS}
    yield "opt-tests.md", {**models, **_version("engine"), **_version("search")}


def _passes() -> Iterator[tuple[str, Origin]]:
    models = {name: digest_of_text(name) for name in PASSES_MODELS}
    words = [each.operations() for each in (enumeration.WHOLE, enumeration.TAGGED, enumeration.SMALL)]
    said = short([words, ALL_PASSES, [function("f", each, 1) for each in enumeration.every(1)]])
    yield "passes.md", {**models, "functions": said, **_version("engine"), **_version("search")}


MAKERS: Mapping[str, Callable[[], Iterator[tuple[str, Origin]]]] = {
    "mutants": mutants_origins,
    "optimizations": _optimizations,
    "theorems": _theorems,
    "transforms": _transforms,
    "verdicts": _of_suite("verdicts", "txt", CLASSICAL),
    "necessity": _of_suite("necessity", "md", WHOLE),
    "strategy": _of_suite("strategy", "md", WHOLE),
    "savings": _savings,
    "peers": _peers,
    "known": _known,
    "opt-tests": _opt_tests,
    "passes": _passes,
}
"""What makes files, by the first part of their paths; each yields its files with what they are made from."""


def _version(name: str) -> Origin:
    return {name: VERSIONS[name]}


@cache
def digest_of_text(name: str) -> str:
    """Return the digest of a model's text, comments left out, with its variants and what it includes and overrides."""
    words: list[str] = []
    _words(name, words)
    variants = [] if name not in names() else [(v.name, v.values, v.default) for v in load(name).variants]
    return short([words, variants])


def _words(name: str, words: list[str]) -> None:
    source = text(name)
    before = ""
    for token in Lexer(source).run():
        if before == "include" and token.text.removesuffix(".cat") in files():
            _words(token.text.removesuffix(".cat"), words)
        else:
            words.append(source.text[token.start : token.end])
        before = words[-1]
    for name in [name for s in parse(source).statements if isinstance(s, Readings) for name in s.names]:
        if found := reading(name):
            words += [found.text[token.start : token.end] for token in Lexer(found).run()]


def _tests(which: str) -> Iterable[LitmusTest]:
    if which in (CLASSICAL, WHOLE):
        return classical() if which == CLASSICAL else suite()
    return map(parse_file, sorted((CORPUS / which).rglob("*.litmus")))


@cache
def tests_of(which: str) -> str:
    """Return the digest of the suite, whole or its classical shapes, or of a directory of the corpus."""
    return short([print_test(test) for test in _tests(which)])


@cache
def lowering(which: str, gpu: str) -> str:
    """Return the digest of what tests are lowered to; one that the target cannot run counts with the reason."""
    found = []
    for test in _tests(which):
        try:
            found.append(listing(lower(test, target(gpu, "", NEWEST_LLVM))))
        except InputError as error:
            found.append(error.diagnostics[0].message)
    return short(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
