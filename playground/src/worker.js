// The worker: Python with axmem, from a memory in which it has started; libraries are loaded when they are needed.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const say = (message) => self.postMessage(message);
const LATER = { z3: "Z3", networkx: "networkx", tabulate: "tabulate" };
const coming = new Map();
const installed = new Set();
let config = null;
let python = null;
let answered = null;

async function fetched(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return response;
}

/** Return a file of the page that is compressed, whether or not the server has said so to the browser. */
async function unpacked(address) {
  const content = await (await fetched(address)).arrayBuffer();
  const [first, second] = new Uint8Array(content);
  if (first !== 0x1f || second !== 0x8b) return new Uint8Array(content);
  const stream = new Blob([content]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Write the files of axmem into Python's file system; compile.mjs says how they are packed. */
function write(files, content) {
  let at = 4 + new DataView(content.buffer).getUint32(0, true);
  const made = new Set();
  for (const [path, length] of JSON.parse(new TextDecoder().decode(content.subarray(4, at)))) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!made.has(folder)) files.mkdirTree(folder);
    made.add(folder);
    files.writeFile(path, content.subarray(at, at + length), { canOwn: true });
    at += length;
  }
}

/** Return the wheel of a library, downloaded once; a download that failed is tried again when it is asked for. */
function wheel(name) {
  if (!coming.has(name)) {
    const found = fetched(new URL(config.later[name], import.meta.url)).then((response) => response.arrayBuffer());
    found.catch(() => coming.delete(name));
    coming.set(name, found);
  }
  return coming.get(name);
}

/** Install a library in one step: Python sees all of it or nothing, and no question meets a part. */
function install(name, content) {
  if (installed.has(name)) return;
  python.unpackArchive(content, "wheel");
  python.pyimport("importlib").invalidate_caches();
  installed.add(name);
  coming.delete(name);
}

async function start() {
  say({ loading: "Python", share: 0.1 });
  const files = unpacked("files.bin");
  const memory = unpacked("memory.bin");
  const asked = fetched("config.json");
  python = await loadPyodide({
    indexURL: new URL("pyodide/", import.meta.url).href,
    fsInit: async (system) => write(system, await files),
    _loadSnapshot: memory,
  });
  config = await (await asked).json();
  answered = python.globals.get("answered");
  say({ loading: "", ready: config.version });
}

/** Answer; a question that needs a library is given back, to be asked again when the library is there. */
function answer(id, request) {
  const found = JSON.parse(answered(JSON.stringify(request)));
  const name = found.needs;
  if (!name) return say({ id, answer: found });
  if (installed.has(name)) return say({ id, answer: { fault: `${LATER[name]} is there, and does not load` } });
  if (!config.later[name]) return say({ id, answer: { unknown: `this needs ${LATER[name]}, which is not part of this page` } });
  say({ id, needs: LATER[name] });
  return library(name);
}

/** Get a library, and say that it is there, or why it is not. */
async function library(name) {
  try {
    install(name, await wheel(name));
    say({ got: LATER[name] });
  } catch (error) {
    say({ got: LATER[name], missing: `${LATER[name]} could not be loaded: ${error.message ?? error}` });
  }
}

let turn = start().catch((error) => say({ failed: String(error.message ?? error) }));
let idle = 0;

/** Get Z3 while nobody waits: witnesses, cores and larger tests need it. */
function ahead() {
  if (config.later.z3) wheel("z3").then((content) => install("z3", content)).catch(() => {});
}

self.onmessage = ({ data: { id, request } }) => {
  clearTimeout(idle);
  turn = turn.then(() => {
    try {
      answer(id, request);
      if (!installed.has("z3")) idle = setTimeout(ahead, 1500);
    } catch (error) {
      say({ failed: String(error.message ?? error) });
    }
  });
};
