"""The hub is asked only when allowed, for one small file at a pinned commit, within ten seconds and without secrets."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from advisor.core.errors import InputError
from advisor.workload import hub
from advisor.workload.model_config import bundled_config
from advisor.workload.workload import HuggingFaceModel
from advisor.workload.workload_file import load_workload

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(BaseHTTPRequestHandler):
    """Answers as the hub does, for a few models."""

    asked: list[tuple[str, dict[str, str]]] = []
    release = threading.Event()

    def do_GET(self) -> None:
        self.asked.append((self.path, dict(self.headers)))
        if self.path.startswith("/slow"):
            self.release.wait(20)
        answers: dict[str, bytes] = {
            "/api/models/owner/good/revision/main": json.dumps({"sha": COMMIT}).encode(),
            f"/owner/good/resolve/{COMMIT}/config.json": json.dumps(
                {**(bundled_config("gpt2") or {}), "auto_map": {"AutoModel": "evil.M"}}
            ).encode(),
            "/api/models/owner/large/revision/main": json.dumps({"sha": COMMIT}).encode(),
            f"/owner/large/resolve/{COMMIT}/config.json": b" " * ((1 << 20) + 1),
            "/api/models/owner/odd/revision/main": b'{"sha": "../../etc"}',
            "/api/models/owner/html/revision/main": b"<html>",
        }
        content = answers.get(self.path)
        self.send_response(200 if content is not None else 404)
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_arguments: Any) -> None:
        """Stay silent."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Hub]]:
    Hub.asked.clear()
    Hub.release.clear()
    running = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    running.daemon_threads = True
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{running.server_port}")
    monkeypatch.setenv("HF_TOKEN", "secret")
    yield Hub
    Hub.release.set()
    running.shutdown()
    running.server_close()


def test_a_hub_model_is_pinned_to_its_commit_and_cleaned(server: type[Hub]) -> None:
    workload = load_workload("owner/good", allow_hub=True)
    assert isinstance(workload.model, HuggingFaceModel)
    assert workload.model.origin == f"owner/good@{COMMIT}"
    assert isinstance(workload.model.config, dict)
    assert "auto_map" not in workload.model.config
    assert [path for path, _ in server.asked] == [
        "/api/models/owner/good/revision/main",
        f"/owner/good/resolve/{COMMIT}/config.json",
    ]
    assert "secret" not in str(server.asked)


def test_a_commit_that_is_given_is_taken_as_it_is(server: type[Hub]) -> None:
    load_workload(f"owner/good@{COMMIT}", allow_hub=True)
    assert len(server.asked) == 1


def test_the_hub_is_not_asked_unless_allowed(server: type[Hub]) -> None:
    with pytest.raises(InputError, match="no bundled workload"):
        load_workload("owner/good")
    assert server.asked == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("owner/missing", "answered 404"),
        ("owner/large", "over 1 MiB"),
        ("owner/odd", "named no commit"),
        ("owner/html", "not valid JSON"),
    ],
)
def test_a_wrong_answer_is_refused_with_its_reason(server: type[Hub], name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        load_workload(name, allow_hub=True)
    assert server.asked


@pytest.mark.usefixtures("server")
def test_a_hub_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "DEADLINE_S", 0.3)
    monkeypatch.setenv("HF_ENDPOINT", f"{os.environ['HF_ENDPOINT']}/slow")
    with pytest.raises(InputError, match="could not be reached"):
        load_workload("owner/good", allow_hub=True)


@pytest.mark.parametrize("endpoint", ["file:///etc", "ftp://127.0.0.1", "http://example.org"])
def test_an_endpoint_that_is_not_secure_is_refused(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    with pytest.raises(InputError, match="no https address"):
        load_workload("owner/good", allow_hub=True)


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b/c", "a//b", "owner/..", "-x/y", "a b/c", "owner/na?me", ""])
def test_names_that_are_no_hub_ids_are_never_asked_for(server: type[Hub], name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        load_workload(name, allow_hub=True) if name else load_workload(str(tmp_path / "x"), allow_hub=True)
    assert server.asked == []
