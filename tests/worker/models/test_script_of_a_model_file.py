"""The launch script calls a model's own file as it was called here: every form of its functions that is taken."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import torch

from advisor.present.script import launch_script
from advisor.store.advice_record import AdviceRecord
from advisor.worker.models.load_model import load
from advisor.workload.workload_file import load_workload
from tests.present.test_launch_script import advised, run_script

LINEAR = "import torch\ndef build_model(width=2, **others): return torch.nn.Linear(4, width)\n"
FORMS = {
    "a batch by its size alone": "def make_batch(n): return torch.randn(n, 4), torch.randint(0, 2, (n,))",
    "any number of places": "def make_batch(*n): return torch.randn(n[0], 4), torch.randint(0, 2, n[:1])",
    "an argument of the model alone": "def make_batch(n, length): return torch.ones(n, 4), torch.zeros(n).long()",
    "an argument by place": "def make_batch(n, width=9): return torch.randn(n, 4), torch.randint(0, width, (n,))",
    "a target that is no class": "def make_batch(n, length): return torch.randn(n, 4), torch.ones(n, 3)",
    "a tensor by itself": (
        "def make_batch(n, length): return torch.randn(n, 4)\n"
        "def training_step(model, points): return model(points).square().mean()"
    ),
    "a dict with a loss of the model's own": (
        "class Own(torch.nn.Linear):\n"
        "    def forward(self, inputs): return {'loss': super().forward(inputs).square().mean()}\n"
        "def build_model(width): return Own(4, width)\n"
        "def make_batch(n, length): return {'inputs': torch.randn(n, 4)}"
    ),
    "several outputs": (
        "class Own(torch.nn.Linear):\n"
        "    def forward(self, inputs): return super().forward(inputs), inputs\n"
        "def build_model(width): return Own(4, width)\n"
        "def make_batch(n, length): return torch.randn(n, 4), torch.zeros(n, dtype=torch.int32)"
    ),
    "layers that learn their sizes": (
        "def build_model(width): return torch.nn.LazyLinear(width)\n"
        "def make_batch(n, length): return torch.randn(n, 4), torch.zeros(n).long()"
    ),
    "several rows a sample": (
        "def make_batch(n, length):\n"
        "    return torch.randn(5 * n, 4), torch.randint(0, 5 * n, (9 * n,)), torch.randint(0, 2, (5 * n,))\n"
        "def training_step(model, batch):\n"
        "    nodes, source, labels = batch\n"
        "    assert nodes.shape == (5 * (len(source) // 9), 4)\n"
        "    assert (source < len(nodes)).all()\n"
        "    return torch.nn.functional.cross_entropy(model(nodes), labels)"
    ),
    "edges beside nodes, and what all batches share": (
        "def make_batch(n, length):\n"
        "    edges = torch.randint(0, 5 * n, (2, 9 * n))\n"
        "    return torch.randn(5 * n, 4), edges, torch.eye(3), torch.tensor(0.5), torch.randint(0, 2, (5 * n,))\n"
        "def training_step(model, batch):\n"
        "    nodes, (source, target), shared, weight, labels = batch\n"
        "    assert len(source) == len(target) == 9 * (len(nodes) // 5)\n"
        "    assert (shared.shape, weight.shape) == ((3, 3), ())\n"
        "    return torch.nn.functional.cross_entropy(model(nodes[source] * weight), labels[target])"
    ),
    "a data set that takes nothing else": (
        "def make_batch(n, length): return torch.randn(n, 4), torch.zeros(n).long()\n"
        "def make_dataset(length): return [(torch.ones(4), torch.tensor(1))] * 64"
    ),
}


def advice_of(tmp_path: Path, text: str) -> AdviceRecord:
    file = tmp_path / "own.py"
    file.write_text(LINEAR + text + "\n", encoding="utf-8")
    return advice_of_file(file)


def advice_of_file(file: Path) -> AdviceRecord:
    model = {"source": "python", "file": str(file), "arguments": {"width": 3}}
    workload = load_workload(
        {
            "name": "own",
            "model": model,
            "data": {"samples": 64, "loader_workers": 0},
            "training": {"batch_size": 4, "precision": "fp32"},
        }
    )
    chosen = advised(
        count=1, strategy="single", precision="fp32", batch_size_per_device=4, thread_count=1,
        gradient_accumulation_steps=1,
    )  # fmt: skip
    return msgspec.structs.replace(chosen, workload=workload)


@pytest.mark.parametrize("form", FORMS)
def test_the_script_trains_what_was_measured(tmp_path: Path, form: str) -> None:
    made = advice_of(tmp_path, FORMS[form])
    loaded = load(made.workload, device="cpu", allow_code=True)
    torch.manual_seed(0)
    loss = loaded.loss(loaded.module, loaded.make_batch(4))
    loss.backward()  # type: ignore[no-untyped-call]
    assert run_script(tmp_path, made, "--steps", "5")["steps"] == 5


def test_the_script_s_loss_is_the_one_that_was_measured(tmp_path: Path) -> None:
    made = advice_of(tmp_path, FORMS["a target that is no class"])
    found: dict[str, object] = {"__name__": "script"}
    exec(compile(launch_script.render(made), "script", "exec"), found)
    loaded = load(made.workload, device="cpu", allow_code=True)
    batch = loaded.make_batch(4)
    assert found["compute_loss"](loaded.module, batch) == loaded.loss(loaded.module, batch)  # type: ignore[operator]


def test_the_script_leaves_frozen_what_the_file_freezes(tmp_path: Path) -> None:
    frozen = "def trainable(model): model.bias.requires_grad_(False)\n"
    made = advice_of(tmp_path, frozen + FORMS["a batch by its size alone"])
    found: dict[str, object] = {"__name__": "script"}
    exec(compile(launch_script.render(made), "script", "exec"), found)
    model: torch.nn.Linear = found["build_model"]()  # type: ignore[operator]
    assert [name for name, weight in model.named_parameters() if weight.requires_grad] == ["weight"]
