"""The sampler's process: reads requests from stdin, answers in JSON lines, ends when its stdin does."""

from __future__ import annotations

from advisor.core.child_process import claim_stdout

_EVENTS = claim_stdout()  # before any other import: whatever prints must not reach the stream

import queue  # noqa: E402 - after the claim
import sys  # noqa: E402 - after the claim
import threading  # noqa: E402 - after the claim

import msgspec  # noqa: E402 - after the claim

from advisor.hardware.sampler.detection import detect  # noqa: E402 - after the claim
from advisor.hardware.sampler.observation import Observation  # noqa: E402 - after the claim
from advisor.hardware.sampler_messages import Detect, Event, Request  # noqa: E402 - after the claim

_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)


def _emit(event: Event) -> None:
    _EVENTS.write(_ENCODER.encode(event) + b"\n")


def _read_requests(requests: queue.Queue[Request | None]) -> None:
    """Hand requests over until stdin ends, which means that the parent is gone."""
    for line in sys.stdin.buffer:
        requests.put(_DECODER.decode(line))
    requests.put(None)


def main() -> int:
    """Serve until stdin ends or nobody reads stdout any more."""
    requests: queue.Queue[Request | None] = queue.Queue()
    threading.Thread(target=_read_requests, args=(requests,), daemon=True).start()
    observation = Observation(_emit)
    try:
        while True:
            try:
                request = requests.get(timeout=observation.seconds_to_next())
            except queue.Empty:
                observation.take()
                continue
            if request is None:
                return 0
            if isinstance(request, Detect):
                detect(request, _emit)
            else:
                observation.change(request)
    except BrokenPipeError:
        return 0
    finally:
        observation.close()


if __name__ == "__main__":
    sys.exit(main())
