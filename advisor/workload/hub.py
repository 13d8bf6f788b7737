"""Fetches one `config.json` from the Hugging Face hub, when asked: pinned revision, 1 MiB, 10 s, no credentials."""

from __future__ import annotations

import os
import re
import time
import urllib.error
import urllib.request
from typing import Any

from advisor.core.file_fault import file_fault
from advisor.core.input_file import decode_text, parse_json
from advisor.workload.model_config import MAX_CONFIG_BYTES, parse_config

DEADLINE_S = 10.0
_ENDPOINT = "https://huggingface.co"
_ID = re.compile(r"(?!.*(?:--|\.\.))[A-Za-z0-9][A-Za-z0-9._-]{0,95}(?:/[A-Za-z0-9][A-Za-z0-9._-]{0,95})?")
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,127}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_CHUNK_BYTES = 65536


def is_hub_id(reference: str) -> bool:
    """Whether the text has the form `owner/name`, `name`, or either with `@revision`."""
    name, _, revision = reference.partition("@")
    return _ID.fullmatch(name) is not None and (not revision or _REVISION.fullmatch(revision) is not None)


def fetch_config(reference: str) -> tuple[dict[str, Any], str]:
    """The clean configuration of a hub model, and `id@commit` that it was taken from.

    Raises InputError when the hub cannot be reached in time, or answers with something else.
    """
    name, _, revision = reference.partition("@")
    deadline = time.monotonic() + DEADLINE_S
    endpoint = os.environ.get("HF_ENDPOINT", _ENDPOINT).rstrip("/")
    commit = revision
    if not _COMMIT.fullmatch(revision):
        answer = _download(f"{endpoint}/api/models/{name}/revision/{revision or 'main'}", reference, deadline)
        about = parse_json(decode_text(answer, reference), reference, max_bytes=MAX_CONFIG_BYTES)
        commit = str(about.get("sha", "")) if isinstance(about, dict) else ""
        if not _COMMIT.fullmatch(commit):
            raise file_fault("hub-no-commit", path=reference)
    origin = f"{name}@{commit}"
    content = _download(f"{endpoint}/{name}/resolve/{commit}/config.json", reference, deadline)
    return parse_config(decode_text(content, origin), origin), origin


class _SecureRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects between web addresses only, and never from a secure one to an open one."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:  # noqa: ANN401, PLR0913 - urllib's signature
        """The rule of urllib, with the scheme held."""
        if not newurl.startswith(("https://", "http://")) or (
            req.full_url.startswith("https://") and not newurl.startswith("https://")
        ):
            message = "the hub redirects to an address that is not secure"
            raise urllib.error.URLError(message)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _download(address: str, reference: str, deadline: float) -> bytes:
    if not address.startswith(("https://", "http://127.0.0.1", "http://localhost")):
        raise file_fault("hub-address")
    request = urllib.request.Request(address, headers={"User-Agent": "advisor"})  # noqa: S310 - scheme checked above
    opener = urllib.request.build_opener(_SecureRedirects)
    received = bytearray()
    try:
        with opener.open(request, timeout=max(0.1, deadline - time.monotonic())) as answer:
            while chunk := answer.read1(_CHUNK_BYTES):
                received += chunk
                if len(received) > MAX_CONFIG_BYTES:
                    raise file_fault("hub-large", path=reference)
                if time.monotonic() > deadline:
                    raise TimeoutError
    except urllib.error.HTTPError as error:
        raise file_fault("hub-answered", path=reference, status=str(error.code)) from error
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise file_fault("hub-away", path=reference, limit=f"{DEADLINE_S:.0f}") from error
    return bytes(received)
