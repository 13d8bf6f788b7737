"""A card that lacks the precision asked for stands in every table at its own precision, named as such."""

from __future__ import annotations

import msgspec
import pytest

from advisor.core.sentences import Language, Reason, say, sentence
from advisor.predict.prediction import Prediction
from advisor.present import markdown_file
from advisor.present.one_screen import one_screen
from advisor.present.report.content import report_content
from advisor.present.report.tables import device_table
from advisor.present.summary import best_by_device, summarise
from advisor.recommend.precisions import stand_in
from advisor.store.advice_record import AdviceRecord
from tests.present.fakes import advice


def mixed() -> tuple[AdviceRecord, Prediction]:
    """An advice whose devices have its precision, but for one that has FP16 autocast and FP32 only."""
    made = advice()
    assert made.recommendation is not None
    chosen = msgspec.structs.replace(made.recommendation, precision="bf16_amp")
    bf16 = [msgspec.structs.replace(one, precision="bf16_amp") for one in made.predictions]
    pattern = next(one for one in bf16 if one.count == 1 and one.device.key != "cpu")
    device = msgspec.structs.replace(pattern.device, key="v100-test", name="V100 of this test", local=False)
    lacking = [
        msgspec.structs.replace(pattern, device=device, precision=precision, fits=True)
        for precision in ("fp32", "fp16_amp")
    ]
    found = msgspec.structs.replace(made, recommendation=chosen, predictions=(*bf16, *lacking))
    return found, lacking[1]


def test_the_nearest_precision_that_is_as_exact_stands_in() -> None:
    assert stand_in({"fp32", "fp16_amp"}, "bf16_amp") == "fp16_amp"
    assert stand_in({"fp32", "fp16_amp"}, "tf32") == "fp32"
    assert stand_in({"fp32", "bf16_amp"}, "bf16_amp") == "bf16_amp"
    assert stand_in({"fp16", "fp16_amp"}, "fp32") is None


def test_a_card_without_the_precision_is_among_the_best_of_each_device() -> None:
    made, expected = mixed()
    assert expected in best_by_device(made)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_tables_of_terminal_markdown_and_report_name_its_own_precision(language: Language) -> None:
    made, _ = mixed()
    table = summarise(made, language).tables[0]
    row = next(row for row in table.rows if row[0] == "V100 of this test")
    assert "FP16 AMP" in row
    (short,) = one_screen(made, language).tables
    assert sentence("column-precision", language) not in short.columns, "a mark takes less room"
    assert [cells[0] for cells in short.rows if "¹" in cells[0]] == ["V100 of this test ¹"]
    assert short.title.endswith({"en": "; ¹ in FP16 AMP", "zh": "；¹ 为 FP16 AMP"}[language])
    assert {len(one) for one in table.rows} == {len(table.columns)}
    assert table.columns[table.first_number_index] in {"Batch", "批大小"}
    assert "FP16 AMP" in markdown_file.encode(made, language).decode()
    report = device_table(made, language)
    assert report is not None
    assert any("FP16 AMP" in cell for cells in report.rows for cell in cells)
    assert {len(cells) for cells in report.rows} == {len(report.columns)}
    assert report_content(made, language)["evidence"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_caveat_that_a_mark_says_too_waits_for_the_details(language: Language) -> None:
    made, _ = mixed()
    names = {"precision": "BF16 AMP", "used": "FP16 AMP"}
    caveats = [
        Reason.of("caveat-precision-replaced", device=device, **names)
        for device in ("V100 of this test", made.predictions[0].device.name, "Unseen")
    ]
    made = msgspec.structs.replace(made, caveats=tuple(caveats))
    shown = {text for section in one_screen(made, language).sections for text in section.sentences}
    assert [say(caveat, language) in shown for caveat in caveats] == [False, False, True]
    assert {say(caveat, language) for caveat in caveats} <= {
        text for section in summarise(made, language).sections for text in section.sentences
    }


def test_a_comparison_at_one_precision_has_no_column_for_it() -> None:
    for summary in (summarise(advice(), "en"), one_screen(advice(), "en")):
        assert "Precision" not in summary.tables[0].columns
