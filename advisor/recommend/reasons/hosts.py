"""What waiting for the host costs a set-up, and which host was taken where nobody measured one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.core.sentences import Reason
from advisor.predict.prediction import Prediction, SetUp
from advisor.recommend.comparison import Comparison, fixed_s
from advisor.recommend.ranking import Row

HOST_BOUND_SHARE = 0.3
LAUNCH_BOUND_SHARE = 0.5


def host_reasons(comparison: Comparison, chosen: Prediction, rows: Sequence[Row]) -> Iterator[Reason]:
    """What launches and synchronisation cost on a GPU, and whose hosts are taken to be quicker than whose."""
    yield from _launch_reasons(comparison, chosen)
    yield from _assumed_hosts(comparison, chosen, rows)


def host_share(prediction: Prediction) -> float:
    """Share of a step that waits for the host."""
    return prediction.part_share("host", "synchronisation")


def assumed_dispatch_s(comparison: Comparison, set_up: SetUp) -> float | None:
    """What the host of a GPU is taken to need for an operator; None where it was measured, or for a processor."""
    if comparison.groups is None or set_up.device.key == "cpu":
        return None
    return comparison.groups.assumed_dispatch_s(set_up)


def _assumed_hosts(comparison: Comparison, chosen: Prediction, rows: Sequence[Row]) -> Iterator[Reason]:
    """That the best rival that stands beside another kind of host owes a part of its place to that."""
    own = assumed_dispatch_s(comparison, chosen)
    if own is None:
        return
    for row in rows:
        rival = row.prediction
        other = assumed_dispatch_s(comparison, rival)
        if other is None or other == own or max(host_share(chosen), host_share(rival)) < HOST_BOUND_SHARE:
            continue
        yield Reason.of(
            "why-hosts-assumed",
            device=chosen.device.name,
            other=rival.device.name,
            host="desktop" if own < other else "server",
            times_ratio=max(own, other) / min(own, other),
        )
        return


def _launch_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """What launches and synchronisation cost on a GPU: why a CPU wins, or why a card is not kept busy."""
    if chosen.device.key == "cpu":
        gpu = _best_single_gpu(comparison, chosen)
        waiting_s = gpu.part_s("synchronisation", "copy") if gpu is not None else 0.0
        launch_s = max(0.0, fixed_s(gpu, comparison.predictions) - waiting_s) if gpu is not None else 0.0
        if gpu is not None and launch_s + waiting_s >= LAUNCH_BOUND_SHARE * gpu.step_s.value:
            ahead = chosen.step_s.value <= gpu.step_s.value
            yield Reason.of(
                "why-launch-bound" if ahead else "why-launch-bound-tied",
                device=gpu.device.name,
                batch=gpu.batch_size_per_device,
                gpu_step_s=gpu.step_s.value,
                launch_s=launch_s,
                synchronisation_s=waiting_s,
                cpu_step_s=chosen.step_s.value,
            )
    elif host_share(chosen) >= HOST_BOUND_SHARE:
        yield Reason.of(
            "why-host-bound",
            device=chosen.device.name,
            launch_s=chosen.part_s("host", "synchronisation"),
            step_s=chosen.step_s.value,
            share_fraction=host_share(chosen),
        )


def _best_single_gpu(comparison: Comparison, chosen: Prediction) -> Prediction | None:
    """The fastest GPU step at the batch and precision family of the chosen CPU set-up."""
    rivals = [
        prediction
        for prediction in comparison.predictions
        if prediction.device.key != "cpu"
        and prediction.count == 1
        and prediction.batch_size_per_device == chosen.batch_size_per_device
    ]
    return min(rivals, key=lambda prediction: prediction.step_s.value, default=None)
