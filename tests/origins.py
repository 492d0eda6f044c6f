"""`python -m tests.origins MAKER… -- COMMAND…`: run what makes files of results/, and note what they were made from.

`results/origins.txt` has a line for each file that takes too long to be made again by a test: a digest of the file, and
of each thing that it was made from. `python -m tests.origins stale` lists the pages whose origin is another today, and
writes at the head of each what has changed; with `--refuse` it fails if there is one, as a release does. A page that is
stale is evidence about an older state, and no fault of the change that made it so: tests ask only that its head says
so, and that nobody edited it by hand. `theorems.csv` and `theorems/` are compared with `theorems.json`. What a thing's
digest is of:

- a model: what its axioms, flags and undef rules mean under the choice of variants that was asked, whatever the
  definitions between are called (`axmem.model.terms`); of pages about the texts of models: their words;
- `corpus`, `tests`, `suite`: the texts of the tests, those of the whole corpus with the flags that they raise;
- `changes`: which mutations there are;
- `pairs`: the changes with known answers;
- `statements`: the theorems with their claims, in words;
- `lowering`: what `axmem lower` prints for the tests on the target;
- `machine`: a version and the table of its families; `engine`, `search`: versions.

The source of the engines, of the machine and of the search over programs is no part of it, or every refactoring would
make every page stale: who changes what they answer raises `VERSIONS`. Without a command the lines are written for the
files as they are: for files of which one knows otherwise that they would be made so again.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from axmem.check.run.workers import interruptible
from axmem.commands.pages.theorems import models_of
from axmem.formats.forms import LANGUAGES
from axmem.front.exits import Terminated, interrupt_code
from axmem.front.records import dataclass
from axmem.litmus.syntax import ModelChoice
from axmem.model.library import files
from axmem.passes import enumeration
from axmem.passes.fragments import function
from axmem.passes.passes import ALL as ALL_PASSES
from axmem.refinement.bodies import BODIES, DEEDS, LLVM, kernel_text
from axmem.refinement.bounded_check import space_text
from axmem.refinement.claims import Theorem
from axmem.refinement.optimizations import OPTIMIZATIONS
from axmem.refinement.rules import BY_NAME, CORE, FULL
from axmem.refinement.theorems import THEOREMS
from axmem.refinement.transforms import MODELS, questions
from tests.digests import CLASSICAL, WHOLE, digest_of_model, digest_of_text, lowering, short, tests_of
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

Origin = Mapping[str, str]
"""The digests of what a file was made from, by the names of the things."""


def main(arguments: Sequence[str]) -> int:
    """Run the command, if there is one, and write the lines of its files; return its exit code.

    The digests are taken before the command runs: whoever changes the sources meanwhile is told by the test.
    """
    if arguments and arguments[0] == "stale":
        return _say_stale(refuse="--refuse" in arguments[1:])
    makers, command = list(arguments), []
    if "--" in makers:
        command = makers[makers.index("--") + 1 :]
        makers = makers[: makers.index("--")]
    unknown = [maker for maker in makers if maker not in MAKERS]
    if unknown or not makers:
        usage = f"stale [--refuse] | {{{','.join(MAKERS)}}}… [-- COMMAND…]"
        print(f"usage: python -m tests.origins {usage}", file=sys.stderr)
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
    mark(stale())
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


# ---------------------------------------------------------------- pages that are older than what they are about


def stale() -> dict[str, list[str]]:
    """Return, for each file whose origin is another today, the names of what has changed, sorted."""
    today = {path: dict(parts) for maker in MAKERS.values() for path, parts in maker()}
    found = {}
    for path, then in committed().items():
        now = today.get(path, {})
        changed = sorted(name for name in {*then, *now} - {"file"} if then.get(name) != now.get(name))
        if changed:
            found[path] = changed
    return found


def head(path: str, changed: Sequence[str]) -> str:
    """Return the line that stands in a stale page, empty for a file of data, which its page speaks for."""
    made = MADE[maker_of(path)]
    words = f"{OLDER} {', '.join(changed)}: `{made.command}` makes it anew ({made.minutes} minutes)."
    if path.endswith(".md"):
        return f"> {words}\n\n"
    return f"{words}\n" if path.endswith(".txt") else ""


def unmarked(text: str) -> str:
    """Return a page without the line that says that it is stale."""
    return _HEAD.sub("", text, count=1)


def mark(found: Mapping[str, Sequence[str]]) -> None:
    """Write into each page of `committed` whether it is stale."""
    for path in committed():
        place = RESULTS / path
        text = place.read_text(encoding="utf-8")
        whole = unmarked(text)
        said = head(path, found[path]) if path in found else ""
        first = whole.index("\n") + 1 if said and whole.startswith("<!--") else 0
        new = whole[:first] + said + whole[first:]
        if new != text:
            place.write_text(new, encoding="utf-8")


def _say_stale(*, refuse: bool) -> int:
    """List the stale pages with what makes them, write their heads, and return the exit code."""
    found = stale()
    mark(found)
    for maker, paths in groupby(found, maker_of):
        pages, made = list(paths), MADE[maker]
        changed = sorted({name for path in pages for name in found[path]})
        print(f"{made.command} ({made.minutes} minutes): {', '.join(pages)}; other {', '.join(changed)}")
    print(f"{len(found)} of {len(committed())} files are older than what they are about")
    return int(refuse and bool(found))


def maker_of(path: str) -> str:
    """Return who makes a file, by its path in results/."""
    name = path.replace("/", ".").split(".")[0]
    return "mutants" if name == "replacements" else name


def file_digest(path: str) -> str:
    """Return the digest of a file of results/."""
    return short(unmarked((RESULTS / path).read_text(encoding="utf-8")))


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
    models = {model: digest_of_model(ModelChoice(model)) for model in MODELS}
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
    named = {c.label: c for t in theorems for c in (t.claim.before, t.claim.after)}
    models: dict[str, list[str]] = {}
    for label in sorted(named):
        models.setdefault(named[label].model, []).append(digest_of_model(named[label]))
    return {**{name: short(found) for name, found in models.items()}, "statements": short(claims), **_version("search")}


def _of_suite(folder: str, ending: str, which: str) -> Callable[[], Iterator[tuple[str, Origin]]]:
    def made() -> Iterator[tuple[str, Origin]]:
        machine = (ROOT / "codegen" / "machine" / "families.toml").read_text(encoding="utf-8")
        for gpu in TARGETS:
            model = digest_of_model(ModelChoice("amdgpu"))
            parts = {"amdgpu": model, "suite": tests_of(which), "lowering": lowering(which, gpu)}
            version = {"machine": f"{VERSIONS['machine']}-{short(machine)}"}
            yield f"{folder}/{gpu}.{ending}", {**parts, **version}

    return made


def _savings() -> Iterator[tuple[str, Origin]]:
    for gpu in TARGETS:
        tests = {"suite": tests_of(CLASSICAL), "tests": tests_of("amdgpu")}
        made = [lowering(which, gpu) for which in (CLASSICAL, "amdgpu")]
        yield f"savings/{gpu}.md", {**tests, "lowering": short(made)}


def _peers() -> Iterator[tuple[str, Origin]]:
    models = {name: digest_of_model(ModelChoice(name)) for name in PEERS_MODELS}
    readers = [path.read_text(encoding="utf-8") for room in READERS for path in sorted((ROOT / room).rglob("*.py"))]
    dialects = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "model" / "dialects").rglob("*.cat"))]
    asked = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests" / "peers").glob("*.txt"))]
    yield "peers.md", {**models, "readers": short(readers), "dialects": short(dialects), "explained": short(asked)}


def _refusals() -> Iterator[tuple[str, Origin]]:
    own = sorted((ROOT / "axmem" / "formats").rglob("*.py"))
    yield "refusals.md", {"readers": short([path.read_text(encoding="utf-8") for path in own])}


def _usage() -> Iterator[tuple[str, Origin]]:
    tables = sorted((ROOT / "codegen" / "families").glob("*.toml"))
    yield "usage.md", {"lowering": short([path.read_text(encoding="utf-8") for path in tables])}


def _sources() -> Iterator[tuple[str, Origin]]:
    folder = ROOT / "tests" / "sources"
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.iterdir()) if path.suffix in LANGUAGES]
    model = digest_of_model(ModelChoice("amdgpu"))
    yield "sources.md", {"sources": short(texts), "amdgpu": model, **_version("machine")}


def _known() -> Iterator[tuple[str, Origin]]:
    pairs = [f"{pair.label}\n{pair.text}\n{pair.head['verdict']}" for pair in (*library(), *wrong(), *right())]
    models = {name: digest_of_model(ModelChoice(name)) for name in KNOWN_MODELS}
    yield "known.md", {**models, "pairs": short(pairs), **_version("engine"), **_version("search")}


def _opt_tests() -> Iterator[tuple[str, Origin]]:
    models = {name: digest_of_model(ModelChoice(name)) for name in OPT_MODELS}
    yield "opt-tests.md", {**models, **_version("engine"), **_version("search")}


def _passes() -> Iterator[tuple[str, Origin]]:
    models = {name: digest_of_model(ModelChoice(name)) for name in PASSES_MODELS}
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
    "needs": _of_suite("needs", "md", "needs"),
    "peers": _peers,
    "refusals": _refusals,
    "usage": _usage,
    "sources": _sources,
    "known": _known,
    "opt-tests": _opt_tests,
    "passes": _passes,
}
"""What makes files, by the first part of their paths; each yields its files with what they are made from."""


@dataclass(frozen=True, slots=True)
class Made:
    """The command that makes files, and how many minutes it takes on two processors."""

    command: str
    minutes: int


MADE: Mapping[str, Made] = {
    "mutants": Made("make mutants", 15),
    "optimizations": Made("make optimizations", 30),
    "theorems": Made("make theorems", 60),
    "transforms": Made("make transforms", 30),
    **dict.fromkeys(("verdicts", "necessity", "strategy", "savings"), Made("make necessity", 30)),
    "needs": Made("make needs", 3),
    "peers": Made("make peers PEERS=DIR", 45),
    "refusals": Made("make refusals LLVM=DIR PEERS=DIR", 3),
    "usage": Made("make usage DOCUMENT=AMDGPUUsage.rst", 1),
    "sources": Made("make verified-sources", 30),
    "known": Made("make known", 45),
    "opt-tests": Made("make opt-tests LLVM=DIR", 30),
    "passes": Made("make passes", 180),
}
OLDER = "Made from an older"
"""How the line in a stale page begins."""
_HEAD = re.compile(rf"^(?:> )?{OLDER} .*\n\n?", re.MULTILINE)


def _version(name: str) -> Origin:
    return {name: VERSIONS[name]}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
