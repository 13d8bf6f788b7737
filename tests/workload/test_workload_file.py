"""Every source leads to one `Workload`, and every wrong description is refused with file, field and remedy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from advisor.core.errors import InputError
from advisor.core.sentences import error_text
from advisor.workload.model_config import bundled_config, bundled_config_names
from advisor.workload.toml_text import workload_to_toml
from advisor.workload.workload import HuggingFaceModel, PythonModel, Workload
from advisor.workload.workload_file import (
    bundled_names,
    load_workload,
    load_workload_for_row,
    source_of,
)

BUNDLED = {
    "iris_mlp",
    "rnn_characters",
    "lstm_classifier",
    "resnet50",
    "unet_vgg16",
    "vit_base",
    "bert_base_sst2",
    "bert_large_squad",
    "roberta_large_classification",
    "gpt2_small",
    "llama_8b",
    "llama_1b_lora",
    "llama_1b_qlora",
    "llama_8b_lora",
    "llama_8b_qlora",
    "llama_7b_pretraining",
    "whisper_small",
    "dit_xl2",
}
GOOD = """
name = "mine"
[model]
source = "huggingface"
config = "bert-base-uncased"
task = "sequence-classification"
[data]
samples = 1000
sequence_length = 128
[training]
batch_size = 16
precision = "fp16_amp"
"""


def written(folder: Path, text: str, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refused(reference: Any, **overrides: object) -> InputError:
    with pytest.raises(InputError) as caught:
        load_workload(reference, overrides=overrides)
    assert caught.value.remedy
    assert caught.value.exit_code == 2
    return caught.value


def test_all_bundled_workloads_load() -> None:
    assert set(bundled_names()) == BUNDLED
    for name in BUNDLED:
        assert load_workload(name).assumed == ()


def test_a_toml_file_says_all_of_a_workload(tmp_path: Path) -> None:
    workload = load_workload(written(tmp_path, GOOD))
    assert workload.name == "mine"
    assert workload.model == HuggingFaceModel(config="bert-base-uncased", task="sequence-classification")
    assert (workload.training.batch_size, workload.training.optimizer) == (16, "adamw")


def test_a_table_is_read_like_a_file() -> None:
    import tomllib

    assert load_workload(tomllib.loads(GOOD)).training.precision == "fp16_amp"


@pytest.mark.parametrize("name", bundled_config_names())
def test_a_bundled_configuration_is_a_workload_with_what_was_assumed_named(name: str) -> None:
    workload = load_workload(name)
    assert {"data.samples", "training.batch_size", "training.precision"} <= set(workload.assumed)
    assert source_of(workload) == "huggingface"


def test_a_folder_and_its_config_json_are_the_same_workload_and_leave_no_path_behind(tmp_path: Path) -> None:
    config = {**(bundled_config("gpt2") or {}), "auto_map": {"AutoModel": "evil.Model"}}
    folder = tmp_path / "my-model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    first, second = load_workload(folder), load_workload(str(folder / "config.json"))
    assert first.model == second.model
    assert isinstance(first.model, HuggingFaceModel)
    assert isinstance(first.model.config, dict)
    assert "auto_map" not in first.model.config
    assert first.model.config["n_layer"] == 12
    assert str(tmp_path) not in msgspec.json.encode(first).decode()


def test_a_configuration_beside_the_toml_file_is_found_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text(json.dumps(bundled_config("bert-base-uncased")), encoding="utf-8")
    workload = load_workload(written(tmp_path, GOOD.replace("bert-base-uncased", "model")))
    assert isinstance(workload.model, HuggingFaceModel)
    assert isinstance(workload.model.config, dict)
    assert workload.model.origin == "config.json"


def test_a_python_file_is_a_workload_with_the_length_that_its_make_batch_names(tmp_path: Path) -> None:
    code = "def build_model(): ...\ndef make_batch(batch_size, length=77): ...\n"
    workload = load_workload(written(tmp_path, code, "net.py"))
    assert workload.model == PythonModel(file="net.py")
    assert workload.data.sequence_length == 77
    assert "data.sequence_length" in workload.assumed
    assert load_workload(tmp_path / "net.py", overrides={"image_size": 64}).data.sequence_length is None


@pytest.mark.parametrize(
    ("functions", "field", "value"),
    [
        ("def make_batch(batch_size): ...", None, None),
        ("def make_batch(batch_size, image_size=96): ...", "image_size", 96),
        ("def make_batch(batch_size, side): ...", "image_size", 224),
        ("def make_batch(batch_size, block_size): ...", "sequence_length", 128),
        ("def make_batch(*sizes): ...", "sequence_length", 128),
        ("def make_batch(batch_size): ...\ndef make_dataset(length): ...", "sequence_length", 128),
        ("from elsewhere import make_batch", "sequence_length", 128),
    ],
)
def test_a_python_file_is_assumed_a_length_only_where_it_asks_for_one(
    tmp_path: Path, functions: str, field: str | None, value: int | None
) -> None:
    workload = load_workload(written(tmp_path, f"def build_model(): ...\n{functions}\n", "net.py"))
    sizes = {"sequence_length": workload.data.sequence_length, "image_size": workload.data.image_size}
    assert {name: size for name, size in sizes.items() if size is not None} == ({field: value} if field else {})
    assert {name for name in workload.assumed if name.removeprefix("data.") in sizes} == (
        {f"data.{field}"} if field else set()
    )


def test_flat_settings_override_the_file_and_nothing_else() -> None:
    workload = load_workload("bert_base_sst2", overrides={"batch_size": 4, "samples": 100, "epochs": None})
    assert (workload.training.batch_size, workload.data.samples, workload.training.epochs) == (4, 100, 3)


def test_a_global_batch_becomes_accumulation_at_the_batch_size() -> None:
    workload = load_workload("bert_base_sst2", overrides={"global_batch_size": 128})
    assert (workload.training.batch_size, workload.training.gradient_accumulation_steps) == (16, 8)
    both = load_workload("bert_base_sst2", overrides={"global_batch_size": 128, "batch_size": 32})
    assert both.training.gradient_accumulation_steps == 4


def test_a_global_batch_that_does_not_divide_is_refused_with_its_neighbours() -> None:
    error = refused("bert_base_sst2", global_batch_size=100)
    assert "100 is no multiple of `training.batch_size` = 16" in error.text
    assert "96 or 112" in error.remedy
    told, mend = error_text(error, "zh")
    assert told.endswith("全局批大小 100 不是 `training.batch_size` = 16 的倍数。")
    assert "96 或 112" in mend
    assert "16," in refused("bert_base_sst2", global_batch_size=3).remedy


@pytest.mark.parametrize("given", [{"lora_rank": 8}, {"lora_targets": "attention"}, {"quantization": "nf4"}])
def test_settings_of_adapters_alone_mean_that_adapters_are_trained(given: dict[str, object]) -> None:
    assert load_workload("bert_base_sst2", overrides=given).training.trainable == "lora"
    inferred = load_workload("bert_base_sst2", overrides={"mode": "inference", "quantization": "nf4"})
    assert inferred.training.trainable == "all"


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"batch_size": 0}, "`training.batch_size` is `0`"),
        ({"batch_size": -1}, "`training.batch_size` is `-1`"),
        ({"batch_size": 10**9}, "`training.batch_size` is `1000000000`"),
        ({"batch_size": 70000}, "`training.batch_size` is 70000, but `data.samples` is 67349"),
        ({"precision": "fp4"}, "`training.precision` is `fp4`"),
        ({"sequence_length": 513}, "`data.sequence_length` is 513"),
        ({"optimizer": "adamx"}, "`training.optimizer` is `adamx`"),
        ({"epochs": 0}, "`training.epochs` is `0`"),
        ({"image_size": 224}, "`data.image_size` and `data.sequence_length` are both given"),
        ({"batchsize": 1}, "`batchsize` is no setting"),
        ({"lora_rank": 8, "trainable": "all"}, "`training.lora_rank` is 8, but `training.trainable` is `all`"),
        ({"quantization": "nf4", "trainable": "all"}, "quantised weights cannot be trained"),
        ({"weights_bits": 4}, "quantised weights cannot be trained"),
        ({"optimizer_bits": 8, "optimizer": "sgd"}, "`training.optimizer_bits` is 8"),
        ({"fused_optimizer": True, "optimizer": "lamb"}, "no fused kernel for `lamb`"),
        ({"attention": "flash", "precision": "fp32"}, "`training.attention` is `flash`"),
        ({"evaluate_every_steps": 10, "validation_samples": 0}, "`training.evaluate_every_steps` is 10"),
        ({"global_batch_size": 0}, "the global batch size is `0`"),
    ],
)
def test_settings_that_are_wrong_or_contradict_each_other_are_refused(overrides: dict[str, object], said: str) -> None:
    assert said in refused("bert_base_sst2", **overrides).text


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("samples = 1000", "samples = 0", "`data.samples` is `0`"),
        ("samples = 1000", "", "`data.samples` is missing"),
        ("sequence_length = 128", "", "`data.sequence_length` is missing"),
        ("sequence_length = 128", "image_size = 99999", "`data.image_size` is 99999"),
        ("sequence_length = 128", "seq_len = 128", "`data.seq_len` is not a known field"),
        ('source = "huggingface"', 'source = "keras"', "`model.source` is `keras`"),
        ('source = "huggingface"', "", "`model.source` is missing"),
        ('task = "sequence-classification"', 'task = "image-classification"', "`model.task` is `image-classification`"),
        ("bert-base-uncased", "bert-base-uncasd", "`model.config` is `bert-base-uncasd`"),
        ('config = "bert-base-uncased"', "config = {hidden_size = 3}", "`model_type` is missing"),
        ('precision = "fp16_amp"', "", "`training.precision` is missing"),
        ("[training]", "[trainin]", "`trainin`"),
        ('config = "bert-base-uncased"', f'config = "{"x" * 4000}"', "`model.config` is `xxx"),
        ('config = "bert-base-uncased"', 'config = "a\\u0000b"', "`model.config` is `a\\u0000b`"),
        (
            GOOD[GOOD.index("source") : GOOD.index("[data]")],
            f'source = "python"\nfile = "{"x" * 4000}.py"\n',
            "names no file",
        ),
        ('name = "mine"', 'name = ""', "`name` is ``"),
        ('name = "mine"', 'name = "mine"\nsource_folder = "/"', "`source_folder` is set by the program"),
    ],
)
def test_a_wrong_file_is_refused_by_its_field(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new))
    error = refused(path)
    assert said in error.text
    assert str(path) in error.text


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        ("bert", "Did you mean `bert_base_sst2`, `bert_large_squad`, "),
        ("BERT-large", "Did you mean `bert_large_squad` or "),
        ("vit", "Did you mean `vit_base` or "),
        ("bert_base_sst", "Did you mean `bert_base_sst2`?"),
        ("llama_8b_full_finetuning", "Did you mean `llama_8b`?"),
        ("someone/some-model", "--allow-hub"),
        ("missing.toml", "Bundled:"),
        ("", "Give"),
        ("\x1b[2J\n", "Bundled:"),
        ("x" * 5000, "Bundled:"),
        ("a\0b", "Bundled:"),
    ],
)
def test_a_reference_to_nothing_is_refused_with_a_hint(reference: str, hint: str) -> None:
    error = refused(reference)
    assert hint in error.remedy
    assert "\x1b" not in str(error)


def test_a_folder_without_configuration_and_a_weight_file_are_refused_unopened(tmp_path: Path) -> None:
    weights = tmp_path / "pytorch_model.bin"
    weights.write_bytes(b"\x80\x02cos\nsystem\n")
    assert "no config.json" in refused(tmp_path).text
    assert "describes no workload" in refused(weights).text


@pytest.mark.parametrize("name", [*sorted(BUNDLED), "gpt2"])
def test_a_workload_written_as_toml_is_read_back_as_the_same(tmp_path: Path, name: str) -> None:
    workload = load_workload(name, overrides={"batch_size": 3, "gradient_accumulation_steps": 2})
    again = load_workload(written(tmp_path, workload_to_toml(workload)))
    assert again.training == workload.training
    assert again.data == workload.data
    if not isinstance(workload.model, PythonModel):
        assert again.model == workload.model


def test_a_workload_survives_json_and_is_loaded_again_from_its_own_table() -> None:
    for name in BUNDLED:
        workload = load_workload(name)
        assert msgspec.json.decode(msgspec.json.encode(workload), type=Workload) == workload
        assert load_workload(msgspec.to_builtins(workload)) == workload


def test_a_row_finds_bundled_names_paths_and_files_beside_its_table(tmp_path: Path) -> None:
    written(tmp_path, GOOD, "zoo.toml")
    assert load_workload_for_row("resnet50", tmp_path).name == load_workload("resnet50").name
    assert load_workload_for_row("zoo", tmp_path) == load_workload_for_row("zoo.toml", tmp_path)
    with pytest.raises(InputError, match="no bundled workload"):
        load_workload_for_row("nothing", tmp_path)


def test_a_row_may_name_a_file_that_says_nothing_of_the_training(tmp_path: Path) -> None:
    written(tmp_path, 'name = "bare"\n[model]\nsource = "huggingface"\nconfig = "gpt2"\n', "bare.toml")
    workload = load_workload_for_row("bare", tmp_path)
    assert {"training.fused_layers", "training.precision"} <= set(workload.assumed)


def test_the_schema_names_every_section() -> None:
    schema = msgspec.json.schema(Workload)
    assert {"name", "model", "data", "training"} <= set(schema["$defs"]["Workload"]["properties"])


@pytest.mark.parametrize(
    ("place", "name"),
    [("small/config.json", "small"), ("bert-mini.json", "bert-mini"), ("v1.5/config.json", "v1.5"), ("v1.5", "v1.5")],
)
def test_a_configuration_is_called_by_its_own_file_and_by_its_folder_where_the_file_has_every_models_name(
    place: str, name: str, tmp_path: Path
) -> None:
    path = tmp_path / place
    file = path if path.suffix == ".json" else path / "config.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(bundled_config("bert-base-uncased")), encoding="utf-8")
    assert load_workload(path).name == name
