"""What the Model page shows of an advice is of the workload that it stands beside."""

from __future__ import annotations

import msgspec

from advisor.core.units import Estimate
from advisor.gui.model_preview import preview_from_advice
from tests.gui import fakes


def test_memory_is_that_of_the_workload_with_what_the_advice_adds_to_it() -> None:
    made = fakes.advice()
    training = made.workload.training
    plain = next(
        one
        for one in made.predictions
        if one.count == 1
        and one.device.key != "cpu"
        and one.precision == training.precision
        and one.batch_size_per_device == training.batch_size
    )
    need = Estimate(low=1e9, value=2e9, high=3e9, basis="specified")
    lighter = msgspec.structs.replace(plain, checkpointing_added=True, peak_memory_bytes=need)
    predictions = (*made.predictions, lighter)
    asked = preview_from_advice(msgspec.structs.replace(made, predictions=predictions))
    assert asked.memory_bytes == plain.peak_memory_bytes
    assert made.recommendation is not None
    with_it = msgspec.structs.replace(made.recommendation, checkpointing_added=True)
    advised = preview_from_advice(msgspec.structs.replace(made, predictions=predictions, recommendation=with_it))
    assert advised.memory_bytes == need
