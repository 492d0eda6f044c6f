// Editors: CodeMirror 6 with the words of our languages, completion of them, and the diagnostics of the readers.
import { autocompletion, completionKeymap, completeFromList } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, drawSelection, keymap, lineNumbers } from "@codemirror/view";
import { highlightTree, tags } from "@lezer/highlight";
import { h } from "./dom.js";

const KINDS = {
  keyword: tags.keyword,
  operation: tags.function(tags.name),
  modifier: tags.modifier,
  atom: tags.atom,
  verdict: tags.className,
  type: tags.typeName,
};
const STYLE = HighlightStyle.define([
  { tag: tags.keyword, class: "t-keyword" },
  { tag: tags.function(tags.name), class: "t-operation" },
  { tag: tags.modifier, class: "t-modifier" },
  { tag: tags.atom, class: "t-atom" },
  { tag: tags.className, class: "t-verdict" },
  { tag: tags.typeName, class: "t-type" },
  { tag: tags.comment, class: "t-comment" },
  { tag: tags.string, class: "t-string" },
  { tag: tags.number, class: "t-number" },
  { tag: tags.variableName, class: "t-variable" },
]);
const COMMENTS = { litmus: /^;.*/, "llvm-ir": /^(;.*|#dbg_.*)/, cat: /^(\/\/|#).*/ };
const WORD = { litmus: /^[A-Za-z_$][\w$.-]*/, "llvm-ir": /^[A-Za-z_$][\w$.]*/, cat: /^_?[A-Za-z][\w.-]*'*/ };
const NAMED = { litmus: /^[%@][\w.$]+/, "llvm-ir": /^[%@$](?:[-\w.$]+|"[^"\n]*"?)/, cat: /^(?!)/ };
const IR_ALONE = [[/^[-\w.$]+:/, "atom"], [/^i[0-9]+\b/, "type"], [/^(![\w.$]+|#[0-9]+)/, "modifier"]];

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
      if (stream.match(/^[!c]?"[^"\n]*"?/)) return "string";
      if (stream.match(NAMED[name])) return "variableName";
      if (name === "llvm-ir") for (const [pattern, kind] of IR_ALONE) if (stream.match(pattern)) return kind;
      if (stream.match(/^(0[xX][0-9A-Fa-fu]+|0b[01u]+|[0-9]+(\.[0-9]+)?)/)) return "number";
      const word = stream.match(WORD[name]);
      if (word) return kinds.get(word[0]) ?? null;
      stream.next();
      return null;
    },
    tokenTable: KINDS,
    languageData: { commentTokens: { line: name === "cat" ? "//" : ";" } },
  });
}

/** Return the languages of a catalogue, by their names: how each is coloured, and what completes its words. */
export function languages(catalogue) {
  const told = new RegExp(`^(?:${catalogue.ir})$`);
  const made = Object.fromEntries(Object.entries(catalogue.words).map(([name, words]) => {
    const completions = Object.entries(words).flatMap(([kind, found]) => found.map((word) => ({ label: word, type: kind })));
    const coloured = language(name, words);
    const completed = autocompletion({ override: [completeFromList(completions)] });
    return [name, { coloured, extension: [coloured, completed] }];
  }));
  // A text that does not begin with `litmus` may be LLVM IR, whose lines tell.
  const of = (text) => {
    const lines = text.split("\n", 200).map((line) => line.trimEnd());
    const first = lines.find((line) => line && !/^\s*;/.test(line)) ?? "";
    return !/^\s*litmus\b/.test(first) && lines.some((line) => told.test(line)) ? "llvm-ir" : "litmus";
  };
  return { ...made, of };
}

/** Return an editor in an element; `changed` hears of each change of its text. The test's editor tells LLVM IR itself. */
export function editor(parent, name, known, label, changed) {
  const spoken = new Compartment();
  let now = name;
  const told = (update) => {
    if (name !== "litmus" || !update.docChanged) return;
    const found = known.of(textOf(update.view));
    if (found === now) return;
    now = found;
    queueMicrotask(() => update.view.dispatch({ effects: spoken.reconfigure(known[found].extension) }));
  };
  return new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        // On a phone lines go on below.
        matchMedia("(max-width: 800px)").matches ? EditorView.lineWrapping : [],
        lineNumbers(), history(), drawSelection(), bracketMatching(), lintGutter(),
        spoken.of(known[name].extension), syntaxHighlighting(STYLE),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => { told(update); if (update.docChanged) changed(); }),
      ],
    }),
  });
}

/** Return a text as it is coloured in an editor, to be read alone. */
export function coloured(text, { coloured: { parser } }) {
  const parts = [];
  let at = 0;
  highlightTree(parser.parse(text), STYLE, (from, to, classes) => {
    parts.push(text.slice(at, from), h("span", { class: classes }, text.slice(from, to)));
    at = to;
  });
  return h("pre", { class: "code", tabindex: "0" }, h("code", {}, ...parts, text.slice(at)));
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
