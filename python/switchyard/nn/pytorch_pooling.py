# SPDX-License-Identifier: Apache-2.0
"""Means of windows as PyTorch's classes of these names take them: the padding
counts."""

from __future__ import annotations

from switchyard.nn.pooling import AvgPool1D, AvgPool2D, AvgPool3D
from switchyard.spelling import install


class AvgPool1d(AvgPool1D):
    """AvgPool1D whose padding counts, unless ``count_include_pad`` is False."""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
                 exclusive: bool = False):
        super().__init__(kernel_size, stride, padding, ceil_mode, exclusive)


class AvgPool2d(AvgPool2D):
    """AvgPool2D whose padding counts, unless ``count_include_pad`` is False."""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
                 exclusive: bool = False, divisor_override: int | None = None):
        super().__init__(kernel_size, stride, padding, ceil_mode, exclusive,
                         divisor_override)


class AvgPool3d(AvgPool3D):
    """AvgPool3D whose padding counts, unless ``count_include_pad`` is False."""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
                 exclusive: bool = False, divisor_override: int | None = None):
        super().__init__(kernel_size, stride, padding, ceil_mode, exclusive,
                         divisor_override)


install(globals(), ("AvgPool1d", "AvgPool2d", "AvgPool3d"))
