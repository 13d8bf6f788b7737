"""A small model, cards and candidates that the tests of predictions share."""

from __future__ import annotations

from msgspec.structs import replace

from advisor.catalogue.strategies import Strategy
from advisor.optable.op_table import ALLOCATE, FREE, GRADIENT, MemoryTimeline, OpTable
from advisor.predict.prediction import Candidate, Device
from advisor.predict.sources import Sources
from advisor.workload.workload import Data, TemplateModel, Workload
from tests.cost.small_tables import CARD, OLD_CARD, matmul, op, table, training
from tests.recommend.fakes import gpu, machine

CPU = Device(key="cpu", name="Processor", spec_key=None, local=True)
A100 = Device(key=CARD.key, name=CARD.name, spec_key=CARD.key, local=False)
V100 = Device(key=OLD_CARD.key, name=OLD_CARD.name, spec_key=OLD_CARD.key, local=False)
HERE = Device(key="GPU-00000000", name="A100 here", spec_key=CARD.key, local=True)
STRANGER = Device(key="mystery", name="Mystery", spec_key=None, local=False)
SPECS = {CARD.key: CARD, OLD_CARD.key: OLD_CARD}
MIB = 2.0**20


def model() -> OpTable:
    """Ten weights of 0.4 MB each whose forward keeps a megabyte a sample, with a timeline that says so."""
    kinds, storages, size0, size1 = [], [], [], []

    def event(kind: int, storage: int, fixed: float, growing: float) -> None:
        kinds.append(kind)
        storages.append(storage)
        size0.append(fixed)
        size1.append(growing)

    for number in range(10):
        event(ALLOCATE, number, 4e5, 0.0)
    for number in range(10, 20):
        event(ALLOCATE, number, 0.0, MIB)
    start = len(kinds)
    for number in reversed(range(10, 20)):
        event(ALLOCATE, number + 10, 4e5, 0.0)
        event(GRADIENT, number + 10, 4e5, 0.0)
        event(FREE, number, 0.0, MIB)
    timeline = MemoryTimeline(
        kind=tuple(kinds),
        storage=tuple(storages),
        size0_bytes=tuple(size0),
        size1_bytes=tuple(size1),
        resident_event_count=10,
        backward_start=start,
    )
    plain = table(matmul((0.0, 512.0), 1024, 1024), op("norm", (0.0, 4e6), phase="backward"), dispatches=200)
    return replace(plain, memory=timeline)


def workload(samples: int = 1000, epochs: float = 3, **changes: object) -> Workload:
    return Workload(
        name="small",
        model=TemplateModel(template="mlp", layers=(4, 10, 3)),
        data=Data(samples=samples),
        training=training(epochs=epochs, optimizer="adamw", **changes),
    )


def sources(**changes: object) -> Sources:
    given: dict[str, object] = {
        "workload": workload(),
        "tables": {"fp32": model()},
        "specs": SPECS,
        "machine": machine(gpu(name="NVIDIA A100-SXM4-40GB", spec_key=CARD.key, memory_total_bytes=40 * 2**30)),
        **changes,
    }
    return Sources(**given)  # type: ignore[arg-type]


def candidate(
    device: Device = A100, count: int = 1, strategy: Strategy | None = None, batch: int = 8, **changes: object
) -> Candidate:
    plain = Candidate(
        device=device,
        count=count,
        strategy=strategy or ("single" if count == 1 else "ddp"),
        precision="fp32",
        batch_size_per_device=batch,
    )
    return replace(plain, **changes)
