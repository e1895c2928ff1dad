# SPDX-License-Identifier: Apache-2.0
"""TensorSpec: what the infer rule of a custom operator speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class UnknownExtent:
    """An extent that a program does not know yet; it may be passed on.

    Those of one symbol are equal. There is no arithmetic on it.
    """

    __slots__ = ("_number",)

    def __init__(self, number: int):
        self._number = number

    def __repr__(self):
        return "?"

    def __eq__(self, other):
        # An extent that is merely unknown need not be equal to anything.
        return (isinstance(other, UnknownExtent) and self._number < -1
                and self._number == other._number) or self is other

    def __hash__(self):
        return hash(self._number)


class TensorSpec:
    """A tensor's shape and dtype, as an infer rule gets and returns them.

    Extents of ``shape`` are numbers or, in a program, ``UnknownExtent``s; None
    in a result stands for one that is not known.
    """

    __slots__ = ("shape", "dtype")

    def __init__(self, shape: Sequence[Any], dtype: Any):
        self.shape, self.dtype = tuple(shape), dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __repr__(self):
        return f"TensorSpec({self.shape}, {self.dtype!r})"


def spec_of(meta):
    """The spec of (dtype, extents), where an extent below 0 is unknown."""
    dtype, extents = meta
    return TensorSpec([extent if extent >= 0 else UnknownExtent(extent)
                       for extent in extents], dtype)


def meta_of(what, spec):
    """The inverse of spec_of; ``what`` begins the sentence of an error."""
    if not isinstance(spec, TensorSpec):
        raise TypeError(f"{what} must be a TensorSpec, got {spec!r}")
    extents = []
    for extent in spec.shape:
        if extent is None:
            extents.append(-1)
        elif isinstance(extent, UnknownExtent):
            extents.append(extent._number)
        elif isinstance(extent, (int, np.integer)) and extent >= 0:
            extents.append(int(extent))
        else:
            raise ValueError(f"{what}: shape must be of extents from 0 or None,"
                             f" got {spec.shape}")
    return spec.dtype, extents
