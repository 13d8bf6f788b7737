"""The data loader where it limits a job: said before everything else, as no other card would help."""

from __future__ import annotations

import math
from collections.abc import Iterator

from advisor.catalogue.loading import (
    COLLATED_ROWS_PER_S,
    DECODED_IMAGES_PER_S,
    LEAST_DECODED_SIDE,
    TOKENS_PER_S,
    keeping_workers,
)
from advisor.core.sentences import Reason
from advisor.predict.prediction import Prediction
from advisor.recommend.batch_size import rounded
from advisor.recommend.comparison import Comparison
from advisor.recommend.strategy import STARTING_S
from advisor.workload.model_config import config_of
from advisor.workload.tasks import data_kind
from advisor.workload.workload import HuggingFaceModel, Workload

NOTABLE_SHARE = 0.1
_CORES = {
    "why-decoding-bound": "why-decoding-cores",
    "why-tokenising-bound": "why-tokenising-cores",
    "why-rows-bound": "why-rows-cores",
}


def loading_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """What the timed loader adds to a step; else what decoding or tokenising would, if it is done while training."""
    workload, share = comparison.workload, chosen.part_share("loader")
    workers = workload.data.loader_workers
    if share >= NOTABLE_SHARE:
        waits_s = chosen.part_s("loader")
        numbers = {"share_fraction": share, "waits_s": waits_s, "step_s": chosen.step_s.value}
        made_s = _alone_s(comparison, chosen.batch_size_per_device)
        if chosen.device.local and workers and made_s < waits_s:
            yield Reason.of("why-loader-workers", **numbers, workers=workers, made_s=made_s)
        else:
            yield Reason.of("why-loader-bound" if workers else "why-loader-alone", **numbers, workers=workers)
    making = _making(comparison, chosen)
    if making is None or chosen.job_s is None:
        return
    code, made_per_s = making
    rate = _rate_of_device(chosen)
    most = made_per_s * max(1, workers)
    if most < rate:
        yield Reason.of(
            code,
            workers=max(1, workers),
            most=rounded(most),
            rate=rounded(rate),
            least_job_s=chosen.job_s.value * rate / most,
            wanted=keeping_workers(rate, made_per_s),
        )


def _alone_s(comparison: Comparison, batch_size: int) -> float:
    """Seconds in which the training process alone makes a batch, from the largest timed; infinite: none was."""
    alone = [timed_pass for timed_pass in comparison.loader if not timed_pass.worker_count]
    if not alone:
        return math.inf
    largest = max(alone, key=lambda timed_pass: timed_pass.batch_size)
    return largest.made_s * batch_size / largest.batch_size


def least_job_s(comparison: Comparison, chosen: Prediction) -> float | None:
    """Seconds that a job takes at least for its loading; None: loading is not said to limit it."""
    said = loading_reasons(comparison, chosen)
    return next((reason.figure("least_job_s") for reason in said if "least_job_s" in reason.numbers), None)


def is_held_up(comparison: Comparison, chosen: Prediction) -> bool:
    """Whether loading is said to make a job longer than a training takes to start."""
    least = least_job_s(comparison, chosen)
    return least is not None and least >= STARTING_S


def core_reasons(comparison: Comparison, chosen: Prediction) -> Iterator[Reason]:
    """How many cores of a host its devices together want for making samples of files, where that limits none.

    Said where that is more than a core a device, which any host has.
    """
    making = _making(comparison, chosen)
    if making is None:
        return
    code, made_per_s = making
    rate = _rate_of_device(chosen)
    hosts = comparison.machines.of(chosen.count, local=chosen.device.local)
    here = chosen.samples_per_s.value / hosts
    cores = keeping_workers(here, made_per_s)
    if cores > chosen.count / hosts and rate <= made_per_s * max(1, comparison.workload.data.loader_workers):
        yield Reason.of(_CORES[code], rate=rounded(here), each=rounded(made_per_s), cores=cores)


def _making(comparison: Comparison, chosen: Prediction) -> tuple[str, float] | None:
    """What making samples would be limited by, where the workload's own data were not timed; see `making_of`.

    Random rows that were timed here cost what others do, and are counted in a step here; rows that are one batch all
    together lie ready.
    """
    if any(timed_pass.own_data for timed_pass in comparison.loader):
        return None
    making = making_of(comparison.workload)
    counted = bool(comparison.loader) and chosen.device.local
    ready = counted or chosen.global_batch_size >= comparison.workload.data.samples
    return None if making is None or (ready and making[0] == "why-rows-bound") else making


def _rate_of_device(chosen: Prediction) -> float:
    """Samples that one device takes a second."""
    return chosen.samples_per_s.value / (1 if chosen.strategy == "single" else chosen.count)


def making_of(workload: Workload) -> tuple[str, float] | None:
    """What making a sample of files would be limited by, and how many one worker makes a second at most; None: unknown.

    Sound, small pictures and models whose inputs are not known to be words are left out. What has neither length nor
    side is rows, which nothing has to be made of but which are taken one by one.
    """
    data, model = workload.data, workload.model
    if data.image_size:
        return ("why-decoding-bound", DECODED_IMAGES_PER_S) if data.image_size >= LEAST_DECODED_SIDE else None
    if not isinstance(model, HuggingFaceModel):
        return None if data.sequence_length else ("why-rows-bound", COLLATED_ROWS_PER_S)
    if not data.sequence_length:
        return None
    if data_kind(config_of(model), model.task) == "text":
        return "why-tokenising-bound", TOKENS_PER_S / data.sequence_length
    return None
