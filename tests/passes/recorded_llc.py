"""What llc made of a few programs, recorded: an llc that needs no LLVM.

`python -m tests.passes.recorded_llc` records anew, with llc-22, what `axmem verify --hunt` asks it about the
first programs for `TARGET`, and about tests with two causes. Each module that llc is given has a file in the folder
`recorded/llc`, named by the digest of the module and of the options.
"""

from __future__ import annotations

import stat
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from axmem.passes.hunting import Hunt, Prey, hunted

PLACE = Path(__file__).parent / "recorded" / "llc"
TARGET, SEED, PROGRAMS = "gfx1200", 4, 6
LLC = "llc-22"
TWO_CAUSES = """litmus Two-causes
"A release to the cluster that does not write back, and loads that are merged over the acquire."

global <2 x i32> x = 0
global y = 0

thread P0 @ workgroup 0 {
  store 1, x[1]
  store atomic 1, y syncscope("cluster") release
}

thread P1 @ workgroup 1 {
  r0 = load x[0]
  r1 = load atomic y syncscope("cluster") acquire
  r2 = load x[1]
}

exists (P1:r1=1 /\\ P1:r2=0)
expect amdgpu never
"""
TWO_CAUSES_MERGED = """litmus Two-causes-merged
"A release to the cluster that does not write back, and is merged with a plain store, so that it waits for nothing."

global x = 0, y = 0, z = 0, w = 0

thread P0 @ workgroup 0 {
  r0 = load w
  if r0 == 0 {
    store 1, z
    store 1, x
    store atomic 1, y syncscope("cluster") release
  } else {
    store 1, z
    store 1, x
    store 1, y
  }
}

thread P1 @ workgroup 1 {
  r1 = load atomic y acquire
  r2 = load x
}

exists (P1:r1=1 /\\ P1:r2=0)
expect amdgpu never
"""
CLUSTERS = "gfx1250"
"""The target of the tests with two causes."""
# It is run hundreds of times, and so it starts without what is installed, and loads little.
_SCRIPT = """#!{python} -IS
import hashlib, os, sys
if "--version" in sys.argv:
    sys.exit(print("LLVM version 22.1.8"))
text = sys.stdin.read()
name = hashlib.sha256(" ".join([*sys.argv[1:], text]).encode()).hexdigest()[:16]
file = os.path.join({place!r}, name + ".s")
if {real!r} and not os.path.exists(file):
    import subprocess
    made = subprocess.run([{real!r}, *sys.argv[1:]], input=text, capture_output=True, text=True, check=True).stdout
    open(file, "w").write(made)
if not os.path.exists(file):
    sys.exit("error: this module was not recorded")
sys.stdout.write(open(file).read())
"""


def install(folder: Path, real: str = "") -> str:
    """Write such an llc into a directory; return its path. With a real one it records what is not recorded yet."""
    path = folder / LLC
    path.write_text(_SCRIPT.format(python=sys.executable, place=str(PLACE), real=real), encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def main() -> int:
    """Record; return the exit code."""
    PLACE.mkdir(exist_ok=True)
    for old in PLACE.glob("*.s"):
        old.unlink()
    with TemporaryDirectory() as folder:
        llc = install(Path(folder), LLC)
        for each in Hunt(TARGET, llc, SEED).run(None, PROGRAMS):
            print(each.pages, each.key)
        for text in (TWO_CAUSES, TWO_CAUSES_MERGED):
            print(hunted(Prey(text, CLUSTERS, llc, None, 200_000)).pages)
    return 0


if __name__ == "__main__":
    sys.exit(main())
