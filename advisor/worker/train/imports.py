"""Answers an `ImportRequest`: the modules that training a workload needs, loaded ahead of time."""

from __future__ import annotations

import contextlib

import advisor.worker.train.train_steps  # noqa: F401 - what answers the request that follows
from advisor.core.errors import InputError
from advisor.protocol.messages import ImportRequest
from advisor.worker.event_box import EventBox
from advisor.worker.models.load_model import load
from advisor.workload.workload import HuggingFaceModel


def answer(request: ImportRequest, box: EventBox) -> None:  # noqa: ARG001 - each answer takes the same arguments
    """Import; a Hugging Face model is built without storage too, as its classes are imported by building it.

    A user's Python file is left alone: it runs only to be traced and trained. What cannot be built is reported by the
    request that needs it.
    """
    if isinstance(request.workload.model, HuggingFaceModel):
        with contextlib.suppress(InputError):
            load(request.workload, device="meta", layer_limit=1)
