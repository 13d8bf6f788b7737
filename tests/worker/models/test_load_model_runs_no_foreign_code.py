"""No folder or file of a model runs code of its own: twelve and more evil ones leave no marker behind."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from advisor.core.errors import UserFacingError
from advisor.worker.models.load_model import load
from advisor.workload.workload_file import load_workload

CONFIG: dict[str, Any] = {
    "model_type": "bert",
    "architectures": ["BertForSequenceClassification"],
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "vocab_size": 50,
    "max_position_embeddings": 256,
}
TOML = """
name = "x"
[model]
{model}
[data]
samples = 100
sequence_length = 8
[training]
batch_size = 2
precision = "fp32"
"""


def touching(marker: Path) -> str:
    return f"open({str(marker)!r}, 'w').close()\n"


def folder_with(folder: Path, files: dict[str, str | bytes], **config: Any) -> Path:
    (folder / "config.json").write_text(json.dumps({**CONFIG, **config}), "utf-8")
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def pickle_that_touches(marker: Path) -> bytes:
    return b"cposix\nsystem\n(S'touch " + str(marker).encode() + b"'\ntR."


def toml_file(folder: Path, model: str) -> Path:
    path = folder / "w.toml"
    path.write_text(TOML.format(model=model), "utf-8")
    return path


Maker = Callable[[Path, Path], Path]

EVIL: dict[str, Maker] = {
    "auto_map": lambda folder, marker: folder_with(
        folder,
        {"modeling_evil.py": touching(marker), "configuration_evil.py": touching(marker)},
        auto_map={"AutoConfig": "configuration_evil.C", "AutoModelForSequenceClassification": "modeling_evil.M"},
        model_type="bert",
    ),
    "auto_map of an unknown type": lambda folder, marker: folder_with(
        folder,
        {"configuration_evil.py": touching(marker)},
        auto_map={"AutoConfig": "configuration_evil.C"},
        model_type="evil",
    ),
    "trust_remote_code": lambda folder, marker: folder_with(
        folder,
        {"modeling_evil.py": touching(marker)},
        trust_remote_code=True,
        auto_map={"AutoModel": "modeling_evil.M"},
    ),
    "attention from a repository": lambda folder, marker: folder_with(
        folder, {"owner/repo/__init__.py": touching(marker)}, attn_implementation="owner/repo"
    ),
    "hidden attention from a repository": lambda folder, marker: folder_with(
        folder,
        {"owner/repo.py": touching(marker)},
        _attn_implementation="owner/repo",
        _attn_implementation_internal="x/y",
    ),
    "kernels": lambda folder, marker: folder_with(
        folder,
        {"kernel.py": touching(marker)},
        use_kernels=True,
        kernel_config={"kernel_mapping": {"a": "owner/repo:K"}},
    ),
    "quantiser": lambda folder, marker: folder_with(
        folder, {"evil.py": touching(marker)}, quantization_config={"quant_method": "evil", "modules": ["evil"]}
    ),
    "pickled weights": lambda folder, marker: folder_with(
        folder, {"pytorch_model.bin": pickle_that_touches(marker), "model.pt": pickle_that_touches(marker)}
    ),
    "pickle as configuration": lambda folder, marker: _replaced(folder, pickle_that_touches(marker)),
    "architectures that name functions": lambda folder, _marker: folder_with(
        folder, {}, architectures=["__import__", "os.system", "../evil"], model_type="bert"
    ),
    "type that names a file": lambda folder, marker: folder_with(
        folder, {"evil.py": touching(marker)}, model_type="../evil"
    ),
    "custom generation": lambda folder, marker: folder_with(
        folder,
        {"custom_generate/generate.py": touching(marker), "generation_config.json": '{"custom_generate": "."}'},
    ),
    "tokenizer code": lambda folder, marker: folder_with(
        folder,
        {"tok.py": touching(marker), "tokenizer_config.json": '{"auto_map": {"AutoTokenizer": ["tok.T", null]}}'},
    ),
    "backbone of the hub": lambda folder, marker: folder_with(
        folder, {"b.py": touching(marker)}, use_pretrained_backbone=True, backbone="owner/repo", use_timm_backbone=True
    ),
    "python file without consent": lambda folder, marker: folder / _python(folder, marker).name,
    "toml naming a python file": lambda folder, marker: toml_file(
        _python(folder, marker).parent, 'source = "python"\nfile = "net.py"'
    ),
    "python file behind a bundled path": lambda folder, marker: toml_file(
        _python(folder, marker).parent, f'source = "python"\nfile = "{folder}/../{folder.name}/net.py"'
    ),
}


def _replaced(folder: Path, content: bytes) -> Path:
    (folder / "config.json").write_bytes(content)
    return folder


def _python(folder: Path, marker: Path) -> Path:
    path = folder / "net.py"
    path.write_text(touching(marker) + "def build_model(): ...\ndef make_batch(batch_size, length): ...\n", "utf-8")
    return path


@pytest.mark.parametrize("name", EVIL)
def test_an_evil_folder_or_file_leaves_no_marker(tmp_path: Path, name: str) -> None:
    marker, folder = tmp_path / "marker", tmp_path / "model"
    folder.mkdir()
    reference = EVIL[name](folder, marker)
    with contextlib.suppress(UserFacingError):
        model = load(load_workload(reference))
        model.loss(model.module, model.make_batch(2))
    assert not marker.exists()
    assert not list(folder.rglob("__pycache__"))


def test_there_are_twelve_or_more(record_property: Callable[[str, object], None]) -> None:
    assert len(EVIL) >= 12
    record_property("figure", f"{len(EVIL)} evil folders and files")


def test_a_python_file_runs_once_it_is_allowed(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    code = (
        touching(marker)
        + "import torch\n"
        + "def build_model(): return torch.nn.Linear(4, 2)\n"
        + "def make_batch(batch_size, length): return torch.randn(batch_size, 4), torch.zeros(batch_size).long()\n"
    )
    (tmp_path / "net.py").write_text(code, "utf-8")
    model = load(load_workload(tmp_path / "net.py"), allow_code=True)
    assert marker.exists()
    assert model.loss(model.module, model.make_batch(3)).numel() == 1


def test_a_compiled_file_beside_the_allowed_one_is_not_run_in_its_place(tmp_path: Path) -> None:
    import importlib.util
    import py_compile

    marker, path = tmp_path / "marker", tmp_path / "net.py"
    harmless = (
        "import torch\ndef build_model(): return torch.nn.Linear(2, 2)\ndef make_batch(batch_size, length): ...\n"
    )
    evil = touching(marker) + harmless
    path.write_text(evil, "utf-8")
    compiled = Path(importlib.util.cache_from_source(str(path)))
    py_compile.compile(str(path), cfile=str(compiled), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    path.write_text(harmless, "utf-8")
    load(load_workload(path), allow_code=True)
    assert not marker.exists()


def test_modules_of_the_users_folder_shadow_nothing_in_the_worker(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    for name in ("json", "torch", "tomllib", "transformers", "sitecustomize", "config"):
        (tmp_path / f"{name}.py").write_text(touching(marker), "utf-8")
    folder_with(tmp_path, {})
    program = (
        "from advisor.workload.workload_file import load_workload\n"
        "from advisor.worker.models.load_model import load\n"
        "print(sum(p.numel() for p in load(load_workload('.')).module.parameters()))\n"
    )
    answer = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    assert int(answer.stdout) > 0
    assert not marker.exists()
