"""A kernel as a function of LLVM IR, with its own control flow graph.

What goes in: a kernel of a checked test. What comes out: the lines of one `amdgpu_kernel`, in SSA form, block by
block. Parameters are its arguments and every register keeps its name; nothing is stored for the outcomes, since that
would add to the graph. What only gives a register another name has no instruction.
"""

from __future__ import annotations

from collections.abc import Iterator

from axmem.codegen.ir_metadata import Metadata
from axmem.codegen.ir_statements import IrStatements, unused
from axmem.codegen.ir_values import IrValues
from axmem.convergence.kernels import checked
from axmem.formats.ir.types import BARRIER
from axmem.front.source import Diagnostic
from axmem.front.typing import override
from axmem.litmus.blocks import ControlFlow, KernelBlock
from axmem.litmus.kernel_printer import suffix_of
from axmem.litmus.kernels import IDS, SIGNATURES, Branch, Call, ConvergenceToken, Return, Switch, Terminator
from axmem.litmus.registers import assigned, read
from axmem.litmus.spelling import INTEGERS, type_name
from axmem.litmus.ssa import END, single_assignment, with_ends, without_copies
from axmem.litmus.syntax import (
    I1,
    I32,
    AddressSpace,
    Assign,
    Assume,
    Kernel,
    LitmusTest,
    RegisterOf,
    Statement,
    Type,
)
from axmem.litmus.walk import expressions, observed

_IDS = {
    "workitem.id": "call i32 @llvm.amdgcn.workitem.id.x()",
    "workgroup.id": "call i32 @llvm.amdgcn.workgroup.id.x()",
    "wave.id": "call i32 @llvm.amdgcn.wave.id()",
}


def refused(test: LitmusTest) -> Iterator[Diagnostic]:
    """Yield an error for what kernels have that IR has not; raise InputError for tokens that break rules."""
    for kernel in test.kernels:
        checked(kernel, test)
        for block in single_assignment(kernel).blocks:
            for statement in block.statements:
                if isinstance(statement, Assume):
                    message = "an assume of a kernel has no LLVM IR, which would let anything happen where it fails"
                    yield Diagnostic(test.source, statement.span, message)


def kernel_function(
    test: LitmusTest, kernel: Kernel, places: dict[str, str], metadata: Metadata, *, annotated: bool = False
) -> str:
    """Return the function of a kernel, and the named barriers that it declares.

    If it is `annotated` comments say what the registers that the test asks about hold where the function returns.
    """
    asked = {o.register for o in observed(test) if isinstance(o, RegisterOf) and o.thread.split(".")[0] == kernel.name}
    flow = without_copies(with_ends(kernel, sorted(asked)) if annotated else single_assignment(kernel))
    everything = [statement for block in flow.blocks for statement in (*block.phis, *block.statements)]
    tokens = {statement.register for statement in everything if isinstance(statement, ConvergenceToken)}
    types = {name: type_ for statement in everything for name, type_ in assigned(statement)}
    types |= {parameter.name: parameter.type for parameter in kernel.parameters} | dict.fromkeys(IDS, I32)
    body = _Kernel(types, tokens, places, metadata, labels=[block.name for block in flow.blocks])
    for block in flow.blocks:
        body.label(block)
        if block is flow.entry:
            body.begin(flow, kernel)
        body.fill(block)
    arguments = ", ".join(f"{type_name(p.type)} {body.values.registers[p.name]}" for p in kernel.parameters)
    lines = "\n".join(body.values.lines)
    named = (f"@{name} = internal addrspace(3) global {BARRIER} poison" for name in kernel.barriers)
    launch = kernel.launch
    shape = f"workgroups {launch.workgroups}, wavefronts {launch.wavefronts}, lanes {launch.lanes}"
    alone = " noinline optnone" if kernel.optnone else ""
    head = f"define amdgpu_kernel void @{kernel.name}({arguments}) #1{alone} {{"
    return "\n".join([*named, f"; {kernel.name}: {shape}", head, lines, "}", ""])


def ids_used(flow: ControlFlow) -> frozenset[str]:
    """Return the ids that a kernel reads."""
    return frozenset(
        register.name
        for block in flow.blocks
        for statement in (*block.phis, *block.statements, block.terminator)
        for expr in expressions(statement)
        for register in read(expr)
    ) & frozenset(IDS)


class _Kernel(IrStatements):
    """The function of one kernel so far; registers are known before they are defined, for phis.

    LLVM names blocks and values alike, so that a block with the name of a register gets another.
    """

    def __init__(
        self, types: dict[str, Type], tokens: set[str], places: dict[str, str], metadata: Metadata, *, labels: list[str]
    ) -> None:
        taken = {*types, *places, *tokens, *labels}
        super().__init__(types, IrValues(places, unused("t", taken, prefix=True)), metadata)
        values = {*types, *tokens}
        self.labels = {name: unused(f"{name}.block", taken) if name in values else name for name in labels}
        for name in types:
            self.values.registers[name] = f"%{self.values.fresh()}" if name.isdecimal() else f"%{name}"

    def label(self, block: KernelBlock) -> None:
        """Begin a block with its phis."""
        self.values.label(self.labels[block.name])
        for phi in block.phis:
            type_ = phi.type or I32
            values = ((self.values.operand(each.value, type_), self.labels[each.block]) for each in phi.incoming)
            arms = ", ".join(f"[ {value}, %{label} ]" for value, label in values)
            self.define(phi.register, f"phi {type_name(type_)} {arms}")

    def begin(self, flow: ControlFlow, kernel: Kernel) -> None:
        """Add what the entry begins with: private memory, and the ids that are used."""
        for location in kernel.memory:
            if location.space is AddressSpace.PRIVATE:
                self.private(location)
        used = ids_used(flow)
        for name in IDS:
            if name in used and name in _IDS:
                self.define(name, _IDS[name])
            elif name in used:
                low = self.values.result("call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)")
                self.define(name, f"call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 {low})")

    def fill(self, block: KernelBlock) -> None:
        """Add the statements of a block and its terminator."""
        for statement in block.statements:
            self.statement(statement)
        self.values.emit(self.terminator(block.terminator))

    @override
    def version(self, register: str) -> str:
        """Return the one name of a register."""
        return self.values.registers[register]

    @override
    def statement(self, statement: Statement) -> None:
        """Add one statement."""
        match statement:
            case Assign(register=register, value=value):
                self.values.name(self.version(register), value, self.types[register])
            case ConvergenceToken(register=register, kind=kind, token=token):
                self.values.emit(f"%{register} = call token @llvm.experimental.convergence.{kind}(){_bundle(token)}")
            case Call():
                self.call(statement)
            case _:
                super().statement(statement)

    def call(self, call: Call) -> None:
        """Add the call of a convergent operation or of a declared function."""
        if call.operation.startswith(END):
            register, value = f"%{call.operation.removeprefix(END)}", self.values.operand(call.operands[0])
            if value != register:
                self.values.emit(f"; axmem: final {register} = {value}")
            return
        signature = SIGNATURES.get(call.operation)
        if signature is None:
            shown = [f"{type_name(o.type or I32)} {self.values.operand(o)}" for o in call.operands]
            self.values.emit(f"call void {call.operation}({', '.join(shown)}){_bundle(call.token)}")
            return
        kinds = [kind for kind in signature.operands if kind != "barrier"]
        types = [call.type or I32 if kind == "T" else INTEGERS.get(kind, Type(16)) for kind in kinds]
        shown = [f"ptr addrspace(3) @{call.barrier}"] if call.barrier else []
        shown += [f"{type_name(t)} {self.values.operand(o, t)}" for o, t in zip(call.operands, types, strict=True)]
        overloaded = signature.result in ("T", "N")
        suffix = f".{suffix_of(call.type or I32)}" if overloaded else ""
        result = type_name(call.type or I32) if signature.result else "void"
        text = f"call {result} @llvm.amdgcn.{call.operation}{suffix}({', '.join(shown)}){_bundle(call.token)}"
        if call.register:
            self.define(call.register, text)
        else:
            self.values.emit(text)

    def terminator(self, terminator: Terminator) -> str:
        """Return the last instruction of a block, its operands added before it."""
        match terminator:
            case Branch(targets=targets, condition=condition):
                shown = ", ".join(f"label %{self.labels[target]}" for target in targets)
                shown += self.metadata.loop(terminator.loop)
                return f"br {shown}" if condition is None else f"br i1 {self.values.operand(condition, I1)}, {shown}"
            case Switch(value=value, default=default, cases=cases):
                type_ = type_name(value.type or I32)
                inside = " ".join(f"{type_} {case.value.value}, label %{self.labels[case.block]}" for case in cases)
                return f"switch {type_} {self.values.operand(value)}, label %{self.labels[default]} [ {inside} ]"
            case Return():
                return "ret void"
        return "unreachable"


def _bundle(token: str) -> str:
    return f' [ "convergencectrl"(token %{token}) ]' if token else ""


def tail(test: LitmusTest) -> Iterator[str]:
    """Yield the functions that a test declares and the attributes of its kernels."""
    for function in test.functions:
        parameters = ", ".join(map(type_name, function.parameters))
        yield f"declare void @{function.name}({parameters}) #{1 if function.convergent else 0}"
    if test.kernels:
        yield "attributes #1 = { convergent nounwind }"
