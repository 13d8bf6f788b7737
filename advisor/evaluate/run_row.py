"""One published run as its table tells it."""

from __future__ import annotations

from advisor.catalogue.optimizers import Optimizer
from advisor.catalogue.precisions import Precision
from advisor.core.records import Record
from advisor.core.sentences import Reason
from advisor.cost.layout import Layout
from advisor.cost.memory.need import MemoryKind
from advisor.workload.workload import Attention, Checkpointing, Fp8Recipe, Mode


class RunRow(Record, frozen=True, kw_only=True):
    """One published run: what was trained where, and what was measured; None where the row says nothing."""

    line: int
    workload: str
    gpu_key: str
    mode: Mode | None = None
    precision: Precision | None = None
    fp8_recipe: Fp8Recipe | None = None
    """How FP8 products are scaled, where the cell of the precision says it."""
    batch_size: int | None = None
    length: int | None = None
    """Sequence length, image side or samples of audio."""
    lengths_differ: bool | None = None
    """Whether samples are of different lengths, of which `length` is the longest; None: the row does not say."""
    optimizer: Optimizer | None = None
    fused_optimizer: bool = False
    optimizer_outside: Optimizer | None = None
    """What the run trains with where its time is without the update: its states are there all the same."""
    channels_last: bool | None = None
    compiled: bool | None = None
    """Whether `torch.compile` was used."""
    attention: Attention | None = None
    activation_checkpointing: Checkpointing | None = None
    layout: Layout = Layout()
    accumulation_steps: int = 1
    interconnect: str | None = None
    software_year: int | None = None
    flash_generation: int | None = None
    """Of the kernels of flash attention; None: the year's."""
    compiler_turns_layouts: bool = True
    """False: `torch.compile` of this release leaves convolutions in the layout that they are called with."""
    attention_upcasts: bool = True
    """False: attention that no fused kernel takes computes in the inputs' half precision, as before PyTorch 2.5."""
    fuses_attention: bool = True
    """False: PyTorch had no fused attention to call yet."""
    transformers_fuse_attention: bool = True
    """False: nor did transformers beside it call any by itself."""
    adapters_as_today: bool = True
    """False: PEFT and bitsandbytes of the time of this PyTorch kept adapters in the type of the weights beside them,
    and the inputs of products by weights of 4 bits."""
    shards_modules: bool = True
    """False: full sharding of the second generation, or DeepSpeed's, which gathers tensors and not modules."""
    family: str | None = None
    source: str = ""
    scored: bool = True
    """False for rows with `use = no`: predicted and shown, but not counted."""
    measured_s: float | None = None
    efficiency: float | None = None
    peak_bytes: float | None = None
    memory_kind: MemoryKind = "allocated"
    largest_batch_that_ran: int | None = None
    smallest_batch_that_failed: int | None = None
    problem: Reason | None = None
    """Why this row cannot be predicted, found while reading."""
    cells: dict[str, str] = {}
    """The row as it was written."""
    read_as: dict[str, str] = {}
    """Columns that were read under another name, each with that."""
