"""`axmem lsp` asked by a real client: what it says of tests, models and rules, as they are typed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lsprotocol import types

from axmem.formats.reading import parse_file
from axmem.litmus.printer import print_test
from axmem.model.library import names, path_of
from axmem.model.library import text as text_of
from tests.editor.clients import Editor, position_of
from tests.paths import CORPUS

MP = print_test(parse_file(CORPUS / "base" / "MP+rel+acq.litmus"))
RULE = "rule own\nbefore {\n  $r = load $x  # $t\n}\nafter {\n  $r = load $x  # $t\n}\n"


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    found = Editor(tmp_path_factory.mktemp("workspace"))
    found.begin()
    yield found
    try:
        assert found.end() == 0
    finally:
        found.drop()


def hover(editor: Editor, name: str, place: types.Position) -> str:
    found = editor.do(editor.client.text_document_hover_async(types.HoverParams(editor.at(name), place)))
    if found is None:
        return ""
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


def test_a_test_is_checked_as_it_is_typed(editor: Editor) -> None:
    editor.open("A.litmus", MP)
    assert editor.problems("A.litmus") == []
    editor.change("A.litmus", MP.replace("store atomic 1", "sotre atomic 1"))
    (problem, *_) = editor.problems("A.litmus", True)
    assert problem.severity == types.DiagnosticSeverity.Error and "did you mean 'store'?" in problem.message
    start = position_of(MP, "store atomic 1")
    assert problem.range == types.Range(start, types.Position(start.line, start.character + 5))
    editor.change("A.litmus", MP)
    assert editor.problems("A.litmus", False) == []
    editor.close("A.litmus")


def test_every_file_that_changes_on_disk_is_read_again(editor: Editor) -> None:
    """An editor may tell of several at once, the model that a document includes among them."""
    below, other = editor.folder / "below.cat", editor.folder / "other.litmus"
    below.write_text('"below"\nlet kept = po\n', encoding="utf-8")
    other.write_text(MP, encoding="utf-8")
    editor.open("above.cat", '"above"\ninclude "below.cat"\nacyclic kept as order\n')
    assert editor.problems("above.cat") == []
    below.write_text('"below"\nlet lost = po\n', encoding="utf-8")
    changed = [types.FileEvent(path.as_uri(), types.FileChangeType.Changed) for path in (other, below)]
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changed))
    assert "unknown name `kept`" in editor.problems("above.cat", True)[0].message
    editor.close("above.cat")


def test_columns_are_those_of_editors_and_lines_may_end_in_any_way(editor: Editor) -> None:
    for end in ("\n", "\r\n"):
        text = f'litmus A "𝔸𝔸" foo{end}global x = 0{end}exists (x=0)  ; 𝔸{end}wrong{end}'
        editor.open("B.litmus", text)
        found = editor.problems("B.litmus")
        assert found[0].range.start == types.Position(0, 16)
        assert found[-1].range == types.Range(types.Position(3, 0), types.Position(3, 5))
        editor.close("B.litmus")
    cat = '"𝔸"\r\n(* 𝔸 *) acyclic nothing as x\r\n'
    editor.open("b.cat", cat)
    (problem,) = editor.problems("b.cat")
    assert problem.range == types.Range(types.Position(1, 17), types.Position(1, 24))
    assert hover(editor, "b.cat", types.Position(1, 17)) == ""
    editor.close("b.cat")


def test_a_rule_is_checked(editor: Editor) -> None:
    editor.open("r.rule", RULE)
    assert editor.problems("r.rule") == []
    editor.change("r.rule", RULE.replace("# $t\n}\nafter", "# $t $u\n}\nafter"))
    assert "one hole" in editor.problems("r.rule", True)[0].message
    asked = types.DocumentSymbolParams(editor.at("r.rule"))
    found = editor.do(editor.client.text_document_document_symbol_async(asked))
    assert [each.name for each in found or ()] == ["own", "before", "after"]
    editor.close("r.rule")


def test_models_that_include_each_other_are_read_as_they_are_in_the_editor(editor: Editor) -> None:
    (editor.folder / "two.cat").write_text('"two"\nlet old = po\n', encoding="utf-8")
    one = '"one"\ninclude "two.cat"\nacyclic fresh as first\n'
    editor.open("one.cat", one)
    assert ["unknown name `fresh`" in each.message for each in editor.problems("one.cat", True)] == [True]
    editor.open("two.cat", '"two"\nlet fresh = po\n')
    assert editor.problems("one.cat", False) == []
    editor.change("two.cat", '"two"\ninclude "one.cat"\nlet fresh = po\n')
    (problem, *_) = editor.problems("two.cat", True)
    assert problem.message and problem.range.start.line == 1, "they include each other"
    editor.change("two.cat", '"two"\nlet fresh = \n')
    said = editor.client.diagnostics
    editor.until(lambda: any(each.related_information for each in said[editor.uri("one.cat")]))
    problem = next(each for each in said[editor.uri("one.cat")] if each.related_information)
    assert problem.range.start.line == 1 and problem.related_information
    assert problem.related_information[0].location.uri == editor.uri("two.cat")
    editor.close("two.cat")
    editor.until(lambda: any("unknown name `fresh`" in each.message for each in said[editor.uri("one.cat")]))
    editor.close("one.cat")


def test_definitions_and_references_go_through_includes_into_the_package(editor: Editor) -> None:
    part = '"part"\n(** [LangRef] "fence": my own order *)\nlet mine = po & loc\n'
    whole = '"whole"\ninclude "part.cat"\ninclude "happens-before.cat"\nacyclic mine | hb as first\n'
    whole += "empty fr \\ mine as second\n"
    editor.open("part.cat", part)
    editor.open("whole.cat", whole)
    client = editor.client

    def defined(word: str) -> types.Location:
        asked = types.DefinitionParams(editor.at("whole.cat"), position_of(whole, word))
        found = editor.do(client.text_document_definition_async(asked))
        assert isinstance(found, list) and len(found) == 1 and isinstance(found[0], types.Location)
        return found[0]

    named = types.Range(types.Position(2, 4), types.Position(2, 8))
    assert defined("mine") == types.Location(editor.uri("part.cat"), named)
    assert defined('part.cat"').uri == editor.uri("part.cat")
    for word, file in (("hb as", "happens-before.cat"), ("fr ", "prelude.cat")):
        place = defined(word)
        path = Path(unquote(urlsplit(place.uri).path))
        line = path.read_text(encoding="utf-8").split("\n")[place.range.start.line]
        name = line[place.range.start.character : place.range.end.character]
        assert (path.name, name) == (file, word.split()[0])
    context = types.ReferenceContext(include_declaration=True)
    asked = types.ReferenceParams(context, editor.at("part.cat"), position_of(part, "mine"))
    found = editor.do(client.text_document_references_async(asked))
    assert [(each.uri, each.range.start.line) for each in found or ()] == [
        (editor.uri("part.cat"), 2), (editor.uri("whole.cat"), 3), (editor.uri("whole.cat"), 4),
    ]  # fmt: skip
    said = hover(editor, "whole.cat", position_of(whole, "mine"))
    assert "my own order" in said and 'LangRef "fence"' in said and "let mine = po & loc" in said
    assert hover(editor, "part.cat", position_of(part, "po &")).startswith("**po**: primitive")
    for name in ("part.cat", "whole.cat"):
        editor.close(name)


def test_what_words_and_operations_of_tests_mean(editor: Editor) -> None:
    editor.open("A.litmus", MP)
    said = hover(editor, "A.litmus", position_of(MP, "release", after=MP.index("thread P0")))
    assert said.startswith("**release**: ") and "Under llvm it is in" in said and "Under amdgpu it is in" in said
    assert "`make-available`: at least release ordering" in said
    assert "a model" in hover(editor, "A.litmus", position_of(MP, "amdgpu never"))
    place = types.DefinitionParams(editor.at("A.litmus"), position_of(MP, "amdgpu never"))
    found = editor.do(editor.client.text_document_definition_async(place))
    assert isinstance(found, list) and isinstance(found[0], types.Location) and found[0].uri.endswith("/amdgpu.cat")
    editor.close("A.litmus")


def test_words_names_and_files_complete(editor: Editor) -> None:
    def completed(name: str, text: str, word: str) -> dict[str, types.CompletionItem]:
        editor.open(name, text)
        place = position_of(text, word, inside=len(word))
        asked = types.CompletionParams(editor.at(name), place)
        found = editor.do(editor.client.text_document_completion_async(asked))
        editor.close(name)
        assert isinstance(found, list)
        return {each.label: each for each in found}

    found = completed("C.litmus", MP.replace("  r0 = load", "  load-vi\n  r0 = load"), "load-vi")
    assert {"load-visible", "acq_rel", "x", "P0", "r0", "amdgpu"} <= found.keys()
    edit = found["load-visible"].text_edit
    assert isinstance(edit, types.TextEdit) and edit.range.end.character - edit.range.start.character == len("load-vi")
    found = completed("c.cat", '"c"\nlet mine = po\nacyclic mi', "acyclic mi")
    assert {"mine", "same-agent", "po", "fr", "let"} <= found.keys() and found["po"].detail
    assert "amdgpu.cat" in completed("d.cat", 'include "am', "am")
    assert {"$x", "where", "incompatible", "load"} <= completed("c.rule", RULE, "$x").keys()


def test_formatting_is_canonical_and_loses_no_comment(editor: Editor) -> None:
    def formatted(name: str, text: str) -> list[types.TextEdit] | None:
        editor.open(name, text)
        options = types.FormattingOptions(tab_size=2, insert_spaces=True)
        asked = types.DocumentFormattingParams(editor.at(name), options)
        found = editor.do(editor.client.text_document_formatting_async(asked))
        editor.close(name)
        return None if found is None else list(found)

    assert formatted("F.litmus", MP) == []
    for end in ("\n", "\r\n"):
        loose = MP.replace("\n\n", "\n\n\n").replace("\n", end)
        (edit,) = formatted("F.litmus", loose) or []
        assert edit.new_text == MP.replace("\n", end)
        assert edit.range == types.Range(types.Position(0, 0), types.Position(loose.count("\n"), 0))
    for name, text, why in (
        ("F.litmus", MP.replace("thread P0", "; why\nthread P0"), "keeps no comments, and line"),
        ("F.litmus", "litmus A\nwrong\n", "the test has errors"),
        ("f.cat", '"f"\n', "only litmus tests"),
    ):
        assert formatted(name, text) is None
        editor.until(partial(refused, editor, why))


def refused(editor: Editor, why: str) -> bool:
    return any(why in each.message for each in editor.client.messages)


def test_outlines(editor: Editor) -> None:
    def outline(name: str, text: str) -> list[tuple[str, types.SymbolKind]]:
        editor.open(name, text)
        asked = types.DocumentSymbolParams(editor.at(name))
        found = editor.do(editor.client.text_document_document_symbol_async(asked))
        editor.close(name)
        return [(each.name, each.kind) for each in found or ()]

    names_of = [name for name, _ in outline("S.litmus", MP)]
    assert names_of[:5] == ["MP+rel+acq", "x", "f", "P0", "P1"] and "llvm: never" in names_of
    broken = [name for name, _ in outline("S.litmus", MP.replace("store atomic", "sotre"))]
    assert broken == names_of, "what is broken keeps its outline"
    kinds = outline("s.cat", '"s"\nlet f(r) = r\nlet a = f(po)\nacyclic a as x\n')
    assert kinds == [
        ("f", types.SymbolKind.Function), ("a", types.SymbolKind.Variable), ("x", types.SymbolKind.Event),
    ]  # fmt: skip


def hinted(editor: Editor, name: str, text: str) -> list[tuple[int, str]]:
    whole = types.Range(types.Position(0, 0), types.Position(text.count("\n"), 0))
    asked = types.InlayHintParams(editor.at(name), whole)
    found = editor.do(editor.client.text_document_inlay_hint_async(asked))
    return [(each.position.line, str(each.label)) for each in found or ()]


def test_outcomes_stand_beside_the_lines(editor: Editor) -> None:
    editor.open("H.litmus", MP)
    question = position_of(MP, "exists").line
    expected = position_of(MP, "expect llvm never").line
    found = hinted(editor, "H.litmus", MP)
    assert found[:2] == [(question, "llvm: never"), (question, "amdgpu: never")] and (expected, "ok") in found
    wrong = MP.replace("expect llvm never", "expect llvm always")
    editor.change("H.litmus", wrong)
    assert (expected, "mismatch: found never") in hinted(editor, "H.litmus", wrong)
    asked = types.CodeLensParams(editor.at("H.litmus"))
    (lens,) = editor.do(editor.client.text_document_code_lens_async(asked)) or ()
    assert lens.command is not None and lens.command.title == "run under llvm, amdgpu"
    run = types.ExecuteCommandParams(lens.command.command, lens.command.arguments)
    before = editor.refreshed
    said = editor.do(editor.client.workspace_execute_command_async(run))
    assert said == "MP+rel+acq: llvm: never (race); amdgpu: never (race) (1 not as expected)"
    editor.until(lambda: editor.refreshed > before and editor.client.messages[-1].message == said)
    assert editor.client.messages[-1].type == types.MessageType.Warning
    editor.close("H.litmus")


def test_a_test_may_name_a_model_beside_it_as_it_is_in_the_editor(editor: Editor) -> None:
    text = MP.replace("expect llvm never", "expect mine sometimes")
    editor.open("mine.cat", '"mine"\nacyclic po as weak\n')
    editor.open("M.litmus", text)
    assert editor.problems("M.litmus") == []
    assert (position_of(text, "exists").line, "mine: sometimes") in hinted(editor, "M.litmus", text)
    editor.change("mine.cat", '"mine"\nacyclic po | rf | co | fr as sc\n')
    assert (position_of(text, "exists").line, "mine: never") in hinted(editor, "M.litmus", text)
    editor.close("M.litmus")
    editor.close("mine.cat")


def test_every_shipped_model_can_be_opened_and_is_clean(editor: Editor) -> None:
    paths = [path_of(text_of(name)) for name in names()]
    for path in (path for path in paths if path is not None and path.stem == "rc11"):
        editor.open(path.as_uri(), path.read_text(encoding="utf-8"))
        assert editor.problems(path.as_uri()) == []
        editor.close(path.as_uri())
    assert None not in paths
