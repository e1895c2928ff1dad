# SPDX-License-Identifier: Apache-2.0
"""Windows of signals, as ``torch.signal`` names them."""

from switchyard.signal import windows

__all__ = ["windows"]


def __dir__():
    return __all__
