"""The written configurations as the frameworks themselves read them; skipped where a framework is not installed.

`pip install ".[frameworks]"` brings all three, and `tools/run_nightly.py` tests with them there. They are no part of
the tests' own extra: with Accelerate installed transformers takes other ways than a user without it would see.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from advisor.present.script import framework_config
from advisor.present.script.framework_gaps import Framework
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import with_training
from tests.present.script_forks import on_processor
from tests.present.test_framework_config import CASES
from tests.present.test_launch_script import advised

pytestmark = [pytest.mark.with_frameworks, pytest.mark.nightly]
METHODS: dict[str, dict[str, Any]] = {
    "plain": {},
    "clipped": {"clip_gradient_norm": 1.0},
    "a part of an epoch": {"epochs": 0.5},
    "compiled": {"compile": True},
    "checkpointed": {"activation_checkpointing": "full"},
    "plain descent": {"optimizer": "sgd_momentum"},
    "eight bits": {"optimizer_bits": 8},
}
TRAINED = {
    "trainer": """
import sys, torch
from transformers import BertConfig, BertForSequenceClassification, HfArgumentParser, Trainer, TrainingArguments
(arguments,) = HfArgumentParser(TrainingArguments).parse_yaml_file(sys.argv[1])
arguments.max_steps, arguments.report_to = 2, []
config = BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, vocab_size=50)
samples = [{"input_ids": torch.randint(3, 50, (8,)), "labels": torch.tensor(0)} for _ in range(16)]
trainer = Trainer(BertForSequenceClassification(config), arguments, train_dataset=samples)
trainer.train()
print("TRAINED", trainer.state.global_step, trainer.get_train_dataloader().total_batch_size)
""",
    "accelerate": """
import torch
from accelerate import Accelerator
accelerator = Accelerator()
model = torch.nn.Linear(4, 2)
model, optimizer = accelerator.prepare(model, torch.optim.AdamW(model.parameters()))
accelerator.backward(model(torch.randn(3, 4)).float().sum())
optimizer.step()
print("TRAINED", accelerator.mixed_precision, accelerator.device)
""",
    "lightning": """
import sys, torch
from lightning.pytorch import LightningModule
from lightning.pytorch.cli import LightningCLI
class Model(LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)
    def training_step(self, batch):
        return self.layer(batch).float().sum()
    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())
    def train_dataloader(self):
        return torch.utils.data.DataLoader(torch.randn(16, 4), batch_size=4)
cli = LightningCLI(Model, args=["fit", "--config", sys.argv[1]])
print("TRAINED", cli.trainer.global_step, cli.trainer.precision)
""",
}


def made(case: str, method: str = "plain") -> AdviceRecord:
    advice = advised("bert_base_sst2", batch_size_per_device=4, **CASES[case])
    return msgspec.structs.replace(advice, workload=with_training(advice.workload, **METHODS[method]))


def written(folder: Path, advice: AdviceRecord, framework: Framework) -> Path:
    path = folder / "config.yaml"
    path.write_text(framework_config.render(advice, framework), encoding="utf-8")
    return path


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", CASES)
def test_trainer_takes_every_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, method: str
) -> None:
    pytest.importorskip("accelerate", reason="Accelerate is not installed")
    arguments = pytest.importorskip("transformers.training_args", reason="transformers is not installed")
    parser = pytest.importorskip("transformers").HfArgumentParser
    for name in ("is_torch_bf16_gpu_available", "is_torch_tf32_available"):
        monkeypatch.setattr(arguments, name, lambda: True)  # as where the advised cards are
    advice = made(case, method)
    (found,) = parser(arguments.TrainingArguments).parse_yaml_file(str(written(tmp_path, advice, "trainer")))
    assert advice.recommendation is not None
    assert found.per_device_train_batch_size == 4
    assert found.gradient_accumulation_steps == advice.recommendation.gradient_accumulation_steps
    assert bool(found.fsdp) is (advice.recommendation.strategy in {"fsdp", "zero2", "fsdp_offload"})
    if found.fsdp:
        plugin = pytest.importorskip("accelerate").FullyShardedDataParallelPlugin(**found.fsdp_plugin_args)
        assert plugin.fsdp_version == 2
        assert plugin.reshard_after_forward is (case != "zero2")
        assert (type(plugin.cpu_offload).__name__ == "CPUOffloadPolicy") is (case == "host")
        assert plugin.activation_checkpointing is (method == "checkpointed")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", CASES)
def test_accelerate_launches_every_configuration(tmp_path: Path, case: str, method: str) -> None:
    launch = pytest.importorskip("accelerate.commands.launch", reason="Accelerate is not installed")
    environment_of = pytest.importorskip("accelerate.utils.launch").prepare_multi_gpu_env
    if case == "fp8" and not pytest.importorskip("accelerate.utils").is_fp8_available():
        pytest.skip("neither torchao nor Transformer Engine is installed")
    advice = made(case, method)
    chosen = advice.recommendation
    assert chosen is not None
    given = ["--config_file", str(written(tmp_path, advice, "accelerate")), "--main_process_ip", "127.0.0.1", "x.py"]
    found, _, _ = launch._validate_launch_command(launch.launch_command_parser().parse_args(given))
    environment = environment_of(found)
    assert (found.num_processes, found.num_machines) == (chosen.count, chosen.node_count)
    expected = {"bf16_amp": "bf16", "fp16_amp": "fp16", "fp8": "fp8", "bf16": "bf16"}.get(chosen.precision, "no")
    assert environment["ACCELERATE_MIXED_PRECISION"] == expected
    assert (environment.get("ACCELERATE_DYNAMO_BACKEND", "no") == "INDUCTOR") is (method == "compiled")
    if found.use_fsdp:
        assert environment["FSDP_VERSION"] == "2"
        assert environment["FSDP_RESHARD_AFTER_FORWARD"] == str(case != "zero2").lower()
        assert environment["FSDP_OFFLOAD_PARAMS"] == str(case == "host").lower()
        assert environment["FSDP_ACTIVATION_CHECKPOINTING"] == str(method == "checkpointed").lower()
    if case == "fp8":
        assert environment["ACCELERATE_FP8_BACKEND"] == "ao"
    assert found.use_fsdp is (chosen.strategy in {"fsdp", "zero2", "fsdp_offload"})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", [case for case in CASES if case != "fp8"])
def test_lightning_makes_its_trainer_of_every_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, method: str
) -> None:
    cli = pytest.importorskip("lightning.pytorch.cli", reason="Lightning is not installed")
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)  # as where the advised cards are
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 8)
    monkeypatch.setattr("lightning.pytorch.accelerators.cuda.num_cuda_devices", lambda: 8)
    monkeypatch.setattr("lightning.fabric.accelerators.cuda.num_cuda_devices", lambda: 8)
    monkeypatch.setattr("lightning.fabric.accelerators.cuda._check_cuda_matmul_precision", lambda _device: None)
    advice = made(case, method)
    chosen = advice.recommendation
    assert chosen is not None
    model = pytest.importorskip("lightning.pytorch.demos.boring_classes").BoringModel
    config = str(written(tmp_path, advice, "lightning"))
    trainer = cli.LightningCLI(model, args=["--config", config], run=False).trainer
    assert trainer.num_devices * trainer.num_nodes == chosen.count
    assert trainer.accumulate_grad_batches == chosen.gradient_accumulation_steps
    if method == "a part of an epoch":
        assert trainer.max_steps == -(-67349 // (2 * 4 * chosen.count * chosen.gradient_accumulation_steps))
    else:
        assert trainer.max_epochs == advice.workload.training.epochs
    assert ("FSDP" in type(trainer.strategy).__name__) is (chosen.strategy in {"fsdp", "zero2", "fsdp_offload"})


@pytest.mark.parametrize("framework", TRAINED)
def test_a_configuration_for_this_processor_trains(tmp_path: Path, framework: Framework) -> None:
    pytest.importorskip("lightning" if framework == "lightning" else "accelerate")
    advice = made("one")
    assert advice.recommendation is not None
    device = msgspec.structs.replace(advice.recommendation.device, key="cpu", name="CPU", spec_key=None)
    chosen = msgspec.structs.replace(advice.recommendation, device=device, precision="bf16_amp")
    config = written(tmp_path, msgspec.structs.replace(advice, recommendation=chosen), framework)
    script = tmp_path / "own.py"
    script.write_text(TRAINED[framework], encoding="utf-8")
    command = [sys.executable, str(script), str(config)]
    if framework == "accelerate":
        command = [sys.executable, "-m", "accelerate.commands.launch", "--config_file", str(config), str(script)]
    ended = subprocess.run(
        command, cwd=tmp_path, env=on_processor(), capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    last = next(line for line in ended.stdout.splitlines() if line.startswith("TRAINED"))
    assert (
        last
        == {"trainer": "TRAINED 2 4", "accelerate": "TRAINED bf16 cpu", "lightning": "TRAINED 12 bf16-mixed"}[framework]
    )
