"""Scripts as a user writes them beside a framework's configuration: word for word what stands at its head.

Each ends with one line of JSON, what the framework trained with by its own objects.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from advisor.present.script import framework_config
from advisor.present.script.framework_gaps import Framework
from advisor.store.advice_record import AdviceRecord

_MODEL = """
import json, sys, torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageClassification
from transformers import AutoModelForSequenceClassification, BitsAndBytesConfig
CONFIG = json.loads({config!r})
AUTO = {{"llama": AutoModelForCausalLM, "bert": AutoModelForSequenceClassification}}
LANGUAGE = CONFIG["model_type"] == "llama"
def load(**asked):
    settings = dict(CONFIG)
    kind = settings.pop("model_type")
    if "quantization_config" in asked:
        load().save_pretrained("stored")
        return AUTO[kind].from_pretrained("stored", **asked)
    automatic = AUTO.get(kind, AutoModelForImageClassification)
    return automatic.from_config(AutoConfig.for_model(kind, **settings), **asked).eval()  # as a checkpoint is loaded
def sample():
    if CONFIG["model_type"] in {{"vit", "resnet"}}:
        return {{"pixel_values": torch.randn(3, 32, 32), "labels": torch.tensor(1)}}
    ids = torch.randint(3, 100, (8,))
    return {{"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids if LANGUAGE else torch.tensor(1)}}
data = [sample() for _ in range({samples})]
def facts(model, optimizer, **others):
    dtypes = {{bool(weight.requires_grad): str(weight.dtype) for weight in model.parameters()}}
    recomputes = any(getattr(part, "gradient_checkpointing", False) for part in model.modules())
    recomputes = recomputes or any("Checkpoint" in type(part).__name__ for part in model.modules())
    optimizer = getattr(optimizer, "optimizer", optimizer)
    adapters = [name for name, part in model.named_modules() if hasattr(part, "lora_A")]
    packed = [part for part in model.modules() if "4bit" in type(part).__name__ and not hasattr(part, "lora_A")]
    group = optimizer.param_groups[0]
    shards = [part for part in model.modules() if hasattr(part, "unshard") and "Layer" in type(part).__name__]
    groups = [part._get_fsdp_state()._fsdp_param_group for part in shards]
    settings = {{name: group.get(name) for name in ("weight_decay", "momentum", "fused")}}
    told = json.dumps(dict(
        trained=dtypes[True], frozen=dtypes.get(False), recomputes=recomputes, optimizer=type(optimizer).__name__,
        trains=all(part.training for part in model.modules()), packed=len(packed),
        rate=group.get("initial_lr", group["lr"]), threads=torch.get_num_threads(), adapters=len(adapters),
        compiled=hasattr(model, "_orig_mod"), regathers=[bool(group.post_forward_mesh_info) for group in groups],
        **settings, **others))
    sys.stdout.write(f"READ {{told}}\\n")  # one write: ranks share the pipe
    sys.stdout.flush()
"""
_LOADED = """
model = load({asked})
{prepared}
"""
_TRAINER = """
from transformers import HfArgumentParser, Trainer, TrainingArguments
FILE = {file!r}
{trl}
{read}
trainer = Trainer(model, args, train_dataset=data)
trainer.train()
found = trainer.accelerator
facts(trainer.model_wrapped, trainer.optimizer, steps=trainer.state.global_step, batch=args.train_batch_size,
    accumulation=args.gradient_accumulation_steps, mixed=found.mixed_precision, kind=found.distributed_type.value,
    ranks=found.num_processes, clip=args.max_grad_norm, unused=found.ddp_handler.find_unused_parameters,
    whole_logits=len(globals().get("calls", ())), longest=getattr(args, "max_length", None),
    logged=sum("loss" in row for row in trainer.state.log_history), last_rate=trainer.lr_scheduler.get_last_lr()[0])
"""
_OF_TRL = """
from datasets import Dataset
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer
words = {{f"w{{number}}": number for number in range(97)}} | {{"<pad>": 97, "<eos>": 98, "<unk>": 99}}
known = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
known = PreTrainedTokenizerFast(tokenizer_object=known, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
calls = []
model.get_output_embeddings().register_forward_hook(lambda *_: calls.append(1))
def Trainer(model, args, train_dataset):
    rows = Dataset.from_list([{{"input_ids": row["input_ids"].tolist()}} for row in train_dataset])
    return SFTTrainer(model, args, train_dataset=rows, processing_class=known)
"""
_SHARDED_ON_PROCESSORS = """
import accelerate.state  # Accelerate shards on accelerators alone, torch on processors too
begin = accelerate.state.PartialState.__init__
def as_if_on_cards(self, *given, **named):
    begin(self, *given, **named)
    if self.distributed_type == accelerate.state.DistributedType.MULTI_CPU:
        self.distributed_type = accelerate.state.DistributedType.MULTI_GPU
accelerate.state.PartialState.__init__ = as_if_on_cards
"""
_ACCELERATE = """
from accelerate import Accelerator
from torch.utils.data import DataLoader
accelerator = {accelerator}
loader = {loader}
optimizer = {optimizer}
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
steps, begun = 0, 0
for batch in loader:
    {accumulating}
        accelerator.backward(model(**batch).loss)
        {clipping}
        optimizer.step()
        optimizer.zero_grad()
    steps += accelerator.sync_gradients
facts(model, optimizer, steps=steps, batch=loader.batch_sampler.batch_size,
    accumulation=accelerator.gradient_accumulation_steps, mixed=accelerator.mixed_precision,
    kind=accelerator.distributed_type.value, ranks=accelerator.num_processes)
"""
_LIGHTNING = """
from lightning.pytorch import LightningModule
from lightning.pytorch.cli import LightningCLI
from torch.utils.data import DataLoader
class Lit(LightningModule):
    def __init__(self):
        super().__init__()
        self.inner = model
    def training_step(self, batch):
        return self.inner(**batch).loss
    def configure_optimizers(self):
        model = self.inner
        return {optimizer}
    def train_dataloader(self):
        return {loader}
cli = LightningCLI(Lit)
found = cli.trainer
facts(cli.model.inner, found.optimizers[0], steps=found.global_step, batch=found.train_dataloader.batch_size,
    accumulation=found.accumulate_grad_batches, mixed=found.precision, kind=type(found.strategy).__name__,
    ranks=found.world_size, clip=found.gradient_clip_val)
"""


def yours(text: str, pattern: str, otherwise: str = "") -> str:
    """The code that a line of the head gives its reader, by a pattern with one group."""
    found = re.search(rf"^# Yours: {pattern}", text, re.MULTILINE)
    return found[1] if found else otherwise


def written_script(framework: Framework, text: str, file: Path, config: dict[str, Any], samples: int) -> str:
    """What a user of `framework` writes who does what the head of `text` says, and no more."""
    types = yours(text, r"load the model in .*?\((dtype=[\w.]+)\)")
    asked = ", ".join(word for word in (types, yours(text, r"load the model with (quantization_config=.*)\.")) if word)
    prepared = [
        yours(text, r"(model\.train\(\))"),
        yours(text, r"(model\.config\.use_cache = False)"),
        yours(text, r"activation checkpointing \((model\.\w+\(\))"),
        "from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training" * ("get_peft_model" in text),
        yours(text, r"(model = prepare_model_for_kbit_training\(.*\)) of peft"),
        yours(text, r"(model = get_peft_model\(.*\)) of peft"),
        "model = torch.compile(model)" * ("Yours: torch.compile(model)" in text),
    ]
    words = {
        "loader": yours(text, r"(DataLoader\(.*\))\."),
        "optimizer": yours(text, r"(torch\.optim\..*?\));"),
        "accelerator": yours(text, r"(Accelerator\(.*?\))\.", "Accelerator()"),
        "accumulating": yours(text, r"(with accelerator\.accumulate\(model\):)", "if True:"),
        "clipping": yours(text, r"((?:if .*?: )?accelerator\.clip_grad_norm_\(.*\))\."),
        "file": str(file),
        "trl": _OF_TRL.format() if "SFTConfig" in text else "",
        "read": yours(text, r"the loss in chunks .*?: (\(args,\) = .*)\.$")
        or re.sub(r"^.*?Use: (.*?) in YOUR_SCRIPT.*", r"\1", text, flags=re.DOTALL),
    }
    body = {"trainer": _TRAINER, "accelerate": _ACCELERATE, "lightning": _LIGHTNING}[framework]
    whole = _MODEL.format(config=json.dumps(config), samples=samples)
    whole += _LOADED.format(asked=asked, prepared="\n".join(line for line in prepared if line))
    sharded = _SHARDED_ON_PROCESSORS if framework == "accelerate" and "FSDP" in text else ""
    return whole + sharded + body.format(**words)


def _free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


def launched(text: str, script: Path, file: Path) -> tuple[list[str], dict[str, str]]:
    """The command of the head's `Use:` line, and the environment that it sets."""
    told = next(line for line in text.splitlines() if line.startswith("# Use: "))
    words = shlex.split(re.sub(r"^# Use: (.*started by )?|   \(.*", "", told))
    environment = {}
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    tools = {
        "python": [sys.executable],
        "torchrun": [sys.executable, "-m", "torch.distributed.run"],
        "accelerate": [sys.executable, "-m", "accelerate.commands.accelerate_cli"],
    }
    given = {"YOUR_SCRIPT.py": str(script), "YOUR_CLI.py": str(script), "FILE": str(file), "29500": str(_free_port())}
    return [*tools[words[0]], *(given.get(word, word) for word in words[1:])], environment


def trained(
    folder: Path, advice: AdviceRecord, framework: Framework, config: dict[str, Any], samples: int
) -> tuple[list[dict[str, Any]], str]:
    """What each rank's framework says that it trained with, and what was said beside it."""
    text = framework_config.render(advice, framework)
    file, script = folder / "config.yaml", folder / "own.py"
    for of_cards, of_processors in (
        *[("use_cpu: false", "use_cpu: true")] * ("FSDP" not in text or framework != "accelerate"),
        ('accelerator: "gpu"', 'accelerator: "cpu"'),
        ("tf32: false\n", ""),
    ):
        text = text.replace(of_cards, of_processors)
    file.write_text(text, encoding="utf-8")
    script.write_text(written_script(framework, text, file, config, samples), encoding="utf-8")
    command, environment = launched(text, script, file)
    plain = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    several = {"ACCELERATE_USE_CPU": "true"} if advice.main is not None and advice.main.count > 1 else {}
    whole = {**plain, **several, "CUDA_VISIBLE_DEVICES": "", **environment}
    if several:
        whole["OMP_NUM_THREADS"] = "1"
    ended = subprocess.run(command, cwd=folder, env=whole, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 0, f"{text}\n{ended.stderr[-3000:]}"
    lines = [line for line in ended.stdout.splitlines() if line.startswith("READ ")]
    return [json.loads(line.removeprefix("READ ")) for line in lines], ended.stderr
