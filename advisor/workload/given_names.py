"""What a model is called that comes as a file or a folder: by whichever name says something of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from advisor.core.errors import UserFacingError
from advisor.workload.config_sizes import layer_count, width
from advisor.workload.model_config import raw_config

_OF_ANY = re.compile(
    "archive|base|best|blobs|cache|checkpoint|checkpoints|ckpt|ckpts|code|conf|config|configs|"
    "configuration|content|copy|data|dataset|datasets|desktop|docs|documents|download|downloads|export|"
    "exports|files|final|folder|git|github|hf|home|hub|huggingface|last|latest|main|media|mnt|model|"
    "modeling|models|new|opt|out|output|outputs|pretrained|project|projects|repo|repos|result|results|"
    "root|run|runs|save|saved|script|scripts|share|shared|snapshot|snapshots|src|srv|temp|temporary|test|"
    "tests|tmp|train|trained|trainer|training|untitled|user|users|var|weights|work|workspace|下载|临时|代码|实验|"
    "导出|数据|文件|文档|新建文件夹|权重|桌面|模型|测试|训练|输出|配置|项目"
)
"""Words that a folder or file of any model may be called by."""
_WORD = re.compile(r"[^\W\d_]+")
_MADE_UP = re.compile(r"[0-9a-f]{16,}|tmp[._-]?\w{6,12}", re.IGNORECASE)
"""A commit's hash, or a folder for a while."""
_STATE = re.compile(r"[0-9a-f]{16,}|(?:checkpoint|ckpt|(?:global_?)?step|epoch)[-_]?\d+", re.IGNORECASE)
"""A state of a model: the model's own name is the folder's above."""
_KEPT_BY_HUB = "models--"
_HUB_ID = re.compile(r"[\w][\w.-]*(?:/[\w][\w.-]*)?", re.ASCII)


def name_of_config(path: Path) -> str:
    """The name of a model that is given by its `config.json`, or by the folder of one.

    Of file and folder whichever says something, else what the configuration calls itself, else its kind and size
    (`llama 32×4096`: layers and width).
    """
    folder = path if path.is_dir() else path.parent
    own = () if path.is_dir() else (path.name.removesuffix(".json"),)
    told = _telling((*own, *_names_of(folder)))
    return told or _name_in(folder / "config.json" if path.is_dir() else path) or (*own, folder.name)[0] or "model"


def name_of_code(path: Path) -> str:
    """The name of a model in a Python file: the file's own, or its folder's where that alone says something."""
    return _telling((path.stem, *_names_of(path.parent))) or path.stem


def shown_file(path: Path) -> str:
    """What tells a file from others in a list of them: its name, with its folder where many are called so."""
    return path.name if _says_something(path.stem) or not path.parent.name else f"{path.parent.name}/{path.name}"


def _telling(names: Iterator[str] | tuple[str, ...]) -> str:
    """The first name that says something of a model; empty where none does."""
    return next((name for name in names if _says_something(name)), "")


def _says_something(name: str) -> bool:
    words = _WORD.findall(name.casefold())
    return any(_OF_ANY.fullmatch(word) is None for word in words) and _MADE_UP.fullmatch(name) is None


def _names_of(folder: Path) -> Iterator[str]:
    if folder == Path.home():
        return  # A person is not a model.
    yield folder.name
    if _STATE.fullmatch(folder.name) is not None:
        above = folder.parent.parent if folder.parent.name == "snapshots" else folder.parent
        kept, hub = above.name, above.name.startswith(_KEPT_BY_HUB)
        yield kept.removeprefix(_KEPT_BY_HUB).replace("--", "/", 1) if hub else kept


def _name_in(path: Path) -> str:
    try:
        config = raw_config(path)
    except UserFacingError:
        return ""  # What is wrong with it is told where it is read.
    named = config.get("_name_or_path")
    if isinstance(named, str) and named:
        if _HUB_ID.fullmatch(named) is not None and _says_something(named.rpartition("/")[2]):
            return named
        if told := _telling(_names_of(Path(named.replace("\\", "/")))):
            return told
    return _kind_and_size(config)


def _kind_and_size(config: Mapping[str, Any]) -> str:
    kind, layers, wide = config.get("model_type"), layer_count(config), width(config)
    size = f" {layers}×{wide}" if layers is not None and wide is not None else ""
    return f"{kind}{size}" if isinstance(kind, str) and kind else ""
