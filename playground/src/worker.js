// The worker: Python with axmem, from a memory in which it has started; libraries are loaded when they are needed.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const say = (message) => self.postMessage(message);
const LATER = { z3: "Z3", networkx: "networkx", tabulate: "tabulate" };
const loaded = new Map();
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

/** Load a library once; return whether the page has it. */
function later(name) {
  if (!config.later[name]) return Promise.resolve(false);
  if (!loaded.has(name)) loaded.set(name, load(name));
  return loaded.get(name);
}

async function load(name) {
  say({ loading: LATER[name], share: 0.5 });
  const address = new URL(config.later[name], import.meta.url).href;
  await python.loadPackage(address, { checkIntegrity: false, messageCallback() {}, errorCallback: console.error });
  say({ loading: "" });
  return true;
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

async function answer(request) {
  for (let tries = 0; ; tries++) {
    const found = JSON.parse(answered(JSON.stringify(request)));
    if (!found.needs || tries > 3) return found;
    if (!(await later(found.needs))) {
      return { unknown: `this needs ${LATER[found.needs]}, which is not part of this page` };
    }
  }
}

let turn = start().catch((error) => say({ failed: String(error.message ?? error) }));
let idle = 0;

self.onmessage = ({ data: { id, request } }) => {
  clearTimeout(idle);
  turn = turn.then(async () => {
    try {
      say({ id, answer: await answer(request) });
      // Witnesses, cores and larger tests need Z3: it comes while nobody waits.
      idle = setTimeout(() => later("z3").catch(() => {}), 1500);
    } catch (error) {
      say({ failed: String(error.message ?? error) });
    }
  });
};
