// Make what a visitor need not wait for, with Pyodide's own Python: node compile.mjs WHEEL OUT.
// What comes out, in the folder OUT: `files.bin`, the files of the wheel, with its modules compiled; `memory.bin`, the
// memory of a Python that has done what `prepare.py` says, from which a visitor's Python starts. Both are
// compressed by gzip. `files.bin` begins with the length of a JSON text, 4 bytes, little end first; then come that text,
// a list of names and lengths, and the contents one after another.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";

const [wheel, out] = process.argv.slice(2);

/** Return the contents of a folder of Python's file system, packed as said above. */
function packed(files, folder) {
  const paths = [];
  const walk = (path) => {
    for (const name of files.readdir(path).filter((each) => each !== "." && each !== "..").sort()) {
      const inner = `${path}/${name}`;
      if (files.isDir(files.stat(inner).mode)) walk(inner);
      else paths.push(inner);
    }
  };
  walk(folder);
  const contents = paths.map((path) => Buffer.from(files.readFile(path)));
  const index = Buffer.from(JSON.stringify(paths.map((path, at) => [path, contents[at].length])));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(index.length);
  return Buffer.concat([length, index, ...contents]);
}

try {
  const python = await loadPyodide({ _makeSnapshot: true });
  python.FS.mkdirTree("/site");
  python.unpackArchive(new Uint8Array(readFileSync(wheel)), "zip", { extractDir: "/site" });
  python.runPython(`
import compileall, pathlib
assert compileall.compile_dir("/site", quiet=1, legacy=True), "a module does not compile"
for path in pathlib.Path("/site").rglob("*.py"):
    path.unlink()
`);
  writeFileSync(join(out, "files.bin"), gzipSync(packed(python.FS, "/site"), { level: 9 }));
  python.runPython(readFileSync(new URL("prepare.py", import.meta.url), "utf8"));
  writeFileSync(join(out, "memory.bin"), gzipSync(python.makeMemorySnapshot(), { level: 9 }));
} catch (error) {
  console.error(String(error.message ?? error).slice(0, 2000));
  process.exit(1);
}
