"""How the devices of one job split its work: data, tensor, pipeline and context parallel, and what is sharded."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from advisor.core.records import Record

DataParallel = Literal["single", "dp", "ddp", "zero1", "zero2", "fsdp", "hsdp"]
"""What the replicas of a model share: nothing but gradients (`ddp`), optimizer states (`zero1`), gradients too
(`zero2`), parameters too (`fsdp`, which is ZeRO-3; `hsdp`: within a host, whose shards are copied across hosts)."""
Degree = Annotated[int, Meta(ge=1, le=1_000_000)]


class Layout(Record, frozen=True, kw_only=True):
    """`count` devices; what tensor, pipeline and context parallel leave is data parallel."""

    data_parallel: DataParallel = "ddp"
    count: Degree = 1
    tensor: Degree = 1
    pipeline: Degree = 1
    context: Degree = 1
    host_size: Degree | None = None
    """Devices of one host; None: as many as one host holds."""

    @property
    def model_count(self) -> int:
        """Devices that hold one replica of the model between them."""
        return self.tensor * self.pipeline * self.context

    @property
    def replica_count(self) -> int:
        """Replicas that bring a batch each; 0 where the degrees do not divide the devices."""
        return self.count // self.model_count if self.count % self.model_count == 0 else 0

    @property
    def plain(self) -> bool:
        """Whether all devices are replicas of one model."""
        return self.model_count == 1

    @property
    def shard_count(self) -> int:
        """Devices that share one set of shards: context parallel devices hold parts of one set too."""
        group = self.replica_count * self.context
        if self.data_parallel in {"single", "dp", "ddp"}:
            return 1
        if self.data_parallel != "hsdp":
            return group
        inside = max(1, (self.host_size or group) // (self.tensor * self.pipeline))
        return min(group, inside)
