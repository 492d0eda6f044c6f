"""Build the playground: the page, Pyodide, axmem's wheel and the libraries that it needs, into one folder.

What goes in: `python playground/build.py WHEEL OUT`, run by `make playground` when npm's packages are there. What comes
out: a folder of static files that any server can show. Invariant: the page runs the wheel that is named, and its
catalogue is made by the code of this checkout, from which the wheel is made.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from axmem.playground.catalogue import TESTS, catalogue

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
LIBRARIES = ("networkx", "tabulate")
Z3 = "z3-solver"
POLICY = HERE / "headers.txt"


def main(wheel: Path, out: Path) -> None:
    """Write the page into a folder, which is made anew."""
    shutil.rmtree(out, ignore_errors=True)
    (out / "pyodide").mkdir(parents=True)
    (out / "wheels").mkdir()
    for name in PYODIDE:
        shutil.copy(MODULES / "pyodide" / name, out / "pyodide" / name)
    for name in ("index.html", "style.css", "icon.svg"):
        shutil.copy(HERE / name, out / name)
    shutil.copy(POLICY, out / "_headers")
    later = {library: fetched(library, out / "wheels") for library in LIBRARIES}
    if missing := [library for library, found in later.items() if not found]:
        raise SystemExit(f"playground: no wheel of {', '.join(missing)}")
    if z3 := fetched_z3(out / "wheels"):
        later["z3"] = z3
    found = catalogue()
    found["tests"] |= findings(HERE.parent / "docs" / "findings")
    write(out / "catalogue.json", found)
    prepare(wheel, out)
    shutil.copy(wheel, out / "wheels" / wheel.name)
    write(out / "config.json", {"version": found["version"], "later": {n: f"wheels/{p}" for n, p in later.items()}})
    bundle(out)
    service_worker(out)


def write(path: Path, record: object) -> None:
    """Write a record as JSON."""
    path.write_text(json.dumps(record, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def fetched(name: str, folder: Path, *more: str) -> str:
    """Put a library into a folder as a wheel, fetched once; return the wheel's name, or nothing if there is none."""
    kept = folder.parent.parent / "libraries" / name
    if not any(kept.glob("*.whl")):
        command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*command, "--only-binary=:all:", *more, "-d", str(kept), name], check=False)
    for path in sorted(kept.glob("*.whl"))[-1:]:
        shutil.copy(path, folder)
        return path.name
    return ""


def fetched_z3(folder: Path) -> str:
    """Fetch Z3's wheel for Pyodide; return its name, and say plainly if there is none."""
    lock = json.loads((MODULES / "pyodide" / "pyodide-lock.json").read_text(encoding="utf-8"))["info"]
    abi = lock["abi_version"]
    version = lock["python"].rsplit(".", 1)[0]
    found = fetched(Z3, folder, "--platform", f"pyemscripten_{abi}_wasm32", "--python-version", version)
    if not found:
        print(f"playground: no wheel of {Z3} for Pyodide {abi}: the page answers by tables alone", file=sys.stderr)
    return found


def findings(folder: Path) -> dict[str, str]:
    """Return the tests of the findings by the names that the page shows."""
    paths = sorted(path for path in folder.iterdir() if path.suffix in TESTS and ".ballot." not in path.name)
    return {f"findings/{path.name}": path.read_text(encoding="utf-8") for path in paths}


def prepare(wheel: Path, out: Path) -> None:
    """Write the files of the wheel, and the memory of a Python that has loaded them, from which the page starts."""
    subprocess.run(["node", str(HERE / "compile.mjs"), str(wheel), str(out)], check=True)
    if missing := modules(wheel) - packed(out / "files.bin"):
        raise SystemExit(f"playground: the files of the page lack {sorted(missing)[:3]}")


def modules(wheel: Path) -> set[str]:
    """Return the files of a wheel as they lie in the page, its modules compiled."""
    with zipfile.ZipFile(wheel) as found:
        names = {name for name in found.namelist() if not name.endswith("/")}
    return {f"/site/{name}c" if name.endswith(".py") else f"/site/{name}" for name in names}


def packed(path: Path) -> set[str]:
    """Return the names of the files that `compile.mjs` packed."""
    content = gzip.decompress(path.read_bytes())
    length = int.from_bytes(content[:4], "little")
    return {name for name, _ in json.loads(content[4 : 4 + length])}


def bundle(out: Path) -> None:
    """Write the scripts, with what they import, and without comments."""
    esbuild = [str(MODULES / ".bin" / "esbuild"), "--format=esm", "--target=es2022", "--log-level=warning"]
    main = [str(HERE / "src" / "main.js"), "--bundle", "--minify", f"--outfile={out / 'main.js'}"]
    subprocess.run([*esbuild, *main], check=True)
    worker = [str(HERE / "src" / "worker.js"), "--minify", f"--outfile={out / 'worker.js'}"]
    subprocess.run([*esbuild, *worker], check=True)


def service_worker(out: Path) -> None:
    """Write the service worker, which names every file, under a digest of all of them."""
    files = sorted(path for path in out.rglob("*") if path.is_file() and path.name != "_headers")
    kept = [
        path
        for path in files
        if not (path.parent.name == "wheels" and path.name.startswith("axmem") and path.suffix == ".whl")
    ]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in kept)).hexdigest()[:16]
    names = ["./", *(path.relative_to(out).as_posix() for path in kept)]
    text = (HERE / "src" / "sw.js").read_text(encoding="utf-8")
    text = text.replace("@BUILD@", digest).replace('["@FILES@"]', json.dumps(names))
    (out / "sw.js").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
