# SPDX-License-Identifier: Apache-2.0
"""Whether there is a GPU, by PyTorch's names; places are ``sy.devices()``."""

from __future__ import annotations

from switchyard import _core

__all__ = ["device_count", "is_available", "manual_seed", "manual_seed_all",
           "synchronize"]


def __dir__():
    return __all__


def device_count() -> int:
    """How many GPUs the process has."""
    return sum(1 for each in _core.devices() if each["place"].startswith("gpu"))


def is_available() -> bool:
    """Whether the process has a GPU."""
    return device_count() > 0


def synchronize() -> None:
    """Waits for all work on devices."""
    _core.synchronize()


def manual_seed(seed: int) -> None:
    """``sy.seed``: one generator serves all places."""
    _core.seed(seed)


manual_seed_all = manual_seed
