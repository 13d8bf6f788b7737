"""What else than training the wall time holds: loader and validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.core.sentences import Reason
from advisor.recommend.comparison import part_share
from advisor.recommend.wall_time import LOUD_SHARE, validation_share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from advisor.predict.prediction import Prediction
    from advisor.workload.workload import Workload

NOTABLE_SHARE = 0.1


def waiting_reasons(workload: Workload, chosen: Prediction) -> Iterator[Reason]:
    """A loader that holds up the step, and validation that takes a notable share of the wall time."""
    loader = part_share(chosen, "loader")
    if loader >= NOTABLE_SHARE:
        workers = workload.data.loader_workers
        yield Reason.of("why-loader-bound", share_fraction=loader, workers=workers)
    share, every = validation_share(workload, chosen), workload.training.evaluate_every_steps
    if share is not None and share >= LOUD_SHARE:
        yield (
            Reason.of("why-validation-share", share_fraction=share, every_steps=every)
            if every
            else Reason.of("why-validation-each-epoch", share_fraction=share)
        )
