"""Lets torchvision be imported beside a torch that its extension was not built for."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import torch

_ASKED_AT_IMPORT = ("nms", "qnms")
_kept: list[torch.library.Library] = []
"""A library's operators last as long as the object that declared them."""


def stand_in_for_torchvision() -> None:
    """Declare the operators that torchvision asks for while it is imported, where its own do not load.

    torchvision's wheel is built for one build of torch; beside another (a CPU-only one) its extension does not load
    and `import torchvision` fails, and with it `import timm` and all that transformers builds, although no model needs
    the extension. Without torchvision, or where it fits, nothing is done.
    """
    spec = importlib.util.find_spec("torchvision")
    if spec is None or spec.origin is None or _kept or _loads(Path(spec.origin).parent):
        return
    library = torch.library.Library("torchvision", "DEF")  # type: ignore[no-untyped-call]
    for name in _ASKED_AT_IMPORT:
        library.define(f"{name}(Tensor a, Tensor b, float c) -> Tensor")  # type: ignore[no-untyped-call]
    _kept.append(library)


def _loads(folder: Path) -> bool:
    for path in (*folder.glob("_C*.so"), *folder.glob("_C*.pyd")):
        try:
            torch.ops.load_library(str(path))  # type: ignore[no-untyped-call]
        except OSError:
            continue
        return True
    return False
