"""Every page of the report holds something: its ink is counted as it would be printed."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from advisor.core.sentences import Language, sentence
from advisor.present.job_picture import job_picture
from advisor.present.look import PAPER, device_colour, device_places, memory_part_colour, step_part_colour
from advisor.present.report import pdf_file
from advisor.present.report.batch_chart import batch_chart
from advisor.present.report.charts import job_chart, memory_chart, time_chart
from advisor.recommend.recommendation import prediction_of
from tests.present import fakes
from tests.present.recorded import recorded

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from advisor.store.advice_record import AdviceRecord

LANGUAGES: tuple[Language, ...] = ("en", "zh")
_BANDS = 24
_FOOTER_SHARE = 0.06


def short_of_caveats(advice: AdviceRecord) -> AdviceRecord:
    return msgspec.structs.replace(advice, caveats=(), reasons=())


def of_many_caveats(advice: AdviceRecord) -> AdviceRecord:
    longest = max(advice.caveats, key=lambda caveat: len(str(caveat)))
    named = [
        msgspec.structs.replace(longest, numbers={**longest.numbers, "device": f"GPU {index}"}) for index in range(16)
    ]
    return msgspec.structs.replace(advice, caveats=tuple(named))


ADVICES = {
    "recorded": recorded(),
    "short of caveats": short_of_caveats(recorded()),
    "of many caveats": of_many_caveats(recorded()),
    "synthetic": fakes.advice(),
}


def pages(content: bytes, folder: Path) -> list[NDArray[np.uint8]]:
    """The report's pages as printed in grey at 40 dots an inch."""
    program = shutil.which("pdftoppm")
    if program is None:
        pytest.skip("no pdftoppm (poppler-utils)")
    (folder / "report.pdf").write_bytes(content)
    subprocess.run([program, "-r", "40", "-gray", str(folder / "report.pdf"), str(folder / "page")], check=True)
    found = []
    for path in sorted(folder.glob("page-*.pgm")):
        _magic, size, _most, raw = path.read_bytes().split(b"\n", 3)
        width, height = (int(part) for part in size.split())
        found.append(np.frombuffer(raw, dtype=np.uint8).reshape(height, width))
    return found


def filled_share(page: NDArray[np.uint8]) -> float:
    """Of a page's bands above its footer, the share that holds ink."""
    body = page[: int(len(page) * (1 - _FOOTER_SHARE))]
    bands = np.array_split(body, _BANDS)
    return sum(bool((band < 200).any()) for band in bands) / _BANDS


@pytest.mark.parametrize("name", ADVICES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_is_under_a_third_full(name: str, language: Language, tmp_path: Path) -> None:
    shares = [filled_share(page) for page in pages(pdf_file.encode(ADVICES[name], language), tmp_path)]
    assert shares
    assert min(shares) >= 1 / 3, shares


def test_an_empty_page_would_be_noticed() -> None:
    blank = np.full((400, 300), 255, dtype=np.uint8)
    assert filled_share(blank) == 0
    blank[:100, 50:60] = 0
    assert 0.2 < filled_share(blank) < 1 / 3


def test_the_picture_of_the_report_is_the_windows_picture() -> None:
    advice = recorded()
    picture, chart = job_picture(advice), job_chart(advice, "en")
    assert picture is not None
    assert chart is not None
    places = device_places(advice.machine, advice.predictions)
    assert [row["colour"] for row in chart["rows"]] == [
        device_colour(places.get(row.prediction.device.key), "light") for row in picture.rows
    ]
    assert [row["strong"] for row in chart["rows"]] == [row.advised for row in picture.rows]
    assert all(0 < row["low"] <= row["at"] <= row["high"] < 1 for row in chart["rows"] if row["at"] is not None)


def test_memory_of_the_advised_device_is_that_with_what_the_advice_adds() -> None:
    made = recorded()
    main = prediction_of(made.predictions, made.recommendation)
    assert main is not None
    assert made.recommendation is not None
    half = tuple(msgspec.structs.replace(part, size_bytes=part.size_bytes / 2) for part in main.memory_parts)
    lighter = msgspec.structs.replace(main, checkpointing_added=True, memory_parts=half)
    advised = msgspec.structs.replace(made.recommendation, checkpointing_added=True)
    chart = memory_chart(
        msgspec.structs.replace(made, predictions=(*made.predictions, lighter), recommendation=advised), "en"
    )
    plain = memory_chart(made, "en")
    assert chart is not None
    assert plain is not None
    assert chart["bars"][0]["label"] == plain["bars"][0]["label"]
    assert chart["bars"][0]["text"] != plain["bars"][0]["text"]


def test_parts_have_the_windows_colours_and_every_bar_its_capacity() -> None:
    memory, step = memory_chart(recorded(), "en"), time_chart(recorded(), "en")
    assert memory is not None
    assert step is not None
    by_name = {
        sentence(f"memory-part-{kind}", "en"): memory_part_colour(kind, "light")
        for kind in ("parameters", "gradients", "optimizer", "activations", "workspace", "context", "fragmentation")
    }
    assert all(
        by_name.get(name, colour) == colour for name, colour in zip(memory["legend"], memory["colours"], strict=True)
    )
    assert step["colours"][step["legend"].index(sentence("step-part-forward", "en"))] == step_part_colour(
        "forward", "light"
    )
    assert all(bar["limit"] is not None and bar["limit"] <= 1 for bar in memory["bars"])


def test_what_does_not_fit_reaches_beyond_its_mark() -> None:
    compared = 0
    for one in recorded().predictions:
        usable = one.usable_memory_bytes
        if one.peak_memory_bytes is not None and usable is not None and one.fits is not None:
            assert (one.peak_memory_bytes.value <= usable) == one.fits
            compared += 1
    assert compared > 100


def test_no_two_curves_of_the_report_look_alike() -> None:
    chart = batch_chart(recorded(), "en")
    assert chart is not None
    looks = {(one["colour"], one["shape"]) for one in chart["series"]}
    assert len(looks) == len({one["name"].partition(" (")[0] for one in chart["series"]}) > 1


def test_the_reports_colours_are_the_light_schemes() -> None:
    from advisor.gui.theme import LIGHT

    assert (LIGHT.accent, LIGHT.accent_soft, LIGHT.text, LIGHT.muted) == (
        PAPER["accent"],
        PAPER["soft"],
        PAPER["text"],
        PAPER["muted"],
    )
