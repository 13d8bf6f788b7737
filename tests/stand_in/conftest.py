"""The fixtures of the stand-in device."""

from tests.stand_in.built import stand_in, stand_in_library

__all__ = ["stand_in", "stand_in_library"]
