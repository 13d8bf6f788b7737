"""Which set-ups are compared: those whose step is no larger than all data."""

from __future__ import annotations

import msgspec

from advisor.gui.pages.compare_figures import PredictionIndex
from tests.gui import fakes


def test_steps_of_more_samples_than_the_data_have_are_not_compared() -> None:
    made = fakes.advice()
    data = msgspec.structs.replace(made.workload.data, samples=64)
    few = msgspec.structs.replace(made, workload=msgspec.structs.replace(made.workload, data=data))
    advised = made.recommendation
    assert advised is not None
    most = max(64, made.workload.training.global_batch_size, advised.global_batch_size)
    index = PredictionIndex(few)
    sizes = [one.prediction.global_batch_size for one in index.best_first("time")]
    assert 0 < len(sizes) < len(index.set_ups) == len(made.predictions)
    assert max(sizes) <= most
    assert max(index.batches) <= most


def test_all_are_compared_where_what_was_asked_for_passes_the_data() -> None:
    made = fakes.advice()
    large = tuple(one for one in made.predictions if one.global_batch_size > 1)
    training = msgspec.structs.replace(made.workload.training, batch_size=1)
    data = msgspec.structs.replace(made.workload.data, samples=1)
    workload = msgspec.structs.replace(made.workload, data=data, training=training)
    index = PredictionIndex(
        msgspec.structs.replace(
            made,
            workload=workload,
            predictions=large,
            best_set_ups=(),
            over_limits=(),
            recommendation=None,
            recommendation_local=None,
        )
    )
    assert len(index.shown) == len(large)
