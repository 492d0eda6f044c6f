"""An extension of Sphinx: tables of outcomes and pictures of executions inside anybody's documentation.

What goes in: `extensions = ["axmem.commands.sphinx_directives"]`, and directives, in reStructuredText or MyST:
`axmem-outcomes`, the outcomes of a test under models side by side, and `axmem-execution`, the execution that explains
a test's condition. The test is the content of the directive, or the file that its argument names, beside the page or
with axmem (`@corpus/…`). What comes out: nodes that every builder writes. Invariants: a test with errors is an error of
the build at the directive, with the place in the test; a page is built again when a file that it names has changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

import axmem
from axmem.commands.relations import comma_separated
from axmem.front.source import InputError
from axmem.front.typing import override
from axmem.front.version import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from axmem.litmus.syntax import LitmusTest, ModelChoice


class _OfATest(SphinxDirective):
    """A directive about one test."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True

    @override
    def run(self) -> list[nodes.Node]:
        """Return the nodes, or an error of the build that has the message of `axmem`."""
        try:
            return self.made(self.test())
        except InputError as error:
            raise self.error(str(error)) from None

    def test(self) -> LitmusTest:
        """Return the test that the content is, or that the argument names."""

        if bool(self.arguments) == bool(self.content):
            raise self.error(f"{self.name} takes a test as its content, or the path of one as its argument")
        if not self.arguments:
            return axmem.parse("\n".join(self.content) + "\n", f"{self.env.docname}:{self.content_offset + 1}")
        named = self.arguments[0].strip()
        path = axmem.shipped(named.removeprefix("@")) if named.startswith("@") else self.env.relfn2path(named)[1]
        self.env.note_dependency(str(path))
        if not Path(path).is_file():
            raise self.error(f"there is no test '{named}'")
        return axmem.parse_file(path)

    def models(self, default: str) -> tuple[ModelChoice, ...]:
        """Return the models of the option `models`, or of the default."""
        from axmem.commands.answers import model_choices

        return model_choices(self.options.get("models", default))

    def made(self, test: LitmusTest) -> list[nodes.Node]:
        """Return what the directive shows of a test."""
        raise NotImplementedError


class OutcomesDirective(_OfATest):
    """The outcomes of a test under each of the models; with `:program:` the program stands above them."""

    option_spec: ClassVar[dict[str, Any]] = {"models": directives.unchanged_required, "program": directives.flag}

    @override
    def made(self, test: LitmusTest) -> list[nodes.Node]:
        from axmem.report.nodes import program_node, table_node
        from axmem.report.outcome_tables import OutcomeTable, outcome_table, row_of
        from axmem.report.tree import Program

        choices = self.models("llvm,amdgpu")
        row = row_of(test, [axmem.outcomes(test, choice.label) for choice in choices])
        table = table_node(outcome_table(OutcomeTable(tuple(c.label for c in choices), (row,)), "outcomes"))
        program: list[nodes.Node] = [program_node(Program(row.program, "text"))] if "program" in self.options else []
        return [*program, table]


class ExecutionDirective(_OfATest):
    """The execution that has an outcome, or the nearest one that would, as a picture."""

    option_spec: ClassVar[dict[str, Any]] = {
        "model": directives.unchanged_required, "outcome": directives.unchanged_required,
        "show": directives.unchanged_required,
    }  # fmt: skip

    @override
    def made(self, test: LitmusTest) -> list[nodes.Node]:
        from axmem.report.explanation import drawing
        from axmem.report.nodes import figure_nodes
        from axmem.report.tree import Figure

        self.options.setdefault("models", self.options.get("model", "amdgpu"))
        (choice, *more) = self.models("amdgpu")
        if more:
            raise self.error(f"{self.name} draws an execution of one model")
        found = axmem.explain(test, choice.label, outcome=self.options.get("outcome"))
        if found.exhibit is None:
            raise self.error(f"there is nothing to draw: {found.reason}")
        show = comma_separated(self.options["show"]) if "show" in self.options else None
        return [node for b in drawing(found, show).blocks if isinstance(b, Figure) for node in figure_nodes(b)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directives; pages may be read by several processes."""
    app.add_directive("axmem-outcomes", OutcomesDirective)
    app.add_directive("axmem-execution", ExecutionDirective)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}
