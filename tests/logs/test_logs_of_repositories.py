"""Logs that popular repositories print in a way of their own tell their steps and epochs."""

from __future__ import annotations

import pytest

from advisor.logs.log_lines import parse_log
from advisor.logs.training_log import explain_log


def _clock(seconds: int) -> str:
    return f"2026-01-01 {10 + seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d},123"


TIME_SERIES = "".join(
    "".join(
        f"\titers: {step}, epoch: {epoch} | loss: 0.3123456\n\tspeed: 0.0312s/iter; left time: {99 - step / 10:.4f}s\n"
        for step in (100, 200)
    )
    + f"Epoch: {epoch} cost time: 8.112345678901234\nEpoch: {epoch}, Steps: 265 | Train Loss: 0.33 Vali Loss: 0.7\n"
    for epoch in (1, 2, 3)
)
TACOTRON = "Epoch: 0\n" + "".join(f"Train loss {step} 0.543210 Grad Norm 0.512345 0.83s/it\n" for step in range(50))
HIFI_GAN = "Epoch: 1\n" + "".join(
    f"Steps : {step}, Gen Loss Total : 45.123, Mel-Spec. Error : 0.456, s/b : 0.312\n" for step in range(0, 500, 5)
)
OPEN_CLIP = "".join(
    f"2026-01-01,10:00:{step:02d} | INFO | Train Epoch: 0 [{step * 1280:>8}/10968539 (0%)] Data (t): 0.012 "
    "Batch (t): 0.412, 3106.8/s, 776.7/s/gpu LR: 0.000005 Logit Scale: 14.3 Contrastive_loss: 5.1\n"
    for step in range(1, 50)
)
BASIC_SR = "".join(
    f"{_clock(45 * turn)} INFO: [ESRGAN..][epoch:  0, iter: {100 * turn:7,}, lr:(1.000e-04,)] "
    "[eta: 2 days, 4:10:11, time (data): 0.450 (0.003)] l_pix: 1.2e-02\n"
    for turn in range(1, 50)
)


@pytest.mark.parametrize(
    ("text", "step_s"),
    [(TIME_SERIES, 0.0312), (TACOTRON, 0.83), (HIFI_GAN, 0.312), (OPEN_CLIP, 0.412), (BASIC_SR, 0.45)],
    ids=["time series", "tacotron", "hifi-gan", "openclip", "basicsr"],
)
def test_a_repositorys_own_lines_tell_its_step(text: str, step_s: float) -> None:
    assert explain_log(parse_log(text)).step_s == pytest.approx(step_s, rel=0.01)


def test_a_step_whose_thousands_are_set_apart_is_no_pause() -> None:
    report = explain_log(parse_log(BASIC_SR))
    assert report.step_count == 4900
    assert [part.kind for part in report.split.parts] == ["training"]


def test_the_loaders_time_beside_a_batch_is_read() -> None:
    assert parse_log(OPEN_CLIP).data_times_s == [0.012] * 49


@pytest.mark.parametrize(
    "line",
    ["Epoch: {0} cost time: 163.2512345", "Time taken for epoch {0} is 163 sec"],
    ids=["time series", "hifi-gan"],
)
def test_what_an_epoch_took_is_read(line: str) -> None:
    report = explain_log(parse_log("\n".join(line.format(epoch) for epoch in (1, 2, 3))))
    assert report.split.total_s == pytest.approx(3 * 163, rel=0.01)
