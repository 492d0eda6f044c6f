// The client: it starts `axmem lsp` for tests, models and rules. All that is said of them comes from the server.
const { commands, window, workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

const LANGUAGES = ["litmus", "cat", "axmem-rule"];
let client;

async function start() {
  const [command, ...args] = workspace.getConfiguration("axmem").get("command");
  const server = { command, args, transport: TransportKind.stdio };
  const options = {
    documentSelector: LANGUAGES.map((language) => ({ language })),
    synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.cat") },
  };
  client = new LanguageClient("axmem", "axmem", server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const said = `axmem: ${command} does not start (${error.message}). Install it with pip install 'axmem[lsp]', or set axmem.command.`;
    window.showErrorMessage(said);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function restart() {
  await stop();
  await start();
}

exports.activate = async (context) => {
  context.subscriptions.push(
    commands.registerCommand("axmem.restart", restart),
    workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("axmem.command") && restart()),
  );
  await start();
};

exports.deactivate = stop;
