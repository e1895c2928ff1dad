# SPDX-License-Identifier: Apache-2.0
"""Modules of ``torch.utils``: data, and checkpointing of activations."""

from switchyard.utils import checkpoint, data

__all__ = ["checkpoint", "data"]


def __dir__():
    return __all__
