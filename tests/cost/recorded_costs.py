"""What the cost model says of small steps, with figures made up for the purpose; `python -m tests.cost.recorded_costs`
writes it anew where a formula was changed on purpose."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import fields, replace

from advisor.catalogue.networks import Network
from advisor.catalogue.optimizers import OPTIMIZER_FACTS
from advisor.catalogue.precisions import Precision
from advisor.catalogue.strategies import STRATEGIES
from advisor.cost.efficiencies import Assumed, Efficiencies, Fitted, efficiencies
from advisor.cost.host_time import HostSpeed
from advisor.cost.layout import Layout
from advisor.cost.measured_step import measured_step
from advisor.cost.memory.need import MemoryKind, answered, host_bytes, least_bytes, memory_question, published_bytes
from advisor.cost.operators.measured_rates import Curve, MeasuredRates
from advisor.cost.optimizer_cost import optimizer_cost
from advisor.cost.scaling.cell import Setting
from advisor.cost.scaling.communication import bus_bytes_per_s, costs, overlap_loss
from advisor.cost.scaling.layouts import ReplicaStep, lay_out
from advisor.cost.scaling.links import Link, SizedTime
from advisor.cost.scaling.scaling import PARTS, scale_steps
from advisor.cost.scaling.scaling_figures import ScalingFigures, scaling_figures
from advisor.cost.scaling.traffic import traffic_of
from advisor.cost.step_parts import OWN_PARTS
from advisor.optable.op_table import CONVOLUTION, OpTable
from tests.accuracy.tables import load_table
from tests.cost.scaling_cases import link, steps, traffic
from tests.cost.small_tables import (
    CARD,
    OLD_CARD,
    attention,
    convolution,
    lstm,
    matmul,
    op,
    predicted_steps,
    table,
    training,
)

FILE = Path(__file__).with_name("recorded_costs.json")
NEW_CARD = replace(
    CARD,
    key="h100-sxm",
    name="H100 SXM",
    compute_capability="9.0",
    sm_count=132,
    boost_clock_hz=1.98e9,
    fp32_flop_per_s=66.9e12,
    tf32_flop_per_s=494e12,
    fp16_flop_per_s=989e12,
    bf16_flop_per_s=989e12,
    memory_bandwidth_bytes_per_s=3.35e12,
    l2_bytes=50 * 2.0**20,
    power_w=700.0,
)
BARE_CARD = replace(CARD, key="gtx1080ti", compute_capability="6.1", l2_bytes=None, fp16_flop_per_s=None, power_w=None)


def made_up(name: str) -> float:
    """A figure between 0.5 and 0.9 that depends on its name alone."""
    share = 0.5 + (zlib.crc32(name.encode()) % 400) / 1000.0
    if name.endswith(("_s", "_s_per_dispatch")):
        return share * 1e-5
    if name.endswith("_flop_per_j"):
        return share * 1e11
    if name.endswith(("_count", "_channels", "_parts", "_clocks", "_range")) or "per_clock" in name:
        return share * 16.0
    return share


def figures() -> Efficiencies:
    """Efficiencies that no fit moves."""
    real = efficiencies()
    parts = {type_: type_(**{one.name: made_up(one.name) for one in fields(type_)}) for type_ in (Fitted, Assumed)}
    shares = ("fp32_share", "tf32_share", "tensor_share", "fp32_flop_per_j", "tf32_flop_per_j", "tensor_flop_per_j")
    rows = tuple(replace(row, **{name: made_up(name) for name in shares}) for row in real.architectures)
    return replace(
        real, fitted=parts[Fitted], assumed=parts[Assumed], architectures=rows, bandwidth_share=0.9, cards=()
    )


def scaling() -> ScalingFigures:
    """Figures of several cards that no fit moves."""
    real = scaling_figures()

    def part(old: msgspec.Struct) -> Any:
        numbers = [one.name for one in fields(old) if isinstance(getattr(old, one.name), float | int)]
        rates = {name: 5e9 * made_up(name) for name in numbers if name.endswith("bytes_per_s")}
        return replace(old, **{name: rates.get(name, made_up(name)) for name in numbers})

    return replace(real, fitted=part(real.fitted), assumed=part(real.assumed), data_parallel=part(real.data_parallel))


def operators() -> dict[str, OpTable]:
    """A small table for each rule of an operator family."""
    ops = {
        "elementwise": op("elementwise", (1e5, 1e6)),
        "sums": op("reduction", (1e5, 1e6), flop=(0.0, 1e6)),
        "norm": op("norm", (0.0, 3e6)),
        "softmax half": op("softmax", (0.0, 3e6), element_bytes=2),
        "copy": op("copy", (0.0, 8e7)),
        "embedding": op("embedding", (0.0, 2e6)),
        "pool": op("pool", (0.0, 5e6)),
        "fused": op("fused", (0.0, 5e6)),
        "product": matmul((0.0, 512.0), 1024, 768),
        "product backward": matmul((0.0, 300.0), 1024, 768, phase="backward"),
        "product half": matmul((0.0, 512.0), 1024, 768, element_bytes=2),
        "product unaligned": matmul((0.0, 511.0), 1023, 767, element_bytes=2),
        "product of bytes": matmul((0.0, 512.0), 1024, 768, element_bytes=1),
        "product batched": matmul((0.0, 64.0), 64, 64, batch=96, element_bytes=2),
        "product small": matmul((0.0, 4.0), 32, 4096),
        "attention flash": attention("flash"),
        "attention flash backward": attention("flash", phase="backward"),
        "attention short": attention("flash", length=100),
        "attention efficient": attention("efficient", element_bytes=4),
        "attention math": attention("efficient"),
        "lstm": lstm(layers=2),
        "lstm backward": lstm(phase="backward", layers=3),
        "convolution": convolution(64),
        "convolution half": convolution(96, element_bytes=2),
        "convolution input": convolution(64, direction="input_gradient"),
        "convolution weight": convolution(64, direction="weight_gradient"),
        "convolution grouped": convolution(96, groups=8),
        "convolution grouped backward": convolution(96, groups=8, direction="input_gradient"),
        "convolution depthwise": convolution(96, groups=96),
        "convolution depthwise weight": convolution(96, groups=96, direction="weight_gradient"),
        "convolution line": convolution(64, kernel_elements=5),
        "convolution point": convolution(64, kernel=1),
    }
    return {
        name: table(one, precision="amp" if one.element_bytes < 4 else "fp32", dispatches=30, input_bytes=6e5)
        for name, one in ops.items()
    }


def whole_steps() -> Iterator[tuple[str, object]]:
    """Steps on cards, by the operator and by what is trained how."""
    own, host = figures(), HostSpeed()
    for name, model in operators().items():
        precision: Precision = "fp16_amp" if model.precision == "amp" else "tf32"
        for card in (CARD, OLD_CARD, NEW_CARD, BARE_CARD):
            for year in (None, 2020):
                for last in (False, True) if name.startswith("convolution") else (False,):
                    how = training(precision=precision, channels_last=last)
                    grid = predicted_steps(model, how, precision, [card], [1, 32], figures=own, software_year=year)
                    passes = [grid.forward_s, grid.backward_s]
                    yield f"{name} on {card.key} of {year} last {last}", [np.ravel(one).tolist() for one in passes]
    model = table(matmul((0.0, 512.0), 1024, 1024), op("norm", (0.0, 4e6), phase="backward"), dispatches=200)
    changes: dict[str, dict[str, Any]] = {
        "plain": {},
        "accumulated": {"gradient_accumulation_steps": 3, "optimizer": "adamw"},
        "clipped": {"clip_gradient_norm": 1.0, "read_loss_every": 2, "optimizer": "sgd_momentum"},
        "compiled": {"compile": True, "optimizer": "adamw", "fused_optimizer": True},
        "inference": {"mode": "inference"},
        "offloaded": {"offload": "optimizer", "optimizer": "adamw"},
        "eight bits": {"optimizer": "adamw", "optimizer_bits": 8},
    }
    for name, change in changes.items():
        for factors in ({}, {"matmul": 1.3, "optimizer": 1.1, "step": 0.9}):
            grid = predicted_steps(
                model, training(**change), "fp32", [CARD], [2, 64], figures=own, host=host, factors=factors
            )
            yield f"step {name} {len(factors)}", {part: getattr(grid, part).ravel().tolist() for part in OWN_PARTS}


def optimizers() -> Iterator[tuple[str, object]]:
    """Bytes, kernels and calls of every optimizer."""
    for optimizer in sorted(OPTIMIZER_FACTS):
        for change in ({}, {"fused_optimizer": True}, {"optimizer_bits": 8}, {"clip_gradient_norm": 1.0}):
            for precision in ("fp32", "bf16_amp", "bf16"):
                how = training(optimizer=optimizer, precision=precision, **change)
                found = optimizer_cost(how, how.precision, 1e6, 10, None)
                numbers = [found.moved_bytes, found.kernel_count, found.dispatch_count]
                yield f"optimizer {optimizer} {sorted(change)} {precision}", numbers


def measured() -> Iterator[tuple[str, object]]:
    """Steps by measured curves."""
    sizes = np.array([1e4, 1e7, 1e10])
    compute = {
        ("matmul", "fp32"): Curve(sizes, sizes**0.3 * 1e9),
        ("attention", "bf16"): Curve(sizes, sizes**0.2 * 1e9),
    }
    memory = {
        ("elementwise", "fp32"): Curve(sizes, sizes**0.1 * 1e9),
        ("reduction", "fp32"): Curve(sizes, sizes**0.05 * 1e9),
    }
    rates = MeasuredRates(
        compute=compute,
        memory=memory,
        depthwise_flop_per_s=2e9,
        call_s=3e-6,
        synchronise_s=1e-5,
        host_to_device_bytes_per_s=5e9,
        optimizer_tensor_s=2e-6,
        optimizer_bytes_per_s=4e9,
    )
    for name, model in operators().items():
        for on_cpu in (False, True):
            how = training(optimizer="adamw", precision="bf16_amp" if model.precision == "amp" else "fp32")
            found = measured_step(model, how, rates, np.array([1.0, 32.0]), how.precision, on_cpu=on_cpu)
            yield f"measured {name} {on_cpu}", {part: getattr(found, part).ravel().tolist() for part in OWN_PARTS}


def links() -> dict[str, Link]:
    """One link of every kind, alone and across hosts."""
    network = Network(type="roce", node_bytes_per_s=25e9)
    return {
        "switch": link(type="nvswitch", wire_bytes_per_s=300e9, cards_per_node_count=8, network=network),
        "mesh": link(type="nvlink_mesh", wire_bytes_per_s=150e9),
        "bridge": link(type="nvlink_bridge", wire_bytes_per_s=56e9, certain=True),
        "peers": link(),
        "host": link(type="pcie_host", peer_to_peer=False),
        "virtual": link(type="virtual_machine", certain=False),
        "memory": link(type="shared_memory", wire_bytes_per_s=8e9),
        "hosts": link(cards_per_node_count=2, network=Network(type="ethernet", node_bytes_per_s=1.25e9)),
        "measured": link(
            type="given",
            basis="measured",
            measured=(
                SizedTime(message_bytes=1e4, duration_s=1e-4),
                SizedTime(message_bytes=1e8, duration_s=2e-2),
            ),
            measured_rank_count=2,
        ),
    }


def several_cards() -> Iterator[tuple[str, object]]:
    """Communication, strategies and layouts."""
    own, load = scaling(), traffic(block_count=12)
    messages = np.array([1e3, 25e6, 1e9])
    settings = {
        "plain": Setting(host_steps_s=(0.02,)),
        "crowded": Setting(
            accumulation_steps=4, host_steps_s=(0.09,), host_dispatch_count=3000.0, host_core_counts=(2,)
        ),
    }
    for name, one in links().items():
        for count in (2, 4, 16):
            cost = costs(one, count, own)
            numbers = [cost.all_reduce_s(messages), cost.half_s(messages), cost.broadcast_s(messages)]
            yield f"collectives {name} {count}", [each.tolist() for each in numbers]
            yield f"bus {name} {count}", [bus_bytes_per_s(one, count, own), overlap_loss(one, count, own)]
        for kind, setting in settings.items():
            grid = scale_steps(
                steps(1, 2, host_s=0.003),
                load,
                [one],
                [900e9],
                (8, 16),
                strategies=STRATEGIES,
                counts=(1, 2, 8),
                setting=setting,
                figures=own,
            )
            yield f"grid {name} {kind}", {part: grid.parts_s[part].ravel().tolist() for part in PARTS}
            yield f"ends {name} {kind}", [grid.slow_host_s.ravel().tolist(), grid.quick_s[1].ravel().tolist()]
    for layout in layouts():
        replica = ReplicaStep(
            steps=steps(step_s=1.0), traffic=load, batch_size=2, link=links()["switch"], memory_bytes_per_s=3e12
        )
        found = lay_out(replica, layout, setting=Setting(accumulation_steps=4), figures=own)
        yield f"layout {layout}", [*found.parts_s.values(), found.slow_host_s]


def layouts() -> tuple[Layout, ...]:
    """One of every way to split a job."""
    return (
        Layout(data_parallel="ddp", count=16),
        Layout(data_parallel="zero1", count=16),
        Layout(data_parallel="zero2", count=16),
        Layout(data_parallel="fsdp", count=16),
        Layout(data_parallel="hsdp", count=16, host_size=8),
        Layout(data_parallel="fsdp", count=16, tensor=2),
        Layout(data_parallel="ddp", count=16, pipeline=4),
        Layout(data_parallel="fsdp", count=16, context=2, tensor=2),
        Layout(data_parallel="zero1", count=32, tensor=2, pipeline=2, host_size=8),
    )


def memory() -> Iterator[tuple[str, object]]:
    """Bytes of a recorded model's step."""
    model = load_table("bert_base_squad", 384, "fp32", "training")
    for layout in (Layout(data_parallel="single"), Layout(data_parallel="dp", count=4), *layouts()):
        for capability in ("8.0", "9.0"):
            asked = memory_question(
                model, training(optimizer="adamw"), "fp32", compute_capability=capability, layout=layout
            )
            assert asked is not None
            found = answered(asked, 4, replayed=False)
            sizes = {part.kind: part.size_bytes for part in found.parts}
            ends = [found.headroom_bytes, found.workspace_rise_bytes, least_bytes(asked, 4)]
            yield f"memory {layout} {capability}", [sizes, ends]
    kinds: tuple[MemoryKind, ...] = ("allocated", "reserved", "device")
    changes: dict[str, dict[str, Any]] = {
        "accumulated": {"gradient_accumulation_steps": 2},
        "in backward": {"optimizer_in_backward": True},
        "offloaded": {"offload": "optimizer"},
        "adafactor": {"optimizer": "adafactor"},
        "eight bits": {"optimizer_bits": 8},
    }
    for name, change in changes.items():
        how = training(**({"optimizer": "adamw"} | change))
        asked = memory_question(model, how, "fp32", compute_capability="8.6")
        assert asked is not None
        yield f"memory {name}", [published_bytes(asked, 4, kind, 30e9) for kind in kinds]
        yield f"host {name}", host_bytes(model, how, "fp32", 4)
    seen = traffic_of(model, "fp32")
    numbers = [seen.gradient_bytes, seen.parameter_bytes, seen.layer_count, *seen.linear_output_bytes]
    yield "traffic", [*numbers, *seen.boundary_bytes, len(seen.buckets.size_bytes), seen.buckets.total_bytes]
    assert model.memory is not None
    assert CONVOLUTION not in model.memory.kind


def recorded() -> dict[str, object]:
    """Everything, by what it is."""
    every = (whole_steps(), optimizers(), measured(), several_cards(), memory())
    return {name: value for some in every for name, value in some}


def _short(text: str) -> str:
    """Ten digits of every number are more than a formula can hide behind."""
    return re.sub(r"-?\d+\.\d+(e[+-]?\d+)?", lambda found: f"{float(found[0]):.10g}", text)


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {_short(json.dumps(value))}" for name, value in recorded().items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
