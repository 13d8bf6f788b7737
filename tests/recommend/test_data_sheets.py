"""A tie that stands against the data sheets says on how many published runs it rests."""

from __future__ import annotations

import msgspec
import pytest

from advisor.catalogue.gpu_spec import GpuSpec
from advisor.catalogue.spec_table import spec_table
from advisor.core.sentences import Language, Names, Reason, say
from advisor.predict.prediction import Device, Prediction
from advisor.recommend.reasons.data_sheets import data_sheet_reasons
from tests.recommend.fakes import comparison, estimate
from tests.recommend.test_batch_and_strategy import one

TABLE = spec_table()


def on(key: str, step_s: float, **changes: object) -> Prediction:
    device = Device(key=key, name=TABLE[key].name, spec_key=key, local=False)
    made = msgspec.structs.replace(one(16, 16 / step_s), device=device, precision="fp32", **changes)
    return msgspec.structs.replace(made, step_s=estimate(step_s))


def told(chosen: Prediction, *tied: Prediction, more: dict[str, GpuSpec] | None = None) -> list[Reason]:
    asked = comparison(16, 1024, 4096, (chosen, *tied))._replace(specs={**TABLE, **(more or {})})
    return list(data_sheet_reasons(asked, chosen, tied))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_card_ahead_of_its_faster_variant_says_how_many_runs_put_it_there(language: Language) -> None:
    (reason,) = told(on("v100-pcie-32", 0.100), on("v100-sxm2-16", 0.106), on("v100-sxm2-32", 0.108))
    assert reason.numbers["others"] == Names(names=(TABLE["v100-sxm2-16"].name, TABLE["v100-sxm2-32"].name))
    assert (reason.numbers["runs"], reason.numbers["other_runs"]) == (4, 28 + 18)
    text = say(reason, language)
    assert "4" in text
    assert "46" in text
    assert "{" not in text


def test_a_card_of_the_same_data_sheet_is_told_too_and_runs_of_which_there_are_none_are_none() -> None:
    (reason,) = told(on("v100-pcie-32", 0.100), on("v100-pcie-16", 0.106))
    assert (reason.numbers["runs"], reason.numbers["other_runs"]) == (4, 0)


def test_where_the_data_sheet_explains_the_order_nothing_is_said() -> None:
    assert told(on("v100-sxm2-16", 0.100), on("v100-pcie-32", 0.106)) == []
    assert told(on("rtx3090", 0.100), on("v100-sxm2-16", 0.106)) == []  # more FP32, though less bandwidth


def test_another_batch_size_or_a_step_within_three_percent_tells_nothing_of_the_cards() -> None:
    assert told(on("v100-pcie-32", 0.100), on("v100-sxm2-16", 0.106, batch_size_per_device=8)) == []
    assert told(on("v100-pcie-32", 0.100), on("v100-sxm2-16", 0.1025)) == []


def test_a_figure_that_is_not_known_decides_nothing() -> None:
    unknown = {"v100-sxm2-16": msgspec.structs.replace(TABLE["v100-sxm2-16"], power_w=None)}
    assert told(on("v100-pcie-32", 0.100), on("v100-sxm2-16", 0.106), more=unknown) == []


def test_a_quicker_link_of_several_cards_explains_the_order() -> None:
    slower = {"v100-sxm2-16": msgspec.structs.replace(TABLE["v100-sxm2-16"], nvlink_bytes_per_s=None)}
    linked = {"v100-pcie-32": msgspec.structs.replace(TABLE["v100-pcie-32"], nvlink_bytes_per_s=1e11)}
    pair = (on("v100-pcie-32", 0.1, count=2, strategy="ddp"), on("v100-sxm2-16", 0.106, count=2, strategy="ddp"))
    assert told(*pair, more=slower | linked) == []
    assert told(*pair)


def test_a_card_that_is_here_was_measured() -> None:
    here = on("v100-pcie-32", 0.100)
    local = msgspec.structs.replace(here, device=msgspec.structs.replace(here.device, local=True))
    assert told(local, on("v100-sxm2-16", 0.106)) == []
