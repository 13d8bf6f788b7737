"""The precisions a step can compute in, one row each."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, get_args

from advisor.core.records import Record

if TYPE_CHECKING:
    from advisor.core.sentences import Language

Precision = Literal["fp32", "default", "tf32", "fp16_amp", "bf16_amp", "fp16", "bf16", "fp16_true", "bf16_true", "fp8"]
"""How a step computes. `fp16`/`bf16`: weights and gradients in half, FP32 master copies in the optimizer;
`fp16_true`/`bf16_true`: no FP32 copy of anything; `default`: what torch does by itself."""
HalfFormat = Literal["fp16", "bf16"]
ComputedPrecision = Literal[Precision, "fp16_cast", "bf16_cast", "fp8_cast"]
"""What a step's layers compute in: as asked for, or on 16-bit weights and adapters (in FP8 on those), of which FP32
copies are what each device keeps and steps. Nobody asks for that by name: `cost/scaling/sharded_precision.py` says
which set-ups run so."""
NumberFormat = Literal["fp32", "tf32", "fp16", "bf16", "fp8"]
TracePrecision = Literal["fp32", "amp", "half", "half_cast", "fp8", "fp8_cast"]
"""fp32 also serves tf32 and torch's default; amp serves both autocasts; half serves all weights of 16 bit, half_cast
those with adapters of 16 bit too; fp8 is autocast with linear layers in FP8, and fp8_cast is half_cast with such."""
HALF_WEIGHT_TRACES = frozenset[TracePrecision]({"half", "half_cast", "fp8_cast"})
"""Traces on weights of 16 bits."""
FP32_BYTES, HALF_BYTES = 4, 2


class PrecisionFacts(Record, frozen=True, kw_only=True):
    """What a precision changes."""

    label: str
    """As records and files of data write it, in every language; `precision_name` is what people read."""
    products: NumberFormat
    """What matrix products are computed in."""
    traced_as: TracePrecision
    exactness_rank: int
    """A higher one is at least as exact."""
    pure: bool = False
    """Half weights without FP32 copies: the optimizer's states are half wide too."""
    cudnn_in_tf32: bool = False
    """Convolutions and recurrent layers run in TF32 where products do not: torch's switches since 1.12."""

    @property
    def half_weights(self) -> bool:
        """Whether weights, gradients and activations are half wide."""
        return self.traced_as in HALF_WEIGHT_TRACES

    @property
    def casts_adapters(self) -> bool:
        """Whether adapters are half wide as well: whatever is gathered was cast, and Megatron keeps no others."""
        return self.traced_as in {"half_cast", "fp8_cast"}

    @property
    def master_copies(self) -> bool:
        """Whether weights and gradients are half wide, and the optimizer keeps FP32 copies of the weights."""
        return self.half_weights and not self.pure

    @property
    def weight_bytes(self) -> float:
        """Bytes of a stored weight and of its gradient."""
        return HALF_BYTES if self.half_weights else FP32_BYTES

    @property
    def state_bytes(self) -> float:
        """Bytes of a number that the optimizer keeps."""
        return HALF_BYTES if self.pure else FP32_BYTES

    @property
    def half_format(self) -> HalfFormat | None:
        """The 16-bit type of weights or of autocast; None: everything is kept in FP32. FP8 casts from BF16."""
        if self.traced_as == "fp32":
            return None
        return "fp16" if self.products == "fp16" else "bf16"

    @property
    def autocast(self) -> bool:
        """Whether products are cast to half while weights stay in FP32."""
        return self.computes_in_half and not self.half_weights

    @property
    def computes_in_half(self) -> bool:
        """Whether matrix products run on 16-bit numbers, or narrower ones."""
        return self.traced_as != "fp32"

    @property
    def compute_bytes(self) -> float:
        """Bytes of a weight in the type that computes."""
        return HALF_BYTES if self.computes_in_half else FP32_BYTES

    @property
    def scales_gradients(self) -> bool:
        """Whether a gradient scaler belongs to the step: FP16's range is too short for gradients."""
        return self.autocast and self.products == "fp16"


PRECISION_FACTS: dict[ComputedPrecision, PrecisionFacts] = {
    "fp32": PrecisionFacts(label="FP32", products="fp32", traced_as="fp32", exactness_rank=6),
    "default": PrecisionFacts(
        label="torch's default", products="fp32", traced_as="fp32", exactness_rank=5, cudnn_in_tf32=True
    ),
    "tf32": PrecisionFacts(label="TF32", products="tf32", traced_as="fp32", exactness_rank=4),
    "fp16_amp": PrecisionFacts(label="FP16 AMP", products="fp16", traced_as="amp", exactness_rank=3),
    "bf16_amp": PrecisionFacts(label="BF16 AMP", products="bf16", traced_as="amp", exactness_rank=3),
    "fp16": PrecisionFacts(label="FP16", products="fp16", traced_as="half", exactness_rank=2),
    "bf16": PrecisionFacts(label="BF16", products="bf16", traced_as="half", exactness_rank=2),
    "fp16_true": PrecisionFacts(label="pure FP16", products="fp16", traced_as="half", exactness_rank=1, pure=True),
    "bf16_true": PrecisionFacts(label="pure BF16", products="bf16", traced_as="half", exactness_rank=1, pure=True),
    "fp16_cast": PrecisionFacts(label="FP16 AMP", products="fp16", traced_as="half_cast", exactness_rank=2),
    "bf16_cast": PrecisionFacts(label="BF16 AMP", products="bf16", traced_as="half_cast", exactness_rank=2),
    "fp8": PrecisionFacts(label="FP8", products="fp8", traced_as="fp8", exactness_rank=0),
    "fp8_cast": PrecisionFacts(label="FP8", products="fp8", traced_as="fp8_cast", exactness_rank=0),
}
"""What is cast by sharding is called what it was asked for as."""
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
PRECISION_LABELS: dict[ComputedPrecision, str] = {name: row.label for name, row in PRECISION_FACTS.items()}


@cache
def precision_name(precision: Precision, language: Language) -> str:
    """What a person reads: in tables, plots, forms and reports of the language."""
    from advisor.core.sentences import sentence  # `--help` prints no sentence

    return sentence(f"choice-precision-{precision.replace('_', '-')}", language)


TRACE_PRECISIONS: dict[ComputedPrecision, TracePrecision] = {
    name: row.traced_as for name, row in PRECISION_FACTS.items()
}
"""Which trace serves a precision."""
_ASKED_AS: dict[ComputedPrecision, Precision] = {"fp16_cast": "fp16_amp", "bf16_cast": "bf16_amp", "fp8_cast": "fp8"}


def asked_as(precision: ComputedPrecision) -> Precision:
    """The name by which a workload asks for what its layers compute in."""
    return next((name for name in PRECISIONS if name == precision), None) or _ASKED_AS[precision]


PURE_HALF: dict[HalfFormat, Precision] = {"fp16": "fp16_true", "bf16": "bf16_true"}
"""All weights in a 16-bit format, and nothing wider beside them."""
AUTOCAST: dict[HalfFormat, Precision] = {"fp16": "fp16_amp", "bf16": "bf16_amp"}
"""Products in a 16-bit format over FP32 weights."""
_WORDS: dict[str, Precision] = {
    "float32": "fp32", "single": "fp32", "strict_fp32": "fp32", "32_true": "fp32",
    "amp": "fp16_amp", "amp_fp16": "fp16_amp", "16_mixed": "fp16_amp", "mixed": "fp16_amp", "fp16_mixed": "fp16_amp",
    "mixed_fp16": "fp16_amp", "mixed_float16": "fp16_amp", "autocast_fp16": "fp16_amp", "fp16_autocast": "fp16_amp",
    "amp_bf16": "bf16_amp", "bf16_mixed": "bf16_amp", "autocast_bf16": "bf16_amp", "bf16_autocast": "bf16_amp",
    "mixed_bf16": "bf16_amp", "mixed_bfloat16": "bf16_amp",
    "float8": "fp8", "bf16_pure": "bf16_true", "fp16_pure": "fp16_true", "pure_bf16": "bf16_true",
    "pure_fp16": "fp16_true", "16_true": "fp16_true",
}  # fmt: skip
"""Words of other programs that mean one precision only."""
_OPEN_WORDS: dict[str, tuple[Precision, ...]] = {
    "bfloat16": ("bf16_amp", "bf16", "bf16_true"),
    "float16": ("fp16_amp", "fp16", "fp16_true"),
    "half": ("fp16_amp", "fp16", "fp16_true"),
}
"""Words that could mean three, autocast first: it is what most train with."""

_NO_BRACKETS = str.maketrans("", "", "()")


def precision_meant(text: str) -> Precision | None:
    """A precision by its name or by a word that means nothing else (`BF16-AMP`, `amp`); None for any other."""
    word = _word_of(text)
    return next((name for name in PRECISIONS if name == word), _WORDS.get(word))


def precisions_perhaps_meant(text: str) -> tuple[Precision, ...]:
    """The precisions that a word could mean (`bfloat16`), the likeliest first; none for a word of no meaning."""
    return _OPEN_WORDS.get(_word_of(text).removeprefix("torch."), ())


def is_double(text: str) -> bool:
    """Whether a word means numbers of 64 bits, in which nothing is predicted."""
    return _word_of(text).removeprefix("torch.") in {"fp64", "float64", "f64", "double"}


def _word_of(text: str) -> str:
    return text.translate(_NO_BRACKETS).strip().lower().replace("-", "_").replace(" ", "_")
