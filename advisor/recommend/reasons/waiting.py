"""What else than training the wall time holds: validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.core.sentences import Reason
from advisor.recommend.wall_time import LOUD_SHARE, validation_share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from advisor.predict.prediction import Prediction
    from advisor.workload.workload import Workload


def waiting_reasons(workload: Workload, chosen: Prediction) -> Iterator[Reason]:
    """Validation that takes a notable share of the wall time."""
    share, every = validation_share(workload, chosen), workload.training.evaluate_every_steps
    if share is not None and share >= LOUD_SHARE:
        yield (
            Reason.of("why-validation-share", share_fraction=share, every_steps=every)
            if every
            else Reason.of("why-validation-each-epoch", share_fraction=share)
        )
