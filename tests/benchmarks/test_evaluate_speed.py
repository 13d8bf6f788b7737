"""How fast a file of published runs is evaluated, tracing included: 500 rows of 60 models; seconds are printed only."""

from __future__ import annotations

import csv
import itertools
import resource
import shutil
import time
from collections import Counter
from pathlib import Path

from advisor.evaluate import evaluate_file
from advisor.workload.workload_file import bundled_names

MODELS = Path(__file__).resolve().parents[1] / "accuracy" / "models"
NEED_OTHER_LIBRARIES = ("timm_", "stable_diffusion")
LARGE = "hidden_size = 1024, num_hidden_layers = 24, num_attention_heads = 16"
BASE = "hidden_size = 768, num_hidden_layers = 12, num_attention_heads = 12"
QWEN = "hidden_size = 896, num_hidden_layers = 24, num_attention_heads = 14, num_key_value_heads = 2"
CONFIGURED = {
    "gpt2_medium": ("gpt2", "causal-lm", "n_layer = 24, n_head = 16, n_embd = 1024"),
    "distilbert": ("distilbert", "sequence-classification", "n_layers = 6"),
    "electra_large": ("electra", "masked-lm", f"{LARGE}, intermediate_size = 4096"),
    "opt_350m": ("opt", "causal-lm", f"{LARGE}, ffn_dim = 4096"),
    "t5_small": ("t5", "seq2seq-lm", "num_layers = 6"),
    "qwen_half_billion": ("qwen2", "causal-lm", f"{QWEN}, intermediate_size = 4864"),
    "vit_large": ("vit", "image-classification", f"{LARGE}, intermediate_size = 4096"),
    "vit_small": (
        "vit",
        "image-classification",
        "hidden_size = 384, num_attention_heads = 6, intermediate_size = 1536",
    ),
    "deit_base": ("deit", "image-classification", "hidden_size = 768"),
    "swin_tiny": ("swin", "image-classification", "embed_dim = 96"),
    "convnext_tiny": ("convnext", "image-classification", "num_stages = 4"),
    "convnextv2_tiny": ("convnextv2", "image-classification", "num_stages = 4"),
    "regnet": ("regnet", "image-classification", 'layer_type = "y"'),
    "gpt2_large": ("gpt2", "causal-lm", "n_layer = 36, n_head = 20, n_embd = 1280"),
    "opt_125m": ("opt", "causal-lm", f"{BASE}, ffn_dim = 3072"),
    "pythia_410m": ("gpt_neox", "causal-lm", f"{LARGE}, intermediate_size = 4096"),
    "bloom_560m": ("bloom", "causal-lm", "hidden_size = 1024, n_layer = 24, n_head = 16"),
    "llama_small": ("llama", "causal-lm", f"{LARGE}, intermediate_size = 2816"),
    "mistral_small": ("mistral", "causal-lm", f"{LARGE}, intermediate_size = 3584"),
    "bert_small": (
        "bert",
        "sequence-classification",
        "hidden_size = 512, num_hidden_layers = 4, num_attention_heads = 8",
    ),
    "roberta_large": ("roberta", "masked-lm", f"{LARGE}, intermediate_size = 4096"),
    "xlm_roberta_base": ("xlm-roberta", "masked-lm", f"{BASE}, intermediate_size = 3072"),
    "deberta_base": ("deberta-v2", "sequence-classification", f"{BASE}, intermediate_size = 3072"),
    "albert_base": ("albert", "masked-lm", f"{BASE}, intermediate_size = 3072"),
    "mpnet_base": ("mpnet", "masked-lm", f"{BASE}, intermediate_size = 3072"),
    "bart_base": ("bart", "seq2seq-lm", "d_model = 768, encoder_layers = 6, decoder_layers = 6"),
    "t5_base": ("t5", "seq2seq-lm", "num_layers = 12, d_model = 768, num_heads = 12, d_ff = 3072"),
}
"""Sizes of well-known models, written out; what is left out is the library's default."""
ROW_COUNT = 500
MODEL_COUNT = 60
"""At least."""
GPUS = ("v100-sxm2-16", "a100-sxm4-80", "rtx3090", "t4", "h100-sxm")
BATCHES = (1, 2, 4, 8)


def model_names(folder: Path) -> list[str]:
    """The bundled workloads, those of the published runs that need no other library, and some more, as files."""
    for path in MODELS.iterdir():
        if path.is_file() and not path.name.startswith(NEED_OTHER_LIBRARIES):
            shutil.copy(path, folder)
    own = [path.stem for path in folder.glob("*.toml")]
    for name, (kind, task, sizes) in CONFIGURED.items():
        data = "image_size = 224" if task == "image-classification" else "sequence_length = 128"
        text = (
            f'name = "{name}"\n[model]\nsource = "huggingface"\ntask = "{task}"\n'
            f'config = {{ model_type = "{kind}", {sizes} }}\n'
            f'[data]\nsamples = 1000\n{data}\n[training]\nbatch_size = 4\nprecision = "fp16_amp"\noptimizer = "adamw"\n'
        )
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return [*bundled_names(), *sorted(own), *CONFIGURED]


def children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_five_hundred_rows_of_all_models_are_answered(tmp_path: Path) -> None:
    names = model_names(tmp_path)
    assert len(names) >= MODEL_COUNT
    rows = list(itertools.islice(itertools.product(BATCHES, GPUS, names), ROW_COUNT))
    path = tmp_path / "runs.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["workload", "gpu_key", "mode", "precision", "batch_per_gpu", "seq_len_or_img", "ms"])
        writer.writerows([name, gpu, "training", "", batch, "", 100] for batch, gpu, name in rows)
    own_s, workers_s, began_s = time.process_time(), children_cpu_s(), time.perf_counter()
    evaluation = evaluate_file(path, allow_code=True)
    wall_s = time.perf_counter() - began_s
    own_s, workers_s = time.process_time() - own_s, children_cpu_s() - workers_s
    print(
        f"{len(rows)} rows of {len(names)} models: {wall_s:.1f} s wall, {len(rows) / wall_s:.0f} rows/s; "
        f"processor time {workers_s:.1f} s tracing, {own_s:.1f} s reading and predicting"
    )
    refused = Counter(answer.reason.code for answer in evaluation.refused if answer.reason is not None)
    assert set(refused) <= {"predict-no-bf16"}, refused
    assert sum(answer.step_s is not None for answer in evaluation.answers) >= 0.9 * ROW_COUNT
    assert own_s < workers_s, "predicting rows is cheap beside tracing their models"
