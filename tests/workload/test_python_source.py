"""The question of consent names path and SHA-256, and the environment of user code holds no secrets."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from advisor.core.errors import InputError
from advisor.workload.python_source import code_to_run, is_bundled, needs_consent
from advisor.workload.scrubbed_environment import scrubbed_environment
from advisor.workload.workload_file import load_workload

CODE = "def build_model(): ...\ndef make_batch(batch_size, length): ...\n"


def test_the_file_and_its_digest_are_named(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(CODE, "utf-8")
    workload = load_workload(tmp_path / "net.py")
    assert code_to_run(workload) == (tmp_path / "net.py", hashlib.sha256(CODE.encode()).hexdigest())
    assert needs_consent(workload)


def test_a_bundled_file_needs_no_consent_and_others_run_no_file() -> None:
    assert not needs_consent(load_workload("unet_vgg16"))
    assert code_to_run(load_workload("bert_base_sst2")) is None


def test_a_bundled_record_names_no_folder_of_this_machine() -> None:
    workload = load_workload("unet_vgg16")
    assert workload.source_folder is None
    code = code_to_run(workload)
    assert code is not None
    assert is_bundled(code[0])


def test_a_link_out_of_the_bundled_folder_is_not_bundled(tmp_path: Path) -> None:
    assert not is_bundled(tmp_path / "net.py")


def test_a_missing_or_oversized_file_is_refused_when_the_workload_is_loaded(tmp_path: Path) -> None:
    text = 'name="x"\n[model]\nsource="python"\nfile="gone.py"\n'
    (tmp_path / "w.toml").write_text(text, "utf-8")
    with pytest.raises(InputError, match="names no file"):
        load_workload(tmp_path / "w.toml")
    (tmp_path / "gone.py").write_text("#" * ((1 << 20) + 1), "utf-8")
    with pytest.raises(InputError, match="over 1 MiB"):
        load_workload(tmp_path / "w.toml")


def test_secrets_are_taken_out_of_the_environment_and_the_rest_stays() -> None:
    environment = {
        "PATH": "/bin",
        "HOME": "/home/x",
        "HF_TOKEN": "1",
        "aws_secret_access_key": "2",
        "API_KEY": "3",
        "DB_PASSWORD": "4",
        "OMP_NUM_THREADS": "2",
    }
    assert set(scrubbed_environment(environment)) == {"PATH", "HOME", "OMP_NUM_THREADS"}


@pytest.mark.parametrize(
    "name",
    ["DATABASE_URL", "SSH_AUTH_SOCK", "GH_PAT", "GITHUB_PAT", "AWS_SESSION", "SENTRY_DSN", "WANDB_API_KEY", "HF_TOKEN",
     "KUBECONFIG", "DBUS_SESSION_BUS_ADDRESS", "NETRC", "MY_OWN_VARIABLE", "TORCH_API_KEY"],
)  # fmt: skip
def test_what_is_not_known_to_be_needed_is_hidden(name: str) -> None:
    assert scrubbed_environment({name: "x"}) == {}


@pytest.mark.parametrize(
    "name", ["LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "NCCL_P2P_DISABLE", "PYTORCH_CUDA_ALLOC_CONF", "HF_HOME",
             "MKL_NUM_THREADS", "RANK", "MASTER_ADDR", "PYTHONPATH", "TMPDIR", "SystemRoot", "LC_ALL"]
)  # fmt: skip
def test_what_torch_and_the_system_need_stays(name: str) -> None:
    assert scrubbed_environment({name: "x"}) == {name: "x"}


def test_an_address_with_a_password_is_hidden_whatever_its_name() -> None:
    assert scrubbed_environment({"HF_ENDPOINT": "https://me:secret@mirror.example"}) == {}
