"""Room for the words of a sample in a model's table of positions: what was trained at a length had it."""

from __future__ import annotations

from advisor.core.sentences import Reason
from advisor.worker.models.foreign import Config
from advisor.workload.defaults import position_limit
from advisor.workload.workload import Workload

_KEYS = ("max_position_embeddings", "n_positions", "max_seq_len")
_PARTS = ("vision_config", "text_config", "audio_config")


def lengthen_positions(config: Config, workload: Workload) -> tuple[Reason, ...]:
    """Let a plain model of words take samples as long as the workload says; tells where its table grew for that.

    A configuration that names no number of positions has its library's default (512 of BERT's, 1,024 of GPT-2's), and a
    published run of longer samples had a longer table: cut samples would be predicted for those that ran. A length
    that was assumed lengthens nothing.
    """
    length = workload.data.sequence_length
    if length is None or "data.sequence_length" in workload.assumed:
        return ()
    if any(getattr(config, part, None) is not None for part in _PARTS):
        return ()
    known = {key: value for key in _KEYS if isinstance(value := getattr(config, key, None), int) and value > 0}
    described = {"model_type": config.model_type, **known}
    limit = position_limit(described)
    spare = 0 if limit is None else max(known.values()) - limit
    for key, value in known.items():
        if value - spare < length:
            setattr(config, key, length + spare)
    if limit is None or limit >= length:
        return ()
    return (Reason.of("workload-positions-lengthened", model=str(config.model_type), limit=limit, length=length),)
