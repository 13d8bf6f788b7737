"""Names for what transformers gives: it is imported only where one of its models is built, and tells few types."""

from __future__ import annotations

from typing import Any

Config = Any
"""A configuration of transformers, or a part of one: of a class of its own for each kind of model."""
Network = Any
"""A model of transformers."""
