"""What words of instructions promise: metadata, attributes of calls and of functions, values that are poison.

What goes in: what a parser has read. What comes out: `Promise`s. One that is not kept makes a result poison, or the
behaviour undefined ([LangRef] "Metadata"). A word that is not known here is not taken to mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from axmem.formats.ir.syntax import Function, Instruction, Module, Parameter, Promise
from axmem.front.source import Source
from axmem.litmus.metadata import MetadataNode, Reference
from axmem.litmus.syntax import Number, UndefValue

METADATA = frozenset(
    {
        "absolute_symbol", "alias.scope", "align", "amdgpu.no.fine.grained.memory", "amdgpu.no.remote.memory",
        "amdgpu.noclobber", "amdgpu.uniform", "callees", "dereferenceable", "dereferenceable_or_null",
        "invariant.group", "invariant.load", "llvm.access.group", "llvm.mem.parallel_loop_access", "noalias",
        "noalias.addrspace", "nofpclass", "nonnull", "noundef", "range", "tbaa", "tbaa.struct",
    }
)  # fmt: skip
"""Metadata that promises something; other kinds are hints, or what the reader reads."""
ATTRIBUTES = frozenset(
    {
        "align", "alignstack", "allocalign", "allockind", "allocptr", "allocsize", "argmemonly", "captures",
        "dead_on_return", "dead_on_unwind", "dereferenceable", "dereferenceable_or_null", "inaccessiblememonly",
        "initializes", "memory", "mustprogress", "noalias", "nocallback", "nocapture", "nocreateundeforpoison",
        "noext", "nofpclass", "nofree", "nonnull", "norecurse", "noreturn", "nosync", "noundef", "nounwind", "range",
        "readnone", "readonly", "returned", "speculatable", "tail", "vscale_range", "willreturn", "writable",
        "writeonly",
    }
)  # fmt: skip
"""What is promised of functions, of their parameters and of their results."""
HINTS = frozenset(
    {
        *("alwaysinline", "cold", "disable_sanitizer_instrumentation", "hot", "immarg", "inlinehint", "jumptable"),
        *("minsize", "nocf_check", "noimplicitfloat", "noinline", "nomerge", "nonlazybind", "noprofile", "noredzone"),
        *("nosanitize_bounds", "nosanitize_coverage", "optforfuzzing", "optnone", "optsize", "safestack"),
        *("shadowcallstack", "skipprofile", "speculative_load_hardening", "ssp", "sspreq", "sspstrong", "uwtable"),
        # How a symbol is linked.
        *("private", "internal", "available_externally", "linkonce", "weak", "common", "appending", "extern_weak"),
        *("linkonce_odr", "weak_odr", "external", "dso_local", "dso_preemptable", "default", "hidden", "protected"),
        *("dllimport", "dllexport", "unnamed_addr", "local_unnamed_addr", "externally_initialized", "elementtype"),
    }
)
"""Words that say nothing of what a function does; words that are neither here nor above must stay as they are."""
_HINTING = re.compile(
    r'"(frame-pointer|no-frame-pointer.*|stack-protector.*|target-cpu|tune-cpu|target-features|min-legal-vector-width'
    r"|no-jump-tables|probe-stack|disable-tail-calls|no-trapping-math|less-precise-fpmad|amdgpu-waves-per-eu"
    r'|no-builtins|amdgpu-memory-bound|amdgpu-wave-limiter|.*-fp-math|denormal-fp-math.*)"'
)
"""Attributes by strings that say nothing of what a function does, or that the reader of floating point reads."""
_ELSEWHERE = frozenset({"section", "comdat", "gc", "prefix", "prologue", "personality", "partition", "addrspace"})
"""What begins something at a function that is no attribute."""
_BASES = {"insertelement": 0, "insertvalue": 0, "shufflevector": 1}
"""The operand in which elements are replaced, or of which few are taken."""
POISON_ELEMENTS, UNDEF_ELEMENTS = "poison elements", "undef elements"
"""What elements are inserted into; only where that was undef before, it is a promise that it is poison."""
CONVERGENT = "convergent"
KERNELS = frozenset({"amdgpu_kernel", "spir_kernel"})
"""The calling conventions of kernels, whose arguments all lanes of a launch have alike."""
_ALIKE = {"inreg"}
"""What says that a function is called with one value of a parameter in a wave."""
_DEPTH = 6
"""So deep nodes are written out in one another; nodes that refer to themselves go on for ever."""


def by_metadata(
    kind: str, node: MetadataNode | Reference, source: Source, known: Mapping[str, MetadataNode]
) -> Iterator[Promise]:
    """Yield what metadata of an instruction promises, if it does; `known` are the nodes of the module."""
    if kind in METADATA:
        yield Promise(f"!{kind}", in_place(node, source, known))


def in_place(
    node: MetadataNode | Reference, source: Source, known: Mapping[str, MetadataNode], depth: int = _DEPTH
) -> str:
    """Return the text of a node with those that it names in their place."""
    found = known.get(node.name) if isinstance(node, Reference) else node
    if found is None or not depth:
        return "!{}"
    text = source.text_at(found.span)

    def inside(match: re.Match[str]) -> str:
        return in_place(Reference(match[1], found.span), source, known, depth - 1)

    return re.sub(r"!(\d+)\b", inside, text)


def by_attributes(words: Sequence[str], of: str = "") -> Iterator[Promise]:
    """Yield what attributes among words promise, with their arguments: `align 8`, `memory(none)`; `of` is their place.

    A word that is no hint is taken for an attribute: what is not known here is not taken to mean nothing.
    """
    k, words = 0, [*words]
    while k < len(words):
        begin, word, k = k, words[k], k + 1
        if word in _ELSEWHERE and words[k : k + 1] != ["("]:
            k += 1
            continue
        k = _behind(words, k) if word not in "([{=" else _closed(words, begin)
        if word in HINTS | _ELSEWHERE or _HINTING.fullmatch(word) or not (word[:1].isalpha() or word[:1] == '"'):
            continue
        shown = " ".join(words[begin:k]).replace(" ( ", "(").replace(" )", ")")
        yield Promise(shown, f"{shown}{of}", lasting=word not in ATTRIBUTES)


def _behind(words: Sequence[str], at: int) -> int:
    """Return where the arguments of an attribute end that begin at a place: `= "x"`, `( … )`, a number."""
    while words[at : at + 1] == ["="]:
        at += 2
    if words[at : at + 1] == ["("]:
        return _closed(words, at)
    return at + (at < len(words) and words[at].isdecimal())


def _closed(words: Sequence[str], at: int) -> int:
    """Return the place behind the bracket that closes the one at a place."""
    depth = 0
    for k in range(at, len(words)):
        depth += (words[k] in ("(", "[", "{")) - (words[k] in (")", "]", "}"))
        if depth <= 0:
            return k + 1
    return len(words)


def by_poison(instruction: Instruction, count: int) -> Iterator[Promise]:
    """Yield what is promised by values that are poison: that nobody uses them, or that all elements are replaced."""
    base = _BASES.get(instruction.operation)
    if base is not None and isinstance(instruction.operands[base].value, UndefValue):
        yield Promise(POISON_ELEMENTS if count else UNDEF_ELEMENTS, "")
    elif count:
        yield Promise("poison", str(count))


def is_divergent(parameter: Parameter, function: Function) -> bool:
    """Tell whether lanes of a wave may be called with different values of a parameter, as LLVM 22 has it."""
    if KERNELS & set(function.words):
        return False
    graphics = any(word.startswith("amdgpu_") for word in function.words)
    return not (_ALIKE | ({"byval"} if graphics else set())) & set(parameter.attributes)


def is_convergent(module: Module, call: Instruction) -> bool:
    """Tell whether a call, or the function that it names, is convergent."""
    callee = module.functions.get(call.callee)
    groups = (word for each in call.words for word in module.groups.get(each, ()))
    return CONVERGENT in (*call.words, *groups, *(callee.attributes if callee else ()))


WAVE = 64
"""Lanes of a wave, where a module does not say for which processor it is."""


def attribute(function: Function, name: str) -> str:
    """Return what an attribute by a string says of a function, "" if it is not there."""
    words = function.attributes
    said = {word.strip('"'): words[at + 2].strip('"') for at, word in enumerate(words[:-2]) if words[at + 1] == "="}
    return said.get(name, "")


def wave_sizes(function: Function) -> tuple[int, ...]:
    """Return how many lanes a wave of a function may have, as its target or its processor say: one number or two."""
    features = re.findall(r"\+wavefrontsize(32|64)", attribute(function, "target-features"))
    if features:
        return (int(features[-1]),)
    processor = attribute(function, "target-cpu")
    return (32 if re.match(r"gfx1[0-9]", processor) else WAVE,) if processor else (32, WAVE)


def wave_size(function: Function) -> int:
    """Return how many lanes a wave of a function has, 64 where nothing says it."""
    return wave_sizes(function)[-1]


def bounded(function: Function) -> bool:
    """Whether the source of a function says how many lanes a workgroup may have; clang says so of every kernel."""
    words = function.attributes
    sizes = (words[at + 2] for at, word in enumerate(words) if word == '"amdgpu-flat-work-group-size"')
    return any(not re.fullmatch(r'"1, *(256|1024)"', each) for each in sizes)


def workgroup_size(function: Function, module: Module) -> tuple[int, ...]:
    """Return the size of a workgroup in x, y and z, as a function promises, () if it does not."""
    words = function.attributes
    for at, word in enumerate(words):
        if word == "!reqd_work_group_size":
            node = module.metadata.get(words[at + 1].removeprefix("!"))
            sizes = tuple(each.value for each in (node.items if node else ()) if isinstance(each, Number))
            return sizes if len(sizes) == len("xyz") else ()
        if word == '"amdgpu-flat-work-group-size"' and re.fullmatch(r'"[01], *1"', words[at + 2]):
            return (1, 1, 1)
    return ()
