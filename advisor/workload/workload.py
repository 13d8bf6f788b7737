"""One `Workload`, wherever it came from; these types are also the workload file's format."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from advisor.catalogue.optimizers import Optimizer
from advisor.catalogue.precisions import PRECISION_FACTS, ComputedPrecision, Precision, PrecisionFacts
from advisor.core.records import Record

DEFAULT_WORKLOAD = "bert_base_sst2"
"""The bundled one that is asked about where none is named."""

Attention = Literal["sdpa", "eager", "flash"]
Mode = Literal["training", "inference", "forward_backward"]
Trainable = Literal["all", "head", "lora"]
LoraTargetWord = Literal["attention", "all_linear"]
Fp8Recipe = Literal["tensorwise", "rowwise", "transformer_engine"]
Quantization = Literal["nf4", "gptq", "int8"]
Checkpointing = Literal["none", "selective", "full"]
Offload = Literal["none", "optimizer", "parameters", "activations"]
Task = Literal[
    "sequence-classification",
    "token-classification",
    "question-answering",
    "masked-lm",
    "causal-lm",
    "seq2seq-lm",
    "image-classification",
    "semantic-segmentation",
    "speech-classification",
    "speech-seq2seq",
    "ctc",
    "base",
]

Text = Annotated[str, Meta(min_length=1, max_length=200)]
Path = Annotated[str, Meta(min_length=1, max_length=4096)]
Size = Annotated[int, Meta(ge=1, le=1_000_000)]
BatchSize = Annotated[int, Meta(ge=1, le=1_000_000)]
LoraRank = Annotated[int, Meta(ge=1, le=4096)]
SampleCount = Annotated[int, Meta(ge=1, le=1_000_000_000_000)]
LayerNames = Annotated[tuple[Text, ...], Meta(min_length=1, max_length=256)]


class HuggingFaceModel(Record, frozen=True, kw_only=True, tag_field="source", tag="huggingface"):
    """A configuration that transformers can build: bundled name, folder, `config.json`, hub id, or inline table."""

    config: Path | dict[str, Any]
    """Bundled name, folder, `config.json`, hub id (with `--allow-hub`), or the configuration itself as a table."""
    task: Task | None = None
    """What the model's head is for; left out: as the configuration's `architectures` say."""
    origin: str | None = None
    """Where a configuration that is inline now was read: a file's name, or `id@commit` of the hub."""


class PythonModel(Record, frozen=True, kw_only=True, tag_field="source", tag="python"):
    """A Python file with `build_model` and `make_batch`; runs only with consent."""

    file: Path
    """Relative to the workload file."""
    arguments: dict[str, bool | int | float | str | list[int]] = {}
    """Handed to `build_model` and `make_batch` by name."""
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None = None
    """Digest of the bytes that may run; set when consent is given, so that a file changed since then is refused."""


class TemplateModel(Record, frozen=True, kw_only=True, tag_field="source", tag="template"):
    """A small network of a named shape (`mlp`, `rnn`, `gru`, `lstm`, `cnn`, `transformer`)."""

    template: Literal["mlp", "rnn", "gru", "lstm", "cnn", "transformer"]
    """The network's shape."""
    layers: Annotated[tuple[Size, ...], Meta(min_length=1, max_length=1000)] = (64,)
    """Widths: of an `mlp` from inputs to outputs, of a `cnn` the channels, of the others the states of each layer."""
    vocabulary_size: Size | None = None
    """Different tokens that are read, where the inputs are tokens."""
    embedding_size: Size | None = None
    """Width of a token's vector; left out: the first layer's."""
    classes: Size | None = None
    """What is told apart; of an `mlp` the last layer says it."""
    heads: Size | None = None
    """Heads of attention, of a `transformer`."""

    @property
    def token_count(self) -> int:
        """Different tokens that are read: 10,000 where nothing is said."""
        return self.vocabulary_size or 10_000

    @property
    def class_count(self) -> int:
        """What is told apart: two where nothing is said; 1: a number is."""
        return self.layers[-1] if self.template == "mlp" else self.classes or 2


class NumbersModel(Record, frozen=True, kw_only=True, tag_field="source", tag="numbers"):
    """Totals only, for a model that cannot be traced."""

    parameters: Annotated[float, Meta(ge=1, le=2e13)]
    """Of the whole model."""
    flop_per_sample: Annotated[float, Meta(ge=1, le=1e21)]
    """Forward and backward together, for one sample."""
    activation_bytes_per_sample: Annotated[float, Meta(ge=0, le=1e15)]
    """What forward keeps for backward, for one sample."""


Model = HuggingFaceModel | PythonModel | TemplateModel | NumbersModel


class Data(Record, frozen=True, kw_only=True):
    """The data set's size and shape, and how it is loaded."""

    samples: SampleCount
    """Training samples; an epoch sees each once."""
    validation_samples: Annotated[int, Meta(ge=0, le=1_000_000_000_000)] = 0
    """Samples of one validation; 0: none is done."""
    sequence_length: Size | None = None
    """Tokens of a text, or samples of a sound."""
    image_size: Size | None = None
    """Pixels of a picture's side."""
    loader_workers: Annotated[int, Meta(ge=0, le=1024)] = 4
    """Processes of the data loader, a device; 0: loading in the training process."""


class Training(Record, frozen=True, kw_only=True):
    """How the model is trained; `precision` is mandatory, since most contradictions come from leaving it out."""

    precision: Precision
    """`fp32` is strict; `default` is what torch does by itself (convolutions in TF32)."""
    fp8_recipe: Fp8Recipe | None = None
    """How FP8 products are scaled; None: tensorwise, where the precision is fp8."""
    batch_size: BatchSize
    """Per device."""
    epochs: Annotated[float, Meta(gt=0, le=1_000_000)] = 1
    """Passes over the data; a part of one is allowed."""
    optimizer: Optimizer = "adamw"
    """What steps the weights; `none` leaves them; `lamb` is predicted only."""
    fused_optimizer: bool = False
    """The optimizer's fused kernel (`fused=True` in torch)."""
    attention: Attention = "sdpa"
    """How attention runs: torch's fused kernels, product by product, or the flash-attention library."""
    gradient_accumulation_steps: Annotated[int, Meta(ge=1, le=100_000)] = 1
    """Micro-batches of `batch_size` in one update."""
    trainable: Trainable = "all"
    """What is trained: every weight, the head, or adapters (LoRA) with a task's new head."""
    lora_rank: LoraRank | None = None
    """Rank of the adapters; None: 16."""
    lora_targets: LoraTargetWord | LayerNames | None = None
    """Layers that get adapters: every projection of attention, all but the head, or those of these names; None: of
    queries and values alone, as PEFT does by itself."""
    modules_to_save: LayerNames | None = None
    """Names of modules, such as embeddings and output layer, of which a copy is trained whole beside the adapters, as
    PEFT calls it; the original stays, frozen."""
    adapter_bits: Literal[16, 32] | None = None
    """Bits of adapters beside weights of 16 bits; None: 32, as PEFT keeps them since 0.12 (`autocast_adapter_dtype`).
    FP16 autocast takes none of 16: its gradient scaler wants whole ones."""
    weights_bits: Literal[4, 8, 16, 32] | None = None
    """Bits of a frozen weight: 32 whole, 16 in half, 8 and 4 quantised; None: as the step's precision has them, but 16
    beside adapters under autocast where a model is published so, as language models are unless their configuration
    names another `dtype`."""
    quantization: Quantization | None = None
    """How frozen linear layers and experts are stored, in inference all; None: in the step's precision, or as
    `weights_bits` implies."""
    unpacked_bits: Literal[16, 32] | None = None
    """Bits of what a quantised model does not pack (norms, embeddings, output layer), under autocast; 32: as PEFT's
    `prepare_model_for_kbit_training` leaves it. None: 16."""
    optimizer_bits: Literal[8, 32] = 32
    """Of the optimizer's states; 8: in blocks with a scale each."""
    optimizer_in_backward: bool = False
    """Each parameter is stepped as its gradient is ready, which is then freed."""
    offload: Offload = "none"
    """What is kept in host memory and copied to the device when it is needed."""
    chunked_loss: bool = False
    """Logits and cross-entropy in chunks of rows: they are never whole."""
    fused_layers: bool = False
    """Norms, rotary embedding, gated activation and cross-entropy in one kernel each, as Liger Kernel or Unsloth bring
    them."""
    fused_gate: bool = True
    """Whether the gated activation is among fused layers; false: as Unsloth and fms-acceleration leave it, whose gate
    belongs to their products of adapters, where the layers around it have none."""
    activation_checkpointing: bool | Checkpointing = "none"
    """What backward computes again: nothing, all but products and attention, or whole blocks. Read `true` as full."""
    channels_last: bool = False
    """Pictures and the weights of convolutions lie in memory channel after channel of each pixel."""
    compile: bool = False
    """`torch.compile` around the model."""
    clip_gradient_norm: Annotated[float, Meta(gt=0)] | None = None
    """Left out: gradients are not clipped."""
    read_loss_every: Annotated[int, Meta(ge=0, le=1_000_000_000)] = 1
    """Steps between reads of the loss (`.item()`); 0: never."""
    evaluate_every_steps: Annotated[int, Meta(ge=0, le=1_000_000_000)] = 0
    """Updates between passes over the validation rows; 0: after each epoch."""
    mode: Mode = "training"
    """`inference` runs forward alone, without a loss; language models keep keys and values as transformers does."""

    def __post_init__(self) -> None:
        """Older descriptions switch checkpointing on and off: that is full and none."""
        if isinstance(self.activation_checkpointing, bool):
            meant = "full" if self.activation_checkpointing else "none"
            msgspec.structs.force_setattr(self, "activation_checkpointing", meant)

    @property
    def global_batch_size(self) -> int:
        """Samples of an optimizer step on one device."""
        return self.batch_size * self.gradient_accumulation_steps

    @property
    def updates_weights(self) -> bool:
        """Whether a step ends with an optimizer's."""
        return self.mode == "training" and self.optimizer != "none"

    @property
    def keeps_unpacked_whole(self) -> bool:
        """Whether what a quantised model does not pack is in FP32, as PEFT's preparation leaves it."""
        return self.unpacked_bits == 32  # noqa: PLR2004 - bits


class Workload(Record, frozen=True, kw_only=True):
    """What is to be trained, and how."""

    name: Text
    """What tables and reports call it."""
    model: Model
    """Of one of four sources: a configuration, a Python file, a template or totals."""
    data: Data
    """What it is trained on."""
    training: Training
    """How it is trained."""
    source_folder: str | None = None
    """Folder that relative paths start from; set by the reader, None for inline descriptions."""
    assumed: tuple[str, ...] = ()
    """Fields that the description left out and that the reader filled (`data.samples`…), for the user to see."""


def passes_over_data(training: Training) -> float:
    """How often a job takes every sample: as many epochs as it trains, and once where it only infers."""
    return 1.0 if training.mode == "inference" else training.epochs


def length_of(workload: Workload) -> int:
    """Sequence length in tokens or image side in pixels, whichever the data has; 0 for neither."""
    return workload.data.sequence_length or workload.data.image_size or 0


def traced_as(workload: Workload) -> bytes:
    """What decides a trace, as a key: the model, where its files lie, its length, and what changes its operators."""
    training, data = workload.training, workload.data
    settings = (
        "inference" if training.mode == "inference" else "training",
        training.attention,
        training.trainable,
        training.lora_rank,
        training.lora_targets,
        training.adapter_bits,
        training.weights_bits,
        training.quantization,
        training.fp8_recipe,
        training.chunked_loss,
        training.fused_layers,
        training.offload == "activations",
        training.activation_checkpointing,
        training.channels_last,
        # Younger settings stand here only where they are set: tables recorded before keep their names.
        *(("unpacked", training.unpacked_bits) if training.unpacked_bits is not None else ()),
        *(("saved", training.modules_to_save) if training.modules_to_save is not None else ()),
        *(("gate", training.fused_gate) if training.fused_layers and not training.fused_gate else ()),
    )
    length = (data.sequence_length, data.image_size)
    return msgspec.json.encode((workload.model, workload.source_folder, length, settings))


def keeps_adapters_whole(training: Training, precision: ComputedPrecision) -> bool:
    """Whether adapters are in FP32 beside weights of 16 bits, and so need no copies."""
    facts = PRECISION_FACTS[precision]
    half = facts.half_weights and not facts.casts_adapters
    return training.trainable == "lora" and training.adapter_bits != 16 and half  # noqa: PLR2004 - bits


def stepped_facts(training: Training, precision: ComputedPrecision) -> PrecisionFacts:
    """The facts of the precision in which the optimizer finds what it steps.

    Of adapters that are whole beside weights of 16 bits those of FP32, of adapters of 16 bits under autocast those
    of weights in half without copies. Adapters that sharding casts are stepped as the FP32 that rests.
    """
    if halves_adapters(training, precision):
        return PRECISION_FACTS["bf16_true"]  # as wide as FP16
    return PRECISION_FACTS["fp32" if keeps_adapters_whole(training, precision) else precision]


def halves_adapters(training: Training, precision: ComputedPrecision) -> bool:
    """Whether adapters are said to rest in 16 bits where by themselves they are whole: under autocast, or cast."""
    said, facts = training.trainable == "lora" and training.adapter_bits == 16, PRECISION_FACTS[precision]  # noqa: PLR2004 - bits
    return said and (facts.autocast or facts.casts_adapters)


def quantization_of(training: Training) -> Quantization | None:
    """How frozen weights are stored: as said, else 4 bits mean nf4 and 8 int8, as bitsandbytes has them."""
    return training.quantization or {4: "nf4", 8: "int8"}.get(training.weights_bits or 0)  # type: ignore[return-value]


def stored_bits(training: Training) -> int | None:
    """Bits of a frozen weight where it is quantised (gptq: 4 unless 8 are said); None where it is not."""
    quantization = quantization_of(training)
    if quantization is None:
        return None
    return training.weights_bits or {"nf4": 4, "gptq": 4, "int8": 8}[quantization]


def fp8_recipe_of(training: Training) -> Fp8Recipe | None:
    """How FP8 products are scaled; None where the precision is another."""
    in_fp8 = PRECISION_FACTS[training.precision].products == "fp8"
    return (training.fp8_recipe or "tensorwise") if in_fp8 else None


def with_training(workload: Workload, **changes: object) -> Workload:
    """The same workload with other training settings."""
    return msgspec.structs.replace(workload, training=msgspec.structs.replace(workload.training, **changes))
