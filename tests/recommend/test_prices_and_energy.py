"""Price files, joules of a job, and what a job costs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from advisor.catalogue.spec_table import spec_table
from advisor.core.errors import InputError
from advisor.cost.parts import Part
from advisor.hardware.machine import GpuReading, Reading
from advisor.measure.measurement import Measurement
from advisor.predict.prediction import Prediction
from advisor.recommend.advise_from import recommend
from advisor.recommend.candidates import enumerate_candidates
from advisor.recommend.energy import add_energy_and_cost, energy_of, power_draws
from advisor.recommend.prices import Prices, cost_of, price_per_hour, read_prices
from tests.recommend.fakes import SPECS, TRANSFORMER, estimate, gpu, machine, measurement, predict_all, workload

PRICES = Prices(
    currency="EUR", date="2026-01-31", devices={"rtx3090": 0.4, "cpu": 0.1}, electricity_per_kwh=0.3, source="test"
)


def set_ups() -> dict[tuple[str, int], Prediction]:
    here = machine(gpu(), gpu(1))
    found = enumerate_candidates(
        workload(), here, SPECS, gpu_keys=("rtx3090", "rtx4090"), counts=(1, 2), precisions=("fp32",),
        batch_sizes=(16,), strategies=("single", "ddp"),
    )  # fmt: skip
    made = predict_all(found, TRANSFORMER, workload())
    return {(one.device.key, one.count): msgspec.structs.replace(one, job_s=estimate(3600.0, 0.1)) for one in made}


def write(folder: Path, text: str) -> Path:
    path = folder / "prices.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_price_file_is_read_with_currency_and_date(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        'currency = "EUR"\ndate = "2026-01-31"\nelectricity_per_kwh = 0.3\n'
        '[devices]\nrtx3090 = 0.4\ncpu = 0.1\n"GPU-1" = 2',
    )
    prices = read_prices(path, SPECS)
    assert (prices.currency, prices.devices["rtx3090"], prices.devices["GPU-1"]) == ("EUR", 0.4, 2)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("RTX 4090", "Write `rtx4090` for RTX 4090."),
        ("GeForce RTX 3090", "Write `rtx3090` for RTX 3090."),
        ("V100 32 GB", "PCIe 32 GB, `v100-sxm2-32` for V100 SXM2 32 GB."),
        ("rtx4009", "`rtx4090` for RTX 4090"),
        ("none of them", "`advisor --list`"),
    ],
)
def test_a_device_that_is_named_as_it_is_shown_is_told_by_its_key(tmp_path: Path, written: str, said: str) -> None:
    path = write(tmp_path, f'currency = "EUR"\ndate = "2026-01-31"\n[devices]\n"{written}" = 1')
    with pytest.raises(InputError) as caught:
        read_prices(path, spec_table())
    assert said in caught.value.remedy


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('currency = "EUR"\ndate = "31.1.2026"', "date"),
        ('currency = "EUR"\ndate = "2026-02-31"', "date"),
        ('currency = "euro"\ndate = "2026-01-31"', "currency"),
        ('currency = "EUR"\ndate = "2026-01-31"\n[devices]\nrtx3090 = -1', "devices"),
        ('currency = "EUR"\ndate = "2026-01-31"\n[devices]\nrtx9999 = 1', "devices.rtx9999"),
        ('currency = "EUR"\ndate = "2026-01-31"\nprice = 1', "price"),
        ('date = "2026-01-31"', "currency"),
    ],
)
def test_a_bad_price_file_is_refused_by_its_field(tmp_path: Path, text: str, field: str) -> None:
    with pytest.raises(InputError) as refused:
        read_prices(write(tmp_path, text), SPECS)
    assert field in refused.value.text
    assert "prices.toml" in refused.value.text


def test_two_cards_cost_twice_as_much_an_hour_and_a_local_card_its_row() -> None:
    found = set_ups()
    assert price_per_hour(found[("rtx3090", 1)], PRICES) == 0.4
    assert price_per_hour(found[("rtx3090", 2)], PRICES) == 0.8
    assert price_per_hour(found[("GPU-00000000", 1)], PRICES) == 0.4
    assert price_per_hour(found[("rtx4090", 1)], PRICES) is None


def test_a_rented_card_costs_its_hours_with_the_range_of_the_job() -> None:
    cost = cost_of(set_ups()[("rtx3090", 2)], PRICES)
    assert cost is not None
    assert (cost.low, cost.value, cost.high) == pytest.approx((0.72, 0.8, 0.88))


def test_a_local_card_also_costs_its_electricity() -> None:
    local = msgspec.structs.replace(set_ups()[("GPU-00000000", 1)], energy_j=estimate(3.6e6, 0.0))
    cost = cost_of(local, PRICES)
    assert cost is not None
    assert cost.value == pytest.approx(0.4 + 0.3)
    unpriced = cost_of(local, msgspec.structs.replace(PRICES, devices={}))
    assert unpriced is not None
    assert unpriced.value == pytest.approx(0.3)
    assert cost_of(msgspec.structs.replace(local, energy_j=None), PRICES) is None
    without = cost_of(local, msgspec.structs.replace(PRICES, electricity_per_kwh=None))
    assert without is not None
    assert without.value == pytest.approx(0.4)


def test_without_prices_or_a_job_there_is_no_cost() -> None:
    one = set_ups()[("rtx3090", 1)]
    assert cost_of(one, None) is None
    assert cost_of(msgspec.structs.replace(one, job_s=None), PRICES) is None


def readings(watts: list[float], uuid: str = "GPU-00000000") -> Measurement:
    taken = tuple(
        Reading(
            monotonic_s=float(index),
            gpus=(GpuReading(uuid=uuid, index=0, power_w=one, utilisation_fraction=0.9),),
        )
        for index, one in enumerate(watts)
    )
    return msgspec.structs.replace(measurement(uuid, "stable"), readings=taken)


def test_measured_power_is_the_median_of_the_busy_readings() -> None:
    draws = power_draws(machine(gpu()), SPECS, [readings([300, 310, 290, 305, 1000])])
    assert draws["GPU-00000000"].draw_w.basis == "measured"
    assert draws["GPU-00000000"].draw_w.value == 305
    assert draws["GPU-00000000"].limit_w == 350


def test_too_few_readings_fall_back_to_the_limit_and_then_to_the_row() -> None:
    few = power_draws(machine(gpu()), SPECS, [readings([300, 310])])
    assert few["GPU-00000000"].draw_w.basis == "specified"
    row = power_draws(machine(gpu(power_limit_w=None)), SPECS, [])
    assert row["GPU-00000000"].limit_w == 350
    unknown = power_draws(machine(gpu(power_limit_w=None, spec_key=None), gpu(1, uuid=None)), SPECS, [])
    assert "GPU-00000000" not in unknown
    assert "gpu1" in unknown
    powerless = msgspec.structs.replace(SPECS["rtx3090"], power_w=None)
    assert power_draws(machine(gpu(power_limit_w=None)), {"rtx3090": powerless}, []) == {}


def test_energy_of_measured_power_is_power_times_time_times_count() -> None:
    draws = power_draws(machine(gpu(), gpu(1)), SPECS, [readings([300.0] * 6)])
    pair = set_ups()[("GPU-00000000", 2)]
    energy = energy_of(pair, draws)
    assert energy is not None
    assert energy.value == pytest.approx(300 * 3600 * 2)
    assert energy.basis == "specified"


def test_a_card_that_waits_draws_less_than_one_that_computes() -> None:
    draws = power_draws(machine(), SPECS, [])
    one = set_ups()[("rtx3090", 1)]
    busy = msgspec.structs.replace(one, parts=(Part(kind="forward", duration_s=1.0),))
    idle = msgspec.structs.replace(one, parts=(Part(kind="host", duration_s=1.0),))
    empty = msgspec.structs.replace(one, parts=())
    watts = {name: energy_of(each, draws) for name, each in (("busy", busy), ("idle", idle), ("empty", empty))}
    assert watts["busy"] is not None
    assert watts["idle"] is not None
    assert watts["busy"].value == pytest.approx(0.8 * 350 * 3600)
    assert watts["idle"].value == pytest.approx(0.25 * 350 * 3600)
    assert watts["empty"] == watts["busy"]
    assert watts["busy"].high == pytest.approx(350 * 3600 * 1.1)


def test_unknown_power_or_time_leaves_energy_unknown() -> None:
    draws = power_draws(machine(), SPECS, [])
    found = set_ups()
    assert energy_of(found[("cpu", 1)], draws) is None
    assert energy_of(msgspec.structs.replace(found[("rtx3090", 1)], job_s=None), draws) is None


def test_filling_in_names_the_currency_only_beside_a_cost() -> None:
    found = set_ups()
    draws = power_draws(machine(), SPECS, [])
    filled = {(one.device.key, one.count): one for one in add_energy_and_cost(tuple(found.values()), draws, PRICES)}
    assert filled[("rtx3090", 1)].currency == "EUR"
    assert filled[("rtx4090", 1)].currency is None
    assert filled[("rtx4090", 1)].energy_j is not None
    assert all(one.cost is None for one in add_energy_and_cost(tuple(found.values()), draws, None))


def test_a_card_without_a_price_is_never_compared_with_money() -> None:
    found = enumerate_candidates(workload(), machine(), SPECS, gpu_keys=("rtx3090", "rtx4090"), local=False)
    made = predict_all(found, TRANSFORMER, workload())
    dear = msgspec.structs.replace(PRICES, devices={"rtx3090": 900.0})
    answer = recommend(workload(), machine(), made, goal="cost", prices=dear, specs=SPECS)
    assert answer.recommendation is not None
    assert answer.recommendation.device.key == "rtx3090"
    assert answer.recommendation.tied_with == ()
    assert answer.recommendation.why[0].code == "why-only-candidate"
    assert "caveat-some-prices-missing" in {reason.code for reason in answer.caveats}


def test_prices_of_other_cards_than_those_left_are_not_told_to_be_missing_altogether() -> None:
    found = enumerate_candidates(workload(), machine(), SPECS, gpu_keys=("rtx4090",), local=False)
    made = predict_all(found, TRANSFORMER, workload())
    others = msgspec.structs.replace(PRICES, devices={"rtx3090": 0.35})
    told = [
        {
            reason.code
            for reason in recommend(workload(), machine(), made, goal="cost", prices=prices, specs=SPECS).caveats
        }
        for prices in (None, others)
    ]
    assert "caveat-no-prices" in told[0]
    assert "caveat-no-prices" not in told[1]
    assert "caveat-prices-of-others" in told[1]


def test_a_processors_power_is_that_of_its_packages_where_their_counters_were_read() -> None:
    watts = (60.0, 65.0, None, 70.0, 66.0, 64.0, 90.0)
    taken = tuple(Reading(monotonic_s=float(at), gpus=(), cpu_power_w=one) for at, one in enumerate(watts))
    measured = msgspec.structs.replace(measurement("cpu", "stable"), readings=taken)
    draw = power_draws(machine(), {}, [measured])["cpu"]
    assert (draw.draw_w.value, draw.draw_w.basis, draw.limit_w) == (65.5, "measured", None)
    blind = msgspec.structs.replace(measured, readings=taken[:3])
    assert power_draws(machine(), {}, [blind]) == {}
