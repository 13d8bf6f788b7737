"""The launch script runs as it stands, alone and on two gloo ranks, with the advised batch and accumulation."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from advisor.core.errors import OutputError
from advisor.core.sentences import Reason
from advisor.predict.assembly import optimizer_step_count
from advisor.present.script import framework_gaps, launch_script
from advisor.recommend.recommendation import Recommendation
from advisor.store.advice_record import AdviceRecord
from advisor.workload.workload import HuggingFaceModel, NumbersModel, with_training
from advisor.workload.workload_file import bundled_names, load_workload
from tests.present.fakes import advice
from tests.present.script_forks import on_processor, run_file


def advised(workload: str | None = None, **changes: object) -> AdviceRecord:
    made = advice()
    assert made.recommendation is not None
    chosen = msgspec.structs.replace(made.recommendation, **changes)
    described = load_workload(workload) if workload else made.workload
    return msgspec.structs.replace(made, recommendation=chosen, workload=described)


def run_script(tmp_path: Path, made: AdviceRecord, *options: str, ranks: int = 1) -> dict[str, float]:
    return run_text(tmp_path, launch_script.render(made), *options, ranks=ranks)


def run_text(tmp_path: Path, text: str, *options: str, ranks: int = 1) -> dict[str, float]:
    script = tmp_path / "train.py"
    script.write_text(text, encoding="utf-8")
    ended = run_file(script, *options, ranks=ranks)
    assert ended.returncode == 0, ended.stderr[-3000:]
    answer: dict[str, float] = json.loads(ended.stdout.strip().splitlines()[-1])
    return answer


def test_a_ddp_advice_with_accumulation_trains_two_ranks(tmp_path: Path) -> None:
    answer = run_script(tmp_path, advised(gradient_accumulation_steps=4), "--steps", "12", ranks=2)
    assert answer["steps"] == 12
    assert 0 < answer["low_s"] <= answer["step_s"] <= answer["high_s"]


@pytest.mark.parametrize("workload", ["rnn_characters", "lstm_classifier"])
def test_a_single_device_advice_trains_alone(tmp_path: Path, workload: str) -> None:
    made = advised(workload, count=1, strategy="single", precision="fp32", batch_size_per_device=4, thread_count=1)
    assert run_script(tmp_path, made, "--steps", "5")["steps"] == 5


def of_iris(epochs: float, *, samples: int = 120, strategy: str = "single", count: int = 1) -> AdviceRecord:
    made = advised(
        "iris_mlp", count=count, strategy=strategy, precision="fp32", batch_size_per_device=12, thread_count=1
    )
    training = msgspec.structs.replace(made.workload.training, epochs=epochs)
    data = msgspec.structs.replace(made.workload.data, samples=samples)
    return msgspec.structs.replace(made, workload=msgspec.structs.replace(made.workload, training=training, data=data))


@pytest.mark.parametrize(("epochs", "steps"), [(2.5, 25), (0.5, 5), (2.0, 20)])
def test_a_part_of_an_epoch_is_trained_as_a_part_as_it_was_predicted(tmp_path: Path, epochs: float, steps: int) -> None:
    assert run_script(tmp_path, of_iris(epochs))["steps"] == steps


def _accumulating(made: AdviceRecord, steps: int) -> Recommendation:
    assert made.recommendation is not None
    return msgspec.structs.replace(made.recommendation, gradient_accumulation_steps=steps)


@pytest.mark.parametrize(
    ("samples", "batch", "accumulation", "ranks", "epochs"),
    [(10, 8, 1, 1, 2), (10, 8, 1, 1, 1.5), (5, 8, 1, 1, 3), (13, 2, 4, 1, 2), (13, 2, 2, 2, 2), (3, 1, 4, 2, 2)],
)
def test_what_is_left_of_an_epoch_is_a_step_of_its_own_as_it_was_predicted(
    tmp_path: Path, samples: int, batch: int, accumulation: int, ranks: int, epochs: float
) -> None:
    made = of_iris(epochs, samples=samples, strategy="single" if ranks == 1 else "ddp", count=ranks)
    chosen = msgspec.structs.replace(_accumulating(made, accumulation), batch_size_per_device=batch)
    made = msgspec.structs.replace(made, recommendation=chosen)
    expected = optimizer_step_count(made.workload, framework_gaps.global_batch(chosen))
    assert run_script(tmp_path, made, ranks=ranks)["steps"] == expected


def test_the_micro_batches_that_are_left_weigh_as_many_as_they_are(tmp_path: Path) -> None:
    made = advised("iris_mlp", count=1, strategy="single", precision="fp32", batch_size_per_device=20)
    made = msgspec.structs.replace(made, recommendation=_accumulating(made, 4))
    told = '            print("of", micro_batches, file=sys.stderr)\n            if not last:\n'
    script = tmp_path / "told.py"
    script.write_text(launch_script.render(made).replace("            if not last:\n", told), encoding="utf-8")
    ended = run_file(script, "--steps", "4")
    ended.check_returncode()
    weights = [line[-1] for line in ended.stderr.splitlines() if line.startswith("of ")]
    assert "".join(weights) == "444422" * 2  # six batches of twenty samples an epoch


@pytest.mark.parametrize(("ranks", "mode"), [(1, "training"), (2, "training"), (1, "inference")])
def test_a_compiled_script_of_torchs_own_modules_is_compiled_once_a_shape(
    tmp_path: Path, ranks: int, mode: str
) -> None:
    made = of_iris(2, strategy="single" if ranks == 1 else "ddp", count=ranks)
    assert made.recommendation is not None
    chosen = msgspec.structs.replace(made.recommendation, batch_size_per_device=50)
    made = msgspec.structs.replace(
        made, recommendation=chosen, workload=with_training(made.workload, compile=True, mode=mode)
    )
    text = launch_script.render(made).replace("dynamic=False)", 'dynamic=False, backend="eager")')
    text = text.replace("torch.compile(model.forward)", 'torch.compile(model.forward, backend="eager")')
    count = 'torch._dynamo.utils.counters["stats"]["unique_graphs"]'
    told = f'sys.stderr.write("graphs %d\\n" % {count})'  # one write: ranks share the pipe
    place = "    report(" if mode == "training" else "    if blocks:\n"
    script = tmp_path / "told.py"
    script.write_text(text.replace(place, f"    {told}\n{place}", 1), encoding="utf-8")
    ended = run_file(script, ranks=ranks)
    ended.check_returncode()
    graphs = [line for line in ended.stderr.splitlines() if line.startswith("graphs")]
    assert graphs == ["graphs 2"] * ranks


@pytest.mark.parametrize(
    ("strategy", "count", "ranked"),
    [("single", 1, False), ("dp", 4, False), ("ddp", 2, True), ("zero2", 2, True), ("fsdp_offload", 1, True)],
)
def test_only_what_runs_in_ranks_says_anything_of_them(strategy: str, count: int, *, ranked: bool) -> None:
    text = launch_script.render(advised("bert_base_sst2", strategy=strategy, count=count))
    for word in ("rank", "world", "dist.", "import torch.distributed as", "--run", "Sampler", "subprocess"):
        assert (word in text) is ranked, word
    assert "##" not in text


def test_data_parallel_deals_out_the_batch_of_all_its_devices() -> None:
    text = launch_script.render(advised("resnet50", strategy="dp", count=4, batch_size_per_device=16))
    assert "BATCH_SIZE = 64  # all devices together" in text


@pytest.mark.parametrize(("strategy", "shown"), [("ddp", "ACCUMULATION * 4 / 256"), ("dp", "ACCUMULATION / 256")])
def test_a_rate_that_grows_with_the_step_counts_every_device_once(strategy: str, shown: str) -> None:
    made = advised("resnet50", strategy=strategy, count=4, batch_size_per_device=16)
    made = msgspec.structs.replace(made, workload=with_training(made.workload, optimizer="sgd_momentum"))
    assert f"LEARNING_RATE = 0.1 * BATCH_SIZE * {shown}" in launch_script.render(made)


@pytest.mark.parametrize("steps", [1, 3, 4])
@pytest.mark.parametrize("mode", ["training", "inference"])
def test_a_few_steps_print_what_was_timed_of_them(tmp_path: Path, steps: int, mode: str) -> None:
    made = of_iris(2.0)
    made = msgspec.structs.replace(made, workload=with_training(made.workload, mode=mode))
    answer = run_script(tmp_path, made, "--steps", str(steps))
    assert answer["steps"] == steps
    assert 0 < answer["low_s"] == answer["step_s"] == answer["high_s"]


def test_whichever_of_steps_and_seconds_comes_first_ends_the_training(tmp_path: Path) -> None:
    answer = run_script(tmp_path, of_iris(1e6), "--steps", "100000000", "--seconds", "1")
    assert 0 < answer["steps"] < 100_000_000


def test_a_hugging_face_model_trains_by_its_config(tmp_path: Path) -> None:
    config = {"model_type": "bert", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config |= {"intermediate_size": 64, "vocab_size": 100}
    table = {
        "name": "small",
        "model": {"source": "huggingface", "config": config, "task": "sequence-classification"},
        "data": {"samples": 64, "sequence_length": 8, "loader_workers": 0},
        "training": {"precision": "fp32", "batch_size": 4},
    }
    made = advised(count=1, strategy="single", precision="fp32", batch_size_per_device=4, thread_count=1)
    made = msgspec.structs.replace(made, workload=load_workload(table))
    assert run_script(tmp_path, made, "--steps", "5")["steps"] == 5


@pytest.mark.parametrize(
    ("config", "task"),
    [
        ({"model_type": "t5", "d_model": 32, "d_ff": 64, "d_kv": 16, "num_layers": 1, "num_heads": 2}, "seq2seq-lm"),
        (
            {"model_type": "llama", "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1}
            | {"num_attention_heads": 2, "num_key_value_heads": 1},
            "sequence-classification",
        ),
    ],
)
def test_tokens_that_a_bare_configuration_leaves_open_are_those_it_was_predicted_with(
    tmp_path: Path, config: dict[str, object], task: str
) -> None:
    table = {
        "name": "bare",
        "model": {"source": "huggingface", "config": {**config, "vocab_size": 100}, "task": task},
        "data": {"samples": 64, "sequence_length": 8, "loader_workers": 0},
        "training": {"precision": "fp32", "batch_size": 4},
    }
    made = advised(count=1, strategy="single", precision="fp32", batch_size_per_device=4, thread_count=1)
    made = msgspec.structs.replace(made, workload=load_workload(table))
    assert run_script(tmp_path, made, "--steps", "2")["steps"] == 2
    said = {**config, "pad_token_id": 1, "decoder_start_token_id": 1}
    model = msgspec.structs.replace(made.workload.model, config=said)
    named = msgspec.structs.replace(made, workload=msgspec.structs.replace(made.workload, model=model))
    assert "token_id = 0" not in launch_script.render(named)


@pytest.mark.parametrize("workload", bundled_names())
@pytest.mark.parametrize("strategy", ["single", "dp", "ddp", "fsdp"])
def test_every_bundled_workload_gives_a_script_that_parses(workload: str, strategy: str) -> None:
    made = advised(workload, strategy=strategy, count=1 if strategy == "single" else 2)
    ast.parse(launch_script.render(made))


def test_a_name_cannot_break_out_of_its_comment() -> None:
    made = advised()
    renamed = msgspec.structs.replace(made.workload, name="x\nimport os; os.abort()\r")
    text = launch_script.render(msgspec.structs.replace(made, workload=renamed))
    assert "\nimport os; os.abort()" not in text
    ast.parse(text)
    named = launch_script.render(made, name="x\nimport os; os.abort()\n.py")
    assert "\nimport os; os.abort()" not in named


def test_a_model_of_numbers_gives_a_script_with_a_place_for_the_model() -> None:
    made = advised()
    numbers = NumbersModel(parameters=1e6, flop_per_sample=1e9, activation_bytes_per_sample=1e6)
    text = launch_script.render(
        msgspec.structs.replace(made, workload=msgspec.structs.replace(made.workload, model=numbers))
    )
    assert "YOUR MODEL: this workload describes it by numbers alone" in text
    assert "this runs once build_model and make_sample are yours" in text


def test_a_model_whose_samples_are_not_known_is_not_said_to_be_described_by_numbers() -> None:
    made = advised()
    series = HuggingFaceModel(config={"model_type": "patchtst", "num_input_channels": 7})
    text = launch_script.render(
        msgspec.structs.replace(made, workload=msgspec.structs.replace(made.workload, model=series))
    )
    assert "return AutoModel.from_config(config)" in text
    assert 'YOUR DATA: one sample as a dict of tensors")' in text
    assert "YOUR MODEL" not in text
    assert "this runs once make_sample returns one sample of yours" in text
    assert "runs as it stands" not in text


def test_a_model_of_a_class_of_its_own_is_built_as_that_class() -> None:
    text = _of_config({"model_type": "sam", "architectures": ["SamModel"]}, sides=(1024, 1024))
    assert "from transformers import AutoConfig, SamModel" in text
    assert "return SamModel(config)" in text
    assert "pictures of 1024 x 1024 pixels" in text


@pytest.mark.parametrize(
    ("sides", "shape"), [((256, 256), "3, 256, 256"), ((48, 480), "3, 48, 480"), (None, "3, 224, 224")]
)
def test_pictures_have_the_side_that_the_models_class_was_predicted_with(
    sides: tuple[int, int] | None, shape: str
) -> None:
    config: dict[str, object] = {"model_type": "mobilevit", "architectures": ["MobileViTForImageClassification"]}
    assert f"torch.randn({shape})" in _of_config(config, sides=sides)


@pytest.mark.parametrize(
    ("architecture", "shown"),
    [("ViTForImageClassification", "torch.randn(3, 160, 224)"), ("ViTForMaskedImageModeling", "of 160 x 224 pixels")],
)
def test_pictures_have_both_sides_that_the_configuration_tells(architecture: str, shown: str) -> None:
    config: dict[str, object] = {"model_type": "vit", "architectures": [architecture], "image_size": [160, 224]}
    assert shown in _of_config(config, sides=None)


def _of_config(config: dict[str, object], *, sides: tuple[int, int] | None) -> str:
    """The script for a bare configuration, whose class has other sides of pictures than were assumed."""
    made = advised()
    data = msgspec.structs.replace(made.workload.data, image_size=224)
    workload = msgspec.structs.replace(
        made.workload, model=HuggingFaceModel(config=config), data=data, assumed=("data.image_size",)
    )
    height, width = sides or (0, 0)
    told = (Reason.of("workload-own-side", height=height, width=width, side=224),) if sides else ()
    return launch_script.render(msgspec.structs.replace(made, workload=workload, caveats=told))


def test_a_strategy_without_a_script_is_refused_in_a_sentence() -> None:
    with pytest.raises(OutputError, match=r"for TP\.") as raised:
        launch_script.render(advised(strategy="tp"))  # of a model that transformers has no plan of
    assert "torchtitan" in raised.value.remedy


@pytest.mark.parametrize(
    ("strategy", "training", "instead"),
    [("pp", {}, "Megatron-LM"), ("tp", {"trainable": "lora", "quantization": "nf4", "weights_bits": 4}, "16 bits")],
)
def test_what_splits_a_model_without_a_script_says_why_and_what_does_it(
    strategy: str, training: dict[str, object], instead: str
) -> None:
    made = advised("llama_8b", strategy=strategy)
    made = msgspec.structs.replace(made, workload=with_training(made.workload, **training))
    with pytest.raises(OutputError, match=rf"for {strategy.upper()}\..*{instead}"):
        launch_script.render(made)


def test_accumulation_and_threads_stand_in_the_script() -> None:
    text = launch_script.render(advised(gradient_accumulation_steps=4))
    assert "ACCUMULATION = 4" in text
    assert "no_sync" in text
    assert "# Launch:  python train.py --ranks 2" in text
    assert "--standalone --" not in text


def test_several_machines_meet_without_a_dynamic_rendezvous() -> None:
    chosen = advised(count=8, node_count=2).recommendation
    assert chosen is not None
    command = launch_script.launch_command(chosen)
    assert command == (
        "torchrun --nnodes 2 --nproc-per-node 4 --node-rank N --master-addr HOST --master-port 29500 train.py"
    )
    text = launch_script.render(advised(count=8, node_count=2))
    assert "trusted network only" in text


def test_where_one_rank_fails_the_others_are_ended_and_the_code_tells(tmp_path: Path) -> None:
    text = launch_script.render(advised())
    failing = 'def main() -> None:\n    if os.environ.get("RANK") == "1":\n        sys.exit(7)\n'
    script = tmp_path / "train.py"
    script.write_text(text.replace("def main() -> None:\n", failing, 1), encoding="utf-8")
    command = [sys.executable, str(script), "--ranks", "2"]
    environment = {**on_processor(), "TMPDIR": str(tmp_path)}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == 1
    assert list(tmp_path.glob("advised-ranks-*")) == []


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("import sys\nprint(sys.argv[1:], __name__)\n", 0, "['--steps', '2'] __main__\n"),
        ("import sys\nsys.exit(7)\n", 7, ""),
        ("import sys\nsys.exit('no')\n", 1, ""),
        ("Path()\n", 1, ""),
    ],
)
def test_a_fork_runs_a_script_as_a_process_of_its_own_would(tmp_path: Path, text: str, code: int, said: str) -> None:
    script = tmp_path / "train.py"
    script.write_text(text, encoding="utf-8")
    ended = run_file(script, "--steps", "2")
    alone = subprocess.run([sys.executable, script, "--steps", "2"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (alone.returncode, alone.stdout) == (code, said)
    assert ended.stderr.splitlines()[-1:] == alone.stderr.splitlines()[-1:]
