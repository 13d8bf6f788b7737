"""`--init`: a first workload file, filled in from the command that trains today and from its model's configuration."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from advisor.cli.commands import run
from advisor.cli.starting import starter
from advisor.workload.workload import Data, HuggingFaceModel, Training
from advisor.workload.workload_file import load_workload

QUIET = ("--no-history", "--quiet")


def test_the_first_workload_file_holds_every_field_and_loads(tmp_path: Path) -> None:
    path = tmp_path / "train.toml"
    assert run(["--init", str(path), "--batch", "32", "--precision", "fp32", "--epochs", "2"]) == 0
    text = path.read_text()
    for field in (*Data.__struct_fields__, *Training.__struct_fields__):
        assert f"{field} = " in text, field
    training = load_workload(path).training
    assert (training.batch_size, training.precision, training.epochs) == (32, "fp32", 2)
    assert run(["--init", str(path)]) == 2


def test_every_flag_that_says_something_of_the_training_is_in_the_first_workload_file(tmp_path: Path) -> None:
    path = tmp_path / "train.toml"
    said = "--batch 8 --global-batch 32 --lora-rank 4 --lora-targets query,value --quantization nf4 "
    assert run(["--init", str(path), *said.split(), "--checkpointing", "full", "--compile"]) == 0
    training = load_workload(path).training
    assert (training.batch_size, training.gradient_accumulation_steps) == (8, 4)
    assert (training.lora_rank, training.lora_targets, training.quantization) == (4, ("query", "value"), "nf4")
    assert (training.activation_checkpointing, training.compile) == ("full", True)


def test_the_first_workload_file_is_filled_in_from_the_command_that_trains_today(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "train.toml"
    command = "python run_clm.py --model_name_or_path gpt2 --block_size 256 --per_device_train_batch_size 4 --lr 1e-4"
    assert run(["--init", str(path), "--from-command", command, "--language", "en", "--epochs", "2"]) == 0
    told = capsys.readouterr().err
    assert "Filled in from the command: config, sequence_length, batch_size." in told
    assert "--lr" in told.partition("Left out")[2].partition("\n")[0]
    workload = load_workload(path)
    assert isinstance(workload.model, HuggingFaceModel)
    assert (workload.model.config, workload.model.task) == ("gpt2", None)
    assert (workload.data.sequence_length, workload.training.batch_size, workload.training.epochs) == (256, 4, 2)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--init", "x.toml", "--from-command", "python 'x"), "a quotation is not closed"),
        (("--predict", "iris_mlp", "--from-command", "python x.py"), "goes with --init alone"),
    ],
)
def test_a_command_that_cannot_be_read_or_has_no_file_to_fill_in_is_refused(
    arguments: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run([*arguments, "--language", "en"]) == 2
    assert told in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_model_that_only_its_script_knows_is_not_taken_for_a_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "train.toml"
    assert run(["--init", str(path), "--from-command", "train.py --model convnext_tiny -b 8", "--language", "en"]) == 0
    assert "convnext_tiny" in capsys.readouterr().err
    assert load_workload(path).training.batch_size == 8


@pytest.mark.parametrize("model", ["-a resnet50", "--model resnet-50", "--arch ResNet50"])
def test_a_bundled_model_is_known_by_its_name_in_a_command_and_its_pictures_have_their_side(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "train.toml"
    assert run(["--init", str(path), "--from-command", f"train.py {model} -b 256 --amp", "--language", "en"]) == 0
    workload = load_workload(path)
    assert isinstance(workload.model, HuggingFaceModel)
    assert (workload.model.config, workload.data.image_size, workload.training.batch_size) == ("resnet-50", 224, 256)
    text = path.read_text(encoding="utf-8")
    assert "\n# sequence_length = 128" in text
    assert "\nimage_size = 224                 # pixels a side" in text
    assert "starter" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("model_type", "head", "sizes"),
    [
        ("vit", "ViTForImageClassification", (224, None)),
        ("gpt2", "GPT2LMHeadModel", (None, 1024)),
        ("bert", "BertForSequenceClassification", (None, 128)),
    ],
)
def test_a_file_for_a_models_folder_has_samples_as_its_configuration_alone_is_asked_about(
    model_type: str, head: str, sizes: tuple[int | None, int | None], tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text(f'{{"model_type": "{model_type}", "architectures": ["{head}"]}}')
    path = tmp_path / "train.toml"
    command = f"train.py --model_name_or_path {folder} -b 8"
    assert run(["--init", str(path), "--from-command", command, "--language", "en"]) == 0
    data, alone = load_workload(path).data, load_workload(folder / "config.json").data
    assert (data.image_size, data.sequence_length) == (alone.image_size, alone.sequence_length) == sizes


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("yolo train model=yolov8n.pt imgsz=640 batch=16", "not yolov8n.pt, which is not known here"),
        ("train.py --epochs 3", "The command names no model: the file trains the starter's"),
    ],
)
def test_a_file_that_holds_another_model_than_the_commands_says_so(
    command: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--init", str(tmp_path / "train.toml"), "--from-command", command, "--language", "en"]) == 0
    assert told in capsys.readouterr().err


def test_what_the_first_file_gives_as_defaults_are_the_defaults() -> None:
    given = tomllib.loads(starter({}))["training"]
    defaults = dict(zip(Training.__struct_fields__[::-1], Training.__struct_defaults__[::-1], strict=False))
    chosen = {"precision", "batch_size", "epochs"}
    assert {field: value for field, value in given.items() if field not in chosen} == {
        field: defaults[field] for field in given if field not in chosen
    }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_a_command_counts_in_steps_is_told_with_its_samples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str
) -> None:
    path, ask = tmp_path / "train.toml", ["--language", language, "--from-command"]
    assert run(["--init", str(path), *ask, "python x.py -b 8 --max_steps 5000"]) == 0
    assert "samples = 40,000" in capsys.readouterr().err
    workload = load_workload(path)
    assert (workload.data.samples, workload.training.epochs) == (40_000, 1)
    assert run(["--init", str(path), "--force", *ask, "accelerate launch x.py -b 8 --max_steps 5000"]) == 0
    assert "epochs = 1" in capsys.readouterr().err
    assert load_workload(path).data.samples == 10_000


def test_a_file_that_a_command_names_is_told_as_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("args.json").write_text('{"per_device_train_batch_size": 4, "max_seq_length": 256}', "utf-8")
    assert run(["--init", "train.toml", "--language", "en", "--from-command", "python sft.py args.json"]) == 0
    assert "Read beside the command: args.json." in capsys.readouterr().err
    workload = load_workload("train.toml")
    assert (workload.training.batch_size, workload.data.sequence_length) == (4, 256)
