"""What the flags of a training command say, by the fields of a workload file."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.workload.training_command import read_command


@pytest.mark.parametrize(
    ("command", "settings", "unread"),
    [
        (
            (
                "python run_glue.py --model_name_or_path bert-base-uncased --per_device_train_batch_size 32 "
                "--num_train_epochs 3 --max_seq_length 128 --bf16 --optim adamw_torch_fused --learning_rate 2e-5 "
                "--gradient_checkpointing True --output_dir out"
            ),
            {
                "config": "bert-base-uncased",
                "batch_size": 32,
                "epochs": 3.0,
                "sequence_length": 128,
                "precision": "bf16_amp",
                "optimizer": "adamw",
                "fused_optimizer": True,
                "activation_checkpointing": "full",
            },
            ("--learning_rate", "--output_dir"),
        ),
        (
            "torchrun --nproc_per_node=8 train.py -b 128 -j 8 --amp --opt sgd --img-size 256 --lr -0.5",
            {
                "batch_size": 128,
                "loader_workers": 8,
                "precision": "fp16_amp",
                "optimizer": "sgd_momentum",
                "image_size": 256,
            },
            ("--nproc_per_node", "--lr"),
        ),
        (
            "python fit.py trainer.precision=bf16-mixed trainer.max_epochs=5 data.batch_size=64",
            {"precision": "bf16_amp", "epochs": 5.0, "batch_size": 64},
            (),
        ),
        (
            "python sft.py --use_peft --lora_r 16 --load_in_4bit --fp16 false --optim adamw_8bit",
            {
                "trainable": "lora",
                "lora_rank": 16,
                "quantization": "nf4",
                "optimizer": "adamw",
                "optimizer_bits": 8,
            },
            (),
        ),
        (
            "python train.py batch_size=12 block_size=1024 dtype=bfloat16 compile=True",
            {"batch_size": 12, "sequence_length": 1024, "precision": "bf16_amp", "compile": True},
            (),
        ),
        (
            "accelerate launch --mixed_precision no x.py --lora_rank 8",
            {"precision": "fp32", "lora_rank": 8, "trainable": "lora"},
            (),
        ),
        (
            "python x.py --batch-size 2.5 --epochs many --optim lion --precision odd",
            {},
            ("--batch-size", "--epochs", "--optim", "--precision"),
        ),
        (
            "accelerate launch --mixed_precision=bf16 train.py --amp -a resnet50 --momentum 0.9",
            {"config": "resnet50", "precision": "bf16_amp", "optimizer": "sgd_momentum"},
            (),
        ),
        (
            "python train.py --amp-dtype bfloat16 --amp --opt adamw --momentum 0.9",
            {"precision": "bf16_amp", "optimizer": "adamw"},
            (),
        ),
        ("python train.py --amp --opt sgd --momentum 0", {"precision": "fp16_amp", "optimizer": "sgd"}, ()),
        ("python train.py --amp=false --momentum 0.0", {}, ()),
        (
            "python sft.py --use_peft --lora_target_modules q_proj v_proj --attn_implementation flash_attention_2 -b 4",
            {"trainable": "lora", "lora_targets": ["q_proj", "v_proj"], "attention": "flash", "batch_size": 4},
            (),
        ),
        (
            "python sft.py --lora_target_modules all-linear --optim paged_adamw_8bit --use_liger_kernel",
            {
                "trainable": "lora",
                "lora_targets": "all_linear",
                "optimizer": "adamw",
                "optimizer_bits": 8,
                "fused_layers": True,
            },
            (),
        ),
        (
            "llamafactory-cli train --finetuning_type lora --lora_target all --quantization_bit 4 --flash_attn fa2",
            {"trainable": "lora", "lora_targets": "all_linear", "quantization": "nf4", "attention": "flash"},
            (),
        ),
        (
            """python x.py lora_target_modules='["q_proj", "k_proj"]' --quantization_bit 3 --finetuning_type freeze""",
            {"trainable": "lora", "lora_targets": ["q_proj", "k_proj"]},
            ("--quantization_bit", "--finetuning_type"),
        ),
        ("", {}, ()),
    ],
)
def test_flags_say_what_their_trainers_mean_by_them_and_the_others_are_named(
    command: str, settings: dict[str, object], unread: tuple[str, ...]
) -> None:
    assert read_command(command)[:2] == (settings, unread)


def test_a_later_flag_stands_over_an_earlier_one() -> None:
    assert read_command("x --batch_size 8 --batch_size=16").settings == {"batch_size": 16}


def test_a_quotation_that_is_not_closed_is_no_command() -> None:
    with pytest.raises(ValueError, match="quotation"):
        read_command("python x.py --name 'half")


def test_a_model_is_known_by_the_flag_of_diffusers_scripts_too() -> None:
    read = read_command("train.py --pretrained_model_name_or_path=stabilityai/sd-2 --resolution=512")
    assert read.settings == {"config": "stabilityai/sd-2", "image_size": 512}


@pytest.mark.parametrize(
    ("command", "settings", "left"),
    [
        (
            "python -m torch.distributed.run --nproc_per_node 8 x.py --micro-batch-size 4 --global-batch-size 256",
            {"batch_size": 4, "gradient_accumulation_steps": 8},
            None,
        ),
        ("torchrun --nnodes 2 --nproc_per_node=4 -m my.train --global-batch-size 256", {"batch_size": 32}, None),
        (
            "accelerate launch --num_processes 16 --num_machines 2 x.py -b 8 --global_batch_size 256",
            {"batch_size": 8, "gradient_accumulation_steps": 2},
            None,
        ),
        ("python -u train.py -b 4 --global-batch-size 64", {"batch_size": 4}, 64),
        ("deepspeed --num_gpus 2 x.py -b 32 --global_batch_size 100", {"batch_size": 32}, 100),
        (
            "torchrun --nproc_per_node 8 x.py -b 4 --global-batch-size 64 --tensor-model-parallel-size 2",
            {"batch_size": 4},
            64,
        ),
    ],
)
def test_a_global_batch_is_shared_out_where_the_command_tells_among_how_many(
    command: str, settings: dict[str, object], left: int | None
) -> None:
    read = read_command(command)
    assert (read.settings, read.global_batch_size) == (settings, left)


@pytest.mark.parametrize(
    "head", ["python -m", "python3.11 -u -W ignore -m", "torchrun -m", "/usr/bin/python -X dev -m"]
)
def test_what_starts_a_script_is_none_of_its_flags(head: str) -> None:
    assert read_command(f"{head} my.train --epochs 2").unread == ()
    assert read_command("python x.py -m 0.9").unread == ("-m",)


@pytest.mark.parametrize(
    ("command", "precision"),
    [
        ("python t.py --bf16 True --tf32 True", "bf16_amp"),
        ("python t.py --tf32 true --fp16", "fp16_amp"),
        ("python t.py --amp --tf32 1", "fp16_amp"),
        ("python t.py --dtype float32 --tf32 True", "tf32"),
        ("python t.py --tf32 True", "tf32"),
        ("tune run full_finetune_single_device dtype=bf16", "bf16_true"),
        ("python finetuning.py --pure_bf16", "bf16_true"),
    ],
)
def test_tf32_beside_16_bits_is_of_what_autocast_leaves(command: str, precision: str) -> None:
    assert read_command(command).settings["precision"] == precision


@pytest.mark.parametrize("ends", ["\\\n", "\\\r\n", "`\r\n", "^\r\n"])
def test_a_command_over_several_lines_is_read_as_one(ends: str) -> None:
    lines = ["python qlora.py ", "  --bits 4 ", "  --bf16 ", "  --gradient_checkpointing ", "  --lora_modules all"]
    read = read_command(ends.join(lines))
    assert read.unread == ()
    assert read.settings == {
        "quantization": "nf4",
        "precision": "bf16_amp",
        "activation_checkpointing": "full",
        "lora_targets": "all_linear",
        "trainable": "lora",
    }


@pytest.mark.parametrize("flags", ["--batch_size 128 --micro_batch_size 4", "--micro_batch_size 4 --batch_size 128"])
def test_a_batch_beside_a_micro_batch_is_that_of_all_devices(flags: str) -> None:
    read = read_command(f"python finetune.py {flags}")
    assert (read.settings["batch_size"], read.global_batch_size) == (4, 128)
    shared = read_command(f"torchrun --nproc_per_node 4 finetune.py {flags}")
    assert (shared.settings["gradient_accumulation_steps"], shared.global_batch_size) == (8, None)


@pytest.mark.parametrize(
    ("command", "settings"),
    [
        (
            "litgpt finetune_lora meta-llama/Llama-3.2-1B --quantize bnb.nf4",
            {"config": "meta-llama/Llama-3.2-1B", "quantization": "nf4"},
        ),
        ("tune run --nproc_per_node 2 lora_finetune_distributed enable_activation_checkpointing=False", {}),
        (
            "accelerate launch train_text_to_image_lora.py --rank=16 --use_8bit_adam",
            {"lora_rank": 16, "optimizer": "adamw", "optimizer_bits": 8},
        ),
    ],
)
def test_what_trains_adapters_by_its_name_is_told_so(command: str, settings: dict[str, object]) -> None:
    assert read_command(command).settings == {"trainable": "lora", **settings}


def test_the_rank_of_a_process_and_a_folder_of_adapters_are_no_adapters() -> None:
    assert read_command("python main.py -a resnet50 --rank 0 --output_dir train_lora").settings == {
        "config": "resnet50"
    }


@pytest.mark.parametrize("flag", ["--max_grad_norm 0", "--grad_clip=0.0", "--clip-norm 0.0"])
def test_a_clipping_norm_of_zero_clips_nothing(flag: str) -> None:
    read = read_command(f"python train.py {flag}")
    assert (read.settings, read.unread) == ({}, ())


@pytest.mark.parametrize(
    ("command", "samples", "batch"),
    [
        ("python x.py --max_steps 500 --batch_size 8", 4_000, 8),
        ("torchrun --nproc_per_node 4 --nnodes 2 x.py -b 8 --max_iters=500 --accum_steps 2", 64_000, 128),
        ("python x.py --max_steps 1e3 --global_batch_size 64 -b 4", 64_000, 64),
        ("torchrun --nproc_per_node 8 x.py -b 4 --tensor-model-parallel-size 2 --train-iters 10", 160, 16),
        ("accelerate launch --num_processes 16 --num_machines 2 x.py -b 1 --max_train_steps 10", 160, 16),
    ],
)
def test_steps_of_a_known_global_batch_are_the_samples_of_one_epoch(command: str, samples: int, batch: int) -> None:
    read = read_command(command)
    assert (read.settings["samples"], read.settings["epochs"]) == (samples, 1)
    assert read.length is not None
    assert (read.length.global_batch_size, read.length.each_epoch) == (batch, False)


def test_steps_of_an_epoch_leave_the_epochs_as_they_are() -> None:
    read = read_command("tune run full_finetune_single_device max_steps_per_epoch=20 batch_size=4 epochs=3")
    assert (read.settings["samples"], read.settings["epochs"]) == (80, 3.0)


@pytest.mark.parametrize(
    "command",
    [
        "python x.py --max_steps 500",
        "accelerate launch x.py --max_steps 500 -b 4",
        "torchrun --nproc_per_node 8 x.py --max_iters 500 -b 4 --total_batch_size 524288",
        "torchrun --nproc_per_node 8 train.py config/train_gpt2.py --max_iters=500 -b 4",
        "python train.py --config somewhere/else.yaml --max_steps 500 -b 4",
    ],
)
def test_steps_of_an_unknown_number_of_samples_fill_nothing_in(command: str) -> None:
    read = read_command(command)
    assert read.settings.keys() <= {"batch_size"}
    assert read.length is not None
    assert (read.length.steps, read.length.samples) == (500, None)


@pytest.mark.parametrize("flags", ["--max_steps -1", "--max_steps=-1", "--eval.max_iters 100", "max_steps=0"])
def test_what_sets_no_limit_or_one_of_an_evaluation_is_no_length(flags: str) -> None:
    assert read_command(f"python x.py -b 4 {flags}").length is None


FILES = {
    "axolotl train x.yml": (
        (
            "base_model: a/b\nload_in_4bit: true\nadapter: qlora\nsequence_len: 2048\nlora_target_linear: true\n"
            "micro_batch_size: 2\ngradient_accumulation_steps: 4\nbf16: auto\nflash_attention: true\n"
        ),
        {
            "config": "a/b",
            "quantization": "nf4",
            "trainable": "lora",
            "sequence_length": 2048,
            "lora_targets": "all_linear",
            "batch_size": 2,
            "gradient_accumulation_steps": 4,
            "attention": "flash",
        },
    ),
    "litgpt finetune_lora --config x.yaml": (
        (
            "checkpoint_dir: checkpoints/a/b\nprecision: bf16-true\ndevices: 4\ndata:\n  class_path: litgpt.Alpaca\n"
            "train:\n  global_batch_size: 32\n  micro_batch_size: 2\n  max_steps: 10\neval:\n  max_iters: 100\n"
            "optimizer:\n  class_path: torch.optim.AdamW\n"
        ),
        {
            "config": "a/b",
            "trainable": "lora",
            "precision": "bf16_true",
            "batch_size": 2,
            "gradient_accumulation_steps": 4,
            "optimizer": "adamw",
            "samples": 320,
            "epochs": 1,
        },
    ),
    "tune run lora_finetune_single_device --config x.yaml epochs=2": (
        (
            "model:\n  _component_: torchtune.models.llama3.lora_llama3_8b\n  lora_rank: 8\nbatch_size: 2\nepochs: 1\n"
            "tokenizer:\n  max_seq_len: 4096\ndtype: bf16\noptimizer:\n  _component_: torch.optim.AdamW\n"
        ),
        {
            "config": "lora_llama3_8b",
            "trainable": "lora",
            "lora_rank": 8,
            "batch_size": 2,
            "epochs": 2.0,
            "sequence_length": 4096,
            "precision": "bf16_true",
            "optimizer": "adamw",
        },
    ),
    "llamafactory-cli train x.yaml": (
        (
            "model_name_or_path: a/b\nfinetuning_type: lora\nlora_target: all\ncutoff_len: 1024\nbf16: true\n"
            "per_device_train_batch_size: 1\nnum_train_epochs: 3.0\n"
        ),
        {
            "config": "a/b",
            "trainable": "lora",
            "lora_targets": "all_linear",
            "sequence_length": 1024,
            "precision": "bf16_amp",
            "batch_size": 1,
            "epochs": 3.0,
        },
    ),
    "deepspeed --num_gpus 8 x.py --deepspeed x.json": (
        (
            '{"train_micro_batch_size_per_gpu": 4, "train_batch_size": 64, "bf16": {"enabled": true}, '
            '"optimizer": {"type": "AdamW"}, "gradient_clipping": "auto"}'
        ),
        {"batch_size": 4, "gradient_accumulation_steps": 2, "precision": "bf16_amp", "optimizer": "adamw"},
    ),
}


@pytest.mark.parametrize("command", FILES)
def test_a_file_that_a_command_names_is_read_as_its_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    pytest.importorskip("yaml")
    text, settings = FILES[command]
    (name,) = [word for word in command.split() if word.startswith("x.") and not word.endswith("py")]
    (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    read = read_command(command)
    assert read.settings == settings
    assert read.files == (name,)


@pytest.mark.parametrize(
    "text",
    ["a: [", "- 1", "{", "a: &a [1]\nb: [*a, *a]", "batch_size: .nan", "!!python/object/apply:os.getcwd []", "\0"],
)
@pytest.mark.parametrize("name", ["x.yaml", "x.json"])
def test_a_file_that_cannot_be_read_is_named_as_what_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for command, flag in ((f"axolotl train {name}", name), (f"python t.py --config {name}", "--config")):
        assert read_command(command).unread == (flag,)
    (tmp_path / name).write_text(text, "utf-8")
    for command, flag in ((f"axolotl train {name}", name), (f"python t.py --config {name}", "--config")):
        read = read_command(command)
        assert (read.settings, read.unread, read.files) == ({}, (flag,), ())
