"""What is done to a model before a framework has it is told as code that does it, in the order to do it in."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from advisor.cli.arguments import FRAMEWORKS, Framework
from advisor.present.script import framework_config
from advisor.present.script.framework_model import WITHOUT_CHECKPOINTING
from advisor.workload.tasks import AUTO_CLASSES
from advisor.workload.workload import with_training
from tests.present.test_launch_script import advised

yaml = pytest.importorskip("yaml", reason="PyYAML comes with transformers")
MIXED: dict[str, Any] = {"count": 2, "strategy": "ddp", "precision": "bf16_amp"}


def told(workload: str, framework: Framework, chosen: dict[str, Any] | None = None, **method: Any) -> str:
    made = advised(workload, **(chosen or MIXED))
    return framework_config.render(
        msgspec.structs.replace(made, workload=with_training(made.workload, **method)), framework
    )


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize(
    ("workload", "chosen", "said"),
    [
        ("llama_8b", MIXED, "load the model in FP32 (dtype=torch.float32)"),
        ("llama_8b_lora", MIXED, "load the model in 16 bits (dtype=torch.bfloat16)"),
        ("llama_8b", {**MIXED, "precision": "bf16"}, "load the model in BF16 (dtype=torch.bfloat16)"),
        ("llama_8b", {**MIXED, "strategy": "fsdp"}, "load the model in FP32 (dtype=torch.float32)"),
    ],
)
def test_the_type_of_loaded_weights_is_told_since_a_checkpoint_brings_its_own(
    framework: Framework, workload: str, chosen: dict[str, Any], said: str
) -> None:
    text = told(workload, framework, chosen)
    assert said in text
    assert text.count("load the model in") == 1


def test_a_loop_of_ones_own_is_told_to_leave_evaluation_in_which_nothing_is_recomputed() -> None:
    for framework in FRAMEWORKS:
        assert ("Yours: model.train()" in told("llama_8b", framework)) is (framework != "trainer")


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_adapters_are_told_as_the_call_that_makes_them(framework: Framework) -> None:
    text = told("llama_8b", framework, trainable="lora", lora_rank=8, lora_targets=("q_proj", "o_proj"))
    settings = "r=8, lora_alpha=16, lora_dropout=0.05, task_type=\"CAUSAL_LM\", target_modules=['q_proj', 'o_proj']"
    assert f"# Yours: model = get_peft_model(model, LoraConfig({settings})) of peft." in text
    assert "autocast_adapter_dtype=False" in told("llama_8b", framework, trainable="lora", adapter_bits=16)
    everywhere = told("llama_8b", framework, trainable="lora", lora_targets="all_linear")
    assert 'target_modules="all-linear"' in everywhere
    assert "where peft does not know the model" not in everywhere
    whole = told("vit_base", framework, trainable="lora", modules_to_save=("norm",))
    assert "modules_to_save=['norm', 'classifier']" in whole
    assert "where peft does not know the model" in whole


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (
            {"quantization": "nf4"},
            'BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)',
        ),
        ({"quantization": "int8"}, "BitsAndBytesConfig(load_in_8bit=True)"),
        ({"quantization": "gptq"}, "a checkpoint that is quantised with GPTQ"),
        ({"quantization": "nf4", "unpacked_bits": 32}, "prepare_model_for_kbit_training(model"),
    ],
)
def test_packed_weights_are_told_as_bitsandbytes_takes_them(method: dict[str, Any], said: str) -> None:
    assert said in told("llama_8b", "trainer", trainable="lora", **method)


def test_a_model_that_transformers_cannot_recompute_is_not_asked_to() -> None:
    for workload, itself in (("llama_8b", True), ("resnet50", False), ("iris_mlp", False)):
        text = told(workload, "trainer", activation_checkpointing="full")
        assert yaml.safe_load(text)["activation_checkpointing"] is itself
        assert ("torch.utils.checkpoint" in text) is not itself
        other = told(workload, "lightning", activation_checkpointing="full")
        assert ("activation_checkpointing_enable()" in other) is itself
        assert ("torch.utils.checkpoint" in other) is not itself


@pytest.mark.parametrize("kept", [{}, {"activation_checkpointing": "full"}])
def test_what_is_off_is_said_to_be_since_trl_switches_it_on(kept: dict[str, Any]) -> None:
    fields = yaml.safe_load(told("llama_8b", "trainer", **{"activation_checkpointing": "none", **kept}))
    assert fields["activation_checkpointing"] is bool(kept)
    assert "gradient_checkpointing" not in fields


def test_the_loss_is_read_as_often_as_was_predicted() -> None:
    seldom, never = (yaml.safe_load(told("llama_8b", "trainer", read_loss_every=every)) for every in (10, 0))
    assert (seldom["logging_strategy"], seldom["logging_steps"]) == ("steps", 10)
    assert (never["logging_strategy"], "logging_steps" in never) == ("no", False)
    assert not seldom["logging_nan_inf_filter"]
    assert yaml.safe_load(told("llama_8b", "lightning", read_loss_every=0))["trainer"]["log_every_n_steps"] == 0


def test_copies_on_several_cards_look_for_no_unused_weights() -> None:
    assert yaml.safe_load(told("llama_8b", "trainer"))["ddp_find_unused_parameters"] is False
    alone = told("llama_8b", "trainer", {**MIXED, "count": 1, "strategy": "single"})
    assert "ddp_find_unused_parameters" not in alone


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_processor_is_started_with_the_threads_that_it_was_timed_with(framework: Framework) -> None:
    made = advised("bert_base_sst2", count=1, strategy="single", precision="fp32", thread_count=6)
    assert made.recommendation is not None
    device = msgspec.structs.replace(made.recommendation.device, key="cpu")
    chosen = msgspec.structs.replace(made.recommendation, device=device)
    flag = "--num_cpu_threads_per_process 6" if framework == "accelerate" else "OMP_NUM_THREADS=6 python"
    assert flag in framework_config.render(msgspec.structs.replace(made, recommendation=chosen), framework)


def test_micro_batches_are_added_up_inside_of_accelerates_own_context() -> None:
    text = told("llama_8b", "accelerate", {**MIXED, "gradient_accumulation_steps": 4}, clip_gradient_norm=1.0)
    assert "with accelerator.accumulate(model):" in text
    assert "if accelerator.sync_gradients: accelerator.clip_grad_norm_(model.parameters(), 1.0)." in text
    assert "accumulate" not in told("llama_8b", "accelerate", clip_gradient_norm=1.0)


def test_a_loss_in_chunks_is_trls_own_where_it_has_one() -> None:
    text = told("llama_8b", "trainer", chunked_loss=True)
    assert "(args,) = HfArgumentParser(SFTConfig).parse_yaml_file(FILE); args.max_length = " in text
    assert "SFTConfig" not in told("llama_8b", "accelerate", chunked_loss=True)
    assert "SFTConfig" not in told("bert_base_sst2", "trainer", chunked_loss=True)


@pytest.mark.nightly
def test_the_models_that_cannot_recompute_are_those_that_transformers_has() -> None:
    transformers = pytest.importorskip("transformers")
    whole = pytest.importorskip("transformers.modeling_utils").PreTrainedModel
    found = set()
    for kind, names in (
        pair
        for task, automatic in AUTO_CLASSES.items()
        if task != "base"
        for pair in getattr(transformers, automatic)._model_mapping._model_mapping.items()
    ):
        classes = [getattr(transformers, name, None) for name in ((names,) if isinstance(names, str) else names)]
        of_models = [one for one in classes if one is not None and whole in type.mro(one)]
        found |= {kind for one in of_models if not one.supports_gradient_checkpointing}
    assert found == WITHOUT_CHECKPOINTING
