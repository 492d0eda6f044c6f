"""Libraries that come with an extra of the package, such as `axmem[shell]`, and that need not be there."""

from __future__ import annotations

from importlib import import_module  # noqa: TID251 -- of an extra, if it is there
from typing import Any

from axmem.front.source import mistake


def needed(module: str, asked: str, extra: str) -> Any:
    """Return a module of an extra; raise InputError about what `asked` for it, if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        package = module.split(".")[0].replace("_", "-")
        raise mistake(asked, f"this needs {package}", f"pip install 'axmem[{extra}]'") from None
