"""Everything that reads foreign bytes, each with well-formed samples of what it reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from advisor.catalogue.spec_table import read_gpu_file, spec_table
from advisor.claims.claim import claim_of, read_claim_file
from advisor.claims.reading.reader import parse_claim
from advisor.core.bundled import workloads_folder
from advisor.core.errors import UserFacingError
from advisor.core.input_file import parse_json, read_toml_table
from advisor.evaluate.run_rows import read_run_rows
from advisor.hardware.machine import Reading
from advisor.hardware.sampler_messages import DriverState, Event, Read, sampler_event_of
from advisor.logs.log_lines import read_log
from advisor.protocol.messages import Sample, StageEnded, WorkerEvent, worker_event_of
from advisor.recommend.prices import read_prices
from advisor.store import json_file
from advisor.worker.ranks.rank_messages import read_peer
from advisor.workload.model_config import parse_config
from advisor.workload.workload_file import load_workload

RECORDED = Path(__file__).resolve().parents[1] / "recorded" / "advice"
GPU = """
[[gpu]]
key = "lab-card"
name = "Lab card"
nvml_names = ["NVIDIA Lab card"]
fp32_flop_per_s = 35.0e12
memory_bytes = 25769803776
memory_bandwidth_bytes_per_s = 1.0e12
source = "data sheet"
checked = "2026-01-31"
"""
PRICES = """
currency = "EUR"
date = "2026-01-31"
electricity_per_kwh = 0.3
[devices]
rtx3090 = 0.5
cpu = 0.05
"""
CLAIMS = """
[[claim]]
text = "ResNet-50 on an A100 trains an epoch of ImageNet in 4 minutes"
[[claim]]
text = "两张 3090 比一张快 1.9 倍"
"""
ROWS = """workload,gpu_key,mode,precision,batch_per_gpu,seq_len_or_img,ms
bert_base_sst2,rtx3090,training,fp16_amp,32,128,120
resnet50,a100-sxm4-80,training,bf16_amp,64,224,90
"""
LOGS = (
    "epoch 1 step 10 loss 0.5 time 0.25 data 0.01\n" * 5,
    "Epoch 1/3\n  12/1875 [....] - ETA: 1:22 - loss: 2.3026\n1875/1875 [==] - 94s 50ms/step - loss: 0.3\n",
    "100%|##########| 391/391 [01:04<00:00,  6.02it/s, loss=0.2]\nvalidation took 12 s\n",
    "iteration 100/ 500000 | elapsed time per iteration (ms): 812.2 | global batch size: 512 |\n",
)
SPOKEN = ("2 GPUs made it 1.8 times faster", "四张 A100 训练 GPT-2 要 3 小时", "3 hours became 52 minutes with 2 GPUs")
SAMPLE = Sample(
    series="step", batch_size=8, precision="fp32", step_count=1, wall_s=0.1, device_s=None,
    started_monotonic_s=1.0, warm_up=False,
)  # fmt: skip
READING = Reading(monotonic_s=1.0, gpus=(), cpu_pressure_fraction=0.0)


class Parser(NamedTuple):
    """One reader: `read` gives bytes and a folder to whatever parses them; only UserFacingError may escape it."""

    read: Callable[[bytes, Path], object]
    seeds: tuple[bytes, ...]


def _file(name: str, read: Callable[[Path], object]) -> Callable[[bytes, Path], object]:
    def written(content: bytes, folder: Path) -> object:
        path = folder / name
        path.write_bytes(content)
        return read(path)

    return written


def _text(read: Callable[[str], object]) -> Callable[[bytes, Path], object]:
    return lambda content, _folder: read(content.decode("utf-8", "replace"))


def _claims(path: Path) -> list[object]:
    return [claim_of(entry) for entry in read_claim_file(path)]


def _encoded(*messages: object) -> tuple[bytes, ...]:
    return tuple(msgspec.json.encode(message) for message in messages)


WORKER_SEEDS: tuple[WorkerEvent, ...] = (
    SAMPLE, StageEnded(series="step", batch_size=8, precision="fp32", reason="cap", stage=1),
)  # fmt: skip
SAMPLER_SEEDS: tuple[Event, ...] = (Read(reading=READING), DriverState(problem=None))

PARSERS: dict[str, Parser] = {
    "workload": Parser(
        _file("w.toml", load_workload),
        tuple(text for path in sorted(workloads_folder().glob("*.toml")) if b".py" not in (text := path.read_bytes())),
    ),
    "config": Parser(
        _text(lambda text: parse_config(text, "config.json")),
        tuple(path.read_bytes() for path in sorted((workloads_folder() / "configs").glob("*.json"))[:8]),
    ),
    "toml": Parser(_file("a.toml", read_toml_table), (PRICES.encode(), GPU.encode(), b"a.b.c = {d = [1, 2.5, 'x']}\n")),
    "json": Parser(
        _text(lambda text: parse_json(text, "a.json")), (b'{"a": [1, 2.5e3, "x\\u00e9", null, true]}', b"[[[[]]]]")
    ),
    "gpus": Parser(_file("gpus.toml", read_gpu_file), (GPU.encode(),)),
    "prices": Parser(_file("prices.toml", lambda path: read_prices(path, spec_table())), (PRICES.encode(),)),
    "claims": Parser(_file("claims.toml", _claims), (CLAIMS.encode(),)),
    "claim": Parser(
        _text(lambda text: parse_claim(text, spec_table())),
        tuple(claim.encode() for claim in SPOKEN),
    ),
    "runs": Parser(_file("runs.csv", read_run_rows), (ROWS.encode(),)),
    "log": Parser(_file("train.log", read_log), tuple(log.encode() for log in LOGS)),
    "advice": Parser(
        lambda content, _folder: json_file.decode(content, "advice.json"),
        tuple(path.read_bytes() for path in sorted(RECORDED.glob("*.json"))),
    ),
    "worker": Parser(lambda content, _folder: worker_event_of(content), _encoded(*WORKER_SEEDS)),
    "sampler": Parser(lambda content, _folder: sampler_event_of(content), _encoded(*SAMPLER_SEEDS)),
    "peer": Parser(lambda content, _folder: read_peer(content, 1, 2), (b'{"schema_version": 1, "rank": 1}',)),
}  # fmt: skip


def outcome(parser: Parser, content: bytes, folder: Path) -> str:
    """`read` or `refused`; anything else that a parser raises escapes, and fails the test."""
    try:
        parser.read(content, folder)
    except UserFacingError as error:
        said = error
    else:
        return "read"
    assert said.text
    assert said.text.isprintable()
    assert str(said).encode()
    return "refused"
