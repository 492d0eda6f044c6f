// Editors: CodeMirror 6 with the words of our languages, completion of them, and the diagnostics of the readers.
import { autocompletion, completionKeymap, completeFromList } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const KINDS = {
  keyword: tags.keyword,
  operation: tags.function(tags.name),
  modifier: tags.modifier,
  atom: tags.atom,
  verdict: tags.className,
};
const STYLE = HighlightStyle.define([
  { tag: tags.keyword, class: "t-keyword" },
  { tag: tags.function(tags.name), class: "t-operation" },
  { tag: tags.modifier, class: "t-modifier" },
  { tag: tags.atom, class: "t-atom" },
  { tag: tags.className, class: "t-verdict" },
  { tag: tags.comment, class: "t-comment" },
  { tag: tags.string, class: "t-string" },
  { tag: tags.number, class: "t-number" },
  { tag: tags.variableName, class: "t-variable" },
]);
const COMMENTS = { litmus: /^;.*/, cat: /^(\/\/|#).*/ };
const WORD = { litmus: /^[A-Za-z_$][\w$.-]*/, cat: /^_?[A-Za-z][\w.-]*'*/ };

function language(name, words) {
  const kinds = new Map(Object.entries(words).flatMap(([kind, found]) => found.map((word) => [word, kind])));
  return StreamLanguage.define({
    name,
    startState: () => ({ depth: 0 }),
    token(stream, state) {
      if (name === "cat" && (state.depth || stream.match("(*", false))) {
        while (!stream.eol()) {
          if (stream.match("(*")) state.depth++;
          else if (stream.match("*)")) {
            if (!--state.depth) break;
          } else stream.next();
        }
        return "comment";
      }
      if (stream.eatSpace()) return null;
      if (stream.match(COMMENTS[name])) return "comment";
      if (stream.match(/^!?"[^"\n]*"?/)) return "string";
      if (stream.match(/^[%@][\w.$]+/)) return "variableName";
      if (stream.match(/^(0[xX][0-9A-Fa-f]+|[0-9]+(\.[0-9]+)?)/)) return "number";
      const word = stream.match(WORD[name]);
      if (word) return kinds.get(word[0]) ?? null;
      stream.next();
      return null;
    },
    tokenTable: KINDS,
    languageData: { commentTokens: { line: name === "cat" ? "//" : ";" } },
  });
}

/** Return an editor in an element; `changed` hears of each change of its text. */
export function editor(parent, name, words, label, changed) {
  const completions = Object.entries(words).flatMap(([kind, found]) => found.map((word) => ({ label: word, type: kind })));
  return new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        lineNumbers(), history(), drawSelection(), bracketMatching(), lintGutter(),
        autocompletion({ override: [completeFromList(completions)] }),
        language(name, words), syntaxHighlighting(STYLE),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => update.docChanged && changed()),
      ],
    }),
  });
}

export const textOf = (view) => view.state.doc.toString();

export function setText(view, text) {
  if (textOf(view) !== text) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

/** Underline diagnostics of the checker, whose lines and columns count from 1, columns in characters. */
export function show(view, found) {
  const doc = view.state.doc;
  const marks = found.filter((each) => each.line > 0 && each.line <= doc.lines).map((each) => {
    const line = doc.line(each.line);
    const characters = [...line.text];
    const before = characters.slice(0, each.column - 1).join("").length;
    const marked = characters.slice(each.column - 1, each.column - 1 + each.length).join("").length;
    const from = Math.min(line.from + before, line.to);
    const to = Math.min(Math.max(from + 1, from + marked), Math.max(line.to, from));
    return { from, to, severity: each.severity, message: each.hint ? `${each.message}\n${each.hint}` : each.message };
  });
  view.dispatch(setDiagnostics(view.state, marks));
}
