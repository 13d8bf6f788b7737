"""What a report draws agrees with the figures of its headline, for set-ups of several cards too."""

from __future__ import annotations

import pytest

from advisor.advice import AdviceRequest, Facts, advice_from_facts
from advisor.core.units import format_bytes
from advisor.optable.saved_tables import saved_tables
from advisor.present.card_names import names_with_place
from advisor.present.report.batch_chart import batch_chart
from advisor.present.report.charts import memory_chart, named
from advisor.recommend.recommendation import prediction_of
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload_file import load_workload
from tests.recommend.fakes import machine


@pytest.fixture(scope="module")
def advised() -> AdviceRecord:
    workload = load_workload("unet_vgg16")
    facts = Facts(machine=machine(), tables=saved_tables(workload))
    return advice_from_facts(
        AdviceRequest(workload=workload, measure=False, gpu_keys=("rtx4090", "a100-sxm4-40"), counts=(1, 2, 4)), facts
    )


def test_the_memory_chart_shows_the_memory_of_the_advised_set_up(advised: AdviceRecord) -> None:
    main = advised.recommendation
    assert main is not None
    assert main.count > 1
    prediction, chart = prediction_of(advised.predictions, main), memory_chart(advised, "en")
    assert prediction is not None
    assert chart is not None
    label = named(prediction, names_with_place(advised.predictions, "en"))
    shown = next(bar for bar in chart["bars"] if bar["label"] == label)
    assert label.startswith(f"{main.count} × ")
    assert main.peak_memory_bytes is not None
    assert shown["text"].startswith(format_bytes(main.peak_memory_bytes.value))


def test_the_batch_curve_says_that_it_is_of_one_card_and_names_no_line_that_it_lacks(advised: AdviceRecord) -> None:
    chart = batch_chart(advised, "en")
    assert chart is not None
    assert chart["series"][0]["name"].startswith("1 × ")
    assert chart["series"][0]["name"].endswith("(FP32)")
    told = " ".join(chart["marks"])
    assert ("Red dashes" in told) is (chart["limit"] is not None)
    assert ("Blue dashes" in told) is (chart["knee"] is not None)
