"""Write what the extension for VS Code has of the languages: `python editors/generate.py`.

What goes in: nothing. What comes out: the files of `axmem.editor.textmate` below `editors/vscode`.
"""

from __future__ import annotations

import json
from pathlib import Path

from axmem.editor.textmate import files

HERE = Path(__file__).parent / "vscode"


def texts() -> dict[Path, str]:
    """Return the generated files by their paths."""
    return {HERE / name: json.dumps(found, indent=2, ensure_ascii=False) + "\n" for name, found in files().items()}


if __name__ == "__main__":
    for path, text in texts().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
