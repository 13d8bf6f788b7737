"""How the cards of a job share its work."""

from __future__ import annotations

from typing import Literal

Strategy = Literal["single", "dp", "ddp", "zero2", "fsdp", "fsdp_offload", "tp", "pp"]
