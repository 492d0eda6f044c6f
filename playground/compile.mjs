// Compile the modules of a wheel with Pyodide's own Python: node compile.mjs WHEEL OUT.
// What comes out is a zip of the wheel's files, with a __pycache__ beside each module, which nothing checks when it is
// read, and the models of the package as axmem keeps them between commands, in `axmem-models`.
import { readFileSync, writeFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const [wheel, out] = process.argv.slice(2);
try {
  const python = await loadPyodide();
  python.FS.mkdirTree("/site");
  python.unpackArchive(new Uint8Array(readFileSync(wheel)), "zip", { extractDir: "/site" });
  python.runPython(`
import compileall, py_compile, shutil
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
assert compileall.compile_dir("/site", quiet=1, invalidation_mode=unchecked), "a module does not compile"
import os, sys
os.environ["AXMEM_CACHE"] = "/site/axmem-models"
sys.path.insert(0, "/site")
from axmem.model.library import load, names
for name in names():
    load(name)
shutil.make_archive("/whole", "zip", "/site")
`);
  writeFileSync(out, python.FS.readFile("/whole.zip"));
} catch (error) {
  console.error(String(error.message ?? error).slice(0, 2000));
  process.exit(1);
}
