// The worker: Pyodide with axmem from its wheel; libraries that are needed later are loaded when they are.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const say = (message) => self.postMessage(message);
const bytes = async (address) => {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
};

const config = await (await fetch("config.json")).json();
const LATER = { z3: "Z3", networkx: "networkx", tabulate: "tabulate" };
const loaded = new Map();
let python = null;
let answered = null;

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
  const wheel = bytes(config.wheel);
  python = await loadPyodide({ indexURL: new URL("pyodide/", import.meta.url).href });
  say({ loading: "axmem", share: 0.7 });
  const site = python.runPython("import site; site.getsitepackages()[0]");
  python.unpackArchive(await wheel, "zip", { extractDir: site });
  python.runPython(`
import importlib, os, site
importlib.invalidate_caches()
os.environ["AXMEM_CACHE"] = site.getsitepackages()[0] + "/axmem-models"
`);
  answered = python.runPython("from axmem.playground.answers import answered; answered");
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
