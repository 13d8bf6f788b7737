"""Which set-ups are marked as tied with the advised one."""

from __future__ import annotations

from tests.recommend.test_fixed_and_ties import advised


def test_what_is_marked_as_tied_are_the_set_ups_that_were_compared() -> None:
    advice = advised("resnet50", "b200-sxm", "h200-sxm", "h100-sxm", "h100-nvl", "rtx4090")
    chosen = advice.recommendation
    assert chosen is not None
    tied = {(item.device_key, item.count) for item in advice.alternatives if item.tied}
    assert tied
    assert {key for key, _ in tied} == {device.key for device in chosen.tied_with}
    decided = next(reason for reason in chosen.why if reason.code == "why-tie-time")
    jobs = [item.job_s.value for item in advice.alternatives if item.tied and item.job_s is not None]
    assert decided.figure("other_job_s") == min(jobs)
    assert chosen.job_s is not None
    assert decided.figure("job_s") == chosen.job_s.value < min(jobs)
