# SPDX-License-Identifier: Apache-2.0
"""x.size: a number, as NumPy and the Array API standard have it, that can be
called, as PyTorch's method is."""

from __future__ import annotations

import math


class Size(int):
    """The number of elements; called as PyTorch's method, the extents: ``x.size()``
    is x.shape, ``x.size(0)`` is x.shape[0]."""

    shape: tuple[int, ...] = ()

    def __call__(self, dim: int | None = None):
        return self.shape if dim is None else self.shape[dim]

    def __reduce__(self):
        return int, (int(self),)


class OpenSize:
    """The size of a value whose extents are not all known: called, the extents."""

    def __init__(self, shape):
        self.shape = shape

    def __call__(self, dim: int | None = None):
        return self.shape if dim is None else self.shape[dim]


def size_of(x):
    """The number of elements; ``x.size()`` and ``x.size(0)`` are extents."""
    shape = x.shape
    if not all(isinstance(extent, int) for extent in shape):
        return OpenSize(shape)
    size = Size(math.prod(shape))
    size.shape = shape
    return size
