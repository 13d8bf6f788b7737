"""Every card of the table, strategy, count and link is predicted, and nothing unheard-of stops a prediction."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.spec_table import spec_table
from advisor.catalogue.strategies import STRATEGIES
from advisor.cost.scaling.cell import Setting
from advisor.cost.scaling.links import WORDS, Link, interconnect_or_usual, usual_link
from advisor.cost.scaling.scaling import PARTS, ScaledGrid, scale_steps
from advisor.cost.scaling.traffic import Traffic
from tests.cost.scaling_cases import steps, traffic

COUNTS = (1, 2, 3, 7, 8, 16, 17, 1024)
NETWORKS = ("", " + InfiniBand HDR x8", " + 100 Gb/s Ethernet", " + RoCE 25 Gb/s", " + 10GbE")
INSIDE = (
    *WORDS,
    "",
    "12 GB/s",
    "NVLink",
    "NVLink3/NVSwitch",
    "PHB",
    "SYS",
)
MODELS = {"large": traffic(2e9), "small": traffic(1e6), "empty": traffic(4.0)}


def _require_sound(grid: ScaledGrid) -> None:
    assert np.all(np.isfinite(grid.step_s))
    assert np.all(grid.step_s > 0)
    parts = sum(grid.parts_s[name] for name in PARTS)
    assert np.allclose(parts, grid.step_s, rtol=1e-9)
    assert all(np.all(grid.parts_s[name] >= -1e-15) for name in PARTS)
    assert np.all(grid.efficiency > 0)


def _grid(links: list[Link], model: Traffic, setting: Setting, rates: list[float] | None = None) -> ScaledGrid:
    return scale_steps(
        steps(len(links), 2, host_s=0.002),
        model,
        links,
        rates or [900e9] * len(links),
        (1, 64),
        strategies=STRATEGIES,
        counts=COUNTS,
        setting=setting,
    )


@pytest.mark.parametrize("words", [*INSIDE, *(f"NVSwitch{network}" for network in NETWORKS), f"PCIe{NETWORKS[2]}"])
def test_every_card_over_every_link_is_predicted_at_every_count_by_every_strategy(words: str) -> None:
    rates: dict[Link, set[float]] = {}
    for spec in spec_table().values():
        rate = spec.memory_bandwidth_bytes_per_s or 1e11
        rates.setdefault(interconnect_or_usual(words, spec), set()).add(rate)
    cards = [(link, rate) for link, of_link in rates.items() for rate in {min(of_link), max(of_link)}]
    setting = Setting(host_steps_s=(0.01,) * len(cards))
    grid = _grid([link for link, _ in cards], MODELS["large"], setting, [rate for _, rate in cards])
    _require_sound(grid)
    ddp = grid.step_s[grid.strategies.index("ddp")]
    assert np.all(ddp[1:] >= ddp[0] * (1 - 1e-9)), "a replica never takes less than one card alone"


@pytest.mark.parametrize("model", list(MODELS))
@pytest.mark.parametrize("accumulation", [1, 8])
@pytest.mark.parametrize("cores", [None, 1, 64])
def test_any_model_accumulation_and_core_count_is_predicted(model: str, accumulation: int, cores: int | None) -> None:
    links = list({usual_link(spec) for spec in spec_table().values()})
    each = len(links)
    setting = Setting(accumulation_steps=accumulation, host_steps_s=(0.05,) * each, host_core_counts=(cores,) * each)
    _require_sound(_grid(links, MODELS[model], setting))


_RATE = st.one_of(st.none(), st.floats(1e8, 1e13))


@given(
    st.text(max_size=40),
    st.text(max_size=40),
    st.tuples(
        _RATE, st.booleans(), st.booleans(), st.sampled_from([None, 1, 3, 4, 5, 6]), st.sampled_from([None, 4, 16])
    ),
    st.sampled_from([None, True, False]),
)
def test_a_card_and_a_link_that_nobody_has_heard_of_are_predicted(
    name: str, words: str, facts: tuple[float | None, bool, bool, int | None, int | None], peers: bool | None
) -> None:
    nvlink, switch, pairs, generation, lanes = facts
    spec = GpuSpec(
        key="unseen",
        name=name or "unseen",
        nvlink_bytes_per_s=nvlink,
        nvswitch=switch,
        nvlink_pairs_only=pairs,
        pcie_generation=generation,
        pcie_lane_count=lanes,
        peer_to_peer=peers,
        source="made up for tests",
        checked="2026-01-01",
    )
    _require_sound(_grid([interconnect_or_usual(words, spec)], MODELS["large"], Setting(host_steps_s=(0.01,))))


def test_more_cores_and_faster_links_never_make_a_step_longer() -> None:
    spec = spec_table()["rtx3090"]
    rates = [interconnect_or_usual(f"{rate} GB/s", spec) for rate in (1, 4, 16, 64, 256)]
    by_link = _grid(rates, MODELS["large"], Setting()).step_s[:, :, :, 0]
    assert np.all(np.diff(by_link, axis=2) <= 1e-12 * by_link[:, :, 1:]), "in every strategy"
    steps_by_cores = [
        _grid([usual_link(spec)], MODELS["large"], Setting(host_steps_s=(0.05,), host_core_counts=(cores,))).step_s
        for cores in (1, 2, 4, 8, 64)
    ]
    assert all(np.all(more <= fewer + 1e-12) for fewer, more in itertools.pairwise(steps_by_cores))
