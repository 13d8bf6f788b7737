"""Advisor: which device, batch size, precision and parallel strategy to train a PyTorch model with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from advisor.advice.advice import Advice
    from advisor.advice.call import advise
    from advisor.workload.workload_file import load_workload

__all__ = ["Advice", "__version__", "advise", "load_workload"]

__version__ = "0.1.0"

_HOME = {
    "advise": "advisor.advice.call",
    "load_workload": "advisor.workload.workload_file",
    "Advice": "advisor.advice.advice",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - PEP 562: the three public names have three types
    """Import the public names on first use, so that `import advisor` costs nothing (no work at import)."""
    if name not in _HOME:
        message = f"module 'advisor' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """The public names, whether or not one was used yet: what a notebook completes."""
    return __all__
