"""From which batch size a GPU beats the CPU, with the range that the predictions' ranges leave."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from advisor.core.sentences import Arguments, Reason
from advisor.predict.prediction import Device, Prediction
from advisor.recommend.recommendation import Crossover


def find_crossovers(predictions: Sequence[Prediction]) -> tuple[Crossover, ...]:
    """One crossover for each GPU against each CPU, each device at its fastest precision among those given."""
    curves = fastest_alone(predictions)
    cpus = [device for device in _devices(predictions) if device.key == "cpu"]
    gpus = [device for device in _devices(predictions) if device.key != "cpu"]
    return tuple(
        _crossover(cpu, gpu, curves[cpu.key], curves[gpu.key])
        for cpu in cpus
        for gpu in gpus
        if set(curves[cpu.key]) & set(curves[gpu.key])
    )


def _devices(predictions: Sequence[Prediction]) -> list[Device]:
    return list({prediction.device.key: prediction.device for prediction in predictions}.values())


def fastest_alone(predictions: Sequence[Prediction]) -> dict[str, dict[int, Prediction]]:
    """Per device the fastest set-up of one alone at each batch size that fits."""
    curves: dict[str, dict[int, Prediction]] = {prediction.device.key: {} for prediction in predictions}
    for prediction in predictions:
        if prediction.strategy != "single" or prediction.fits is False:
            continue
        curve = curves[prediction.device.key]
        rival = curve.get(prediction.batch_size_per_device)
        if rival is None or prediction.step_s.value < rival.step_s.value:
            curve[prediction.batch_size_per_device] = prediction
    return curves


def _crossover(cpu: Device, gpu: Device, of_cpu: dict[int, Prediction], of_gpu: dict[int, Prediction]) -> Crossover:
    sizes = sorted(set(of_cpu) & set(of_gpu))
    pairs = [(size, of_cpu[size], of_gpu[size]) for size in sizes]
    middle = _crossing(pairs, lambda cpu_step, gpu_step: cpu_step.step_s.value / gpu_step.step_s.value)
    early = _crossing(pairs, lambda cpu_step, gpu_step: cpu_step.step_s.high / gpu_step.step_s.low)
    late = _crossing(pairs, lambda cpu_step, gpu_step: cpu_step.step_s.low / gpu_step.step_s.high)
    first, last = pairs[0], pairs[-1]
    names: Arguments = {"cpu": cpu.name, "gpu": gpu.name}
    at_last = {"batch": last[0], "cpu_step_s": last[1].step_s.value, "gpu_step_s": last[2].step_s.value}
    at_first = {"batch": first[0], "cpu_step_s": first[1].step_s.value, "gpu_step_s": first[2].step_s.value}
    if middle is None and early is None:
        reason = Reason.of("crossover-cpu-wins", **names, **at_last)
    elif middle is None or early is None:
        reason = Reason.of("crossover-cpu-likely", **names, **at_last, low=early or last[0])
    elif late == first[0]:
        reason = Reason.of("crossover-gpu-wins", **names, **at_first)
    elif middle == first[0]:
        reason = Reason.of("crossover-gpu-likely", **names, **at_first, high=late or last[0])
    else:
        code = "crossover-at" if late is not None else "crossover-at-open"
        reason = Reason.of(code, **names, batch=middle, low=early, high=late or last[0])
    certain = late == first[0]
    return Crossover(
        cpu_key=cpu.key,
        gpu_key=gpu.key,
        batch_size=None if certain else middle,
        low=early,
        high=late,
        reason=reason,
    )


def _crossing(
    pairs: Sequence[tuple[int, Prediction, Prediction]], speed_up: Callable[[Prediction, Prediction], float]
) -> int | None:
    """First batch size from which the GPU stays ahead (speed-up >= 1), interpolated between logarithms.

    The smallest batch where it is ahead everywhere; None where it is behind at the largest.
    """
    ratios = [(size, speed_up(cpu, gpu)) for size, cpu, gpu in pairs]
    if ratios[-1][1] < 1:
        return None
    behind = [index for index, (_, ratio) in enumerate(ratios) if ratio < 1]
    if not behind:
        return ratios[0][0]
    (size0, ratio0), (size1, ratio1) = ratios[behind[-1]], ratios[behind[-1] + 1]
    share = -math.log(ratio0) / (math.log(ratio1) - math.log(ratio0))
    return math.ceil(math.exp(math.log(size0) + share * (math.log(size1) - math.log(size0))) - 1e-9)
