// Tokenizes files as VS Code does, and prints for each a list of [text, scope], one list a line, as JSON.
// node test/tokens.js LANGUAGE FILE…
const fs = require("node:fs");
const path = require("node:path");
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");
const { OnigScanner, OnigString, loadWASM } = require("vscode-oniguruma");

const ROOT = path.join(__dirname, "..");

async function main(language, files) {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const file = path.join(ROOT, "syntaxes", `${language}.tmLanguage.json`);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new OnigScanner(patterns),
      createOnigString: (text) => new OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(fs.readFileSync(file, "utf8"), file),
  });
  const grammar = await registry.loadGrammar(`source.${language}`);
  for (const name of files) {
    let stack = INITIAL;
    const tokens = fs.readFileSync(name, "utf8").split(/\r\n|\r|\n/).map((line) => {
      const found = grammar.tokenizeLine(line, stack);
      stack = found.ruleStack;
      return found.tokens.map((each) => [line.slice(each.startIndex, each.endIndex), each.scopes.at(-1)]);
    });
    console.log(JSON.stringify(tokens));
  }
}

main(process.argv[2], process.argv.slice(3));
