# SPDX-License-Identifier: Apache-2.0
"""The extents that norms ask of their x, known or open in a trace."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.checks import FROM_0, listed, whole

_ops = _core.ops


def ending_in(name, x, extents):
    """x, whose last extents are ``extents``; ValueError if they are others."""
    first = len(x.shape) - len(extents)
    last = x.shape[max(first, 0):]
    if first < 0 or any(isinstance(n, int) and n != m for n, m in zip(last, extents)):
        raise ValueError(f"{name}: x must end in {extents}, got shape {x.shape}")
    return settled(x, first, extents)


def settled(x, first, extents):
    """x, whose extents from axis ``first`` on are ``extents``. Those that are open in
    a trace are known from here on, and a program fails where they are others."""
    for axis, extent in enumerate(extents, first):
        if not isinstance(x.shape[axis], int) and isinstance(extent, int):
            # One at a time: several might change places.
            x = _ops.reshape(x, [*x.shape[:axis], extent, *x.shape[axis + 1:]])
    return x


def extents_of(name, normalized_shape, symbols=False):
    """The extents of the last axes as a list; one number is that of the last.
    With ``symbols`` a traced function's open extents may be among them."""
    given = normalized_shape
    several = [given] if isinstance(given, _core.Symbol) or (
        hasattr(given, "__index__") and not hasattr(given, "shape")
    ) else listed(name, "normalized_shape", given)
    if not several:
        raise ValueError(f"{name}: normalized_shape must have an extent, got none")
    extents = [each if symbols and isinstance(each, _core.Symbol) else
               whole(name, "normalized_shape", each, FROM_0) for each in several]
    if math.prod(each for each in extents if isinstance(each, int)) >= 2**63:
        raise ValueError(f"{name}: normalized_shape must be of fewer than 2^63 "
                         f"elements, got {extents}")
    return extents


def of_channels(name, x, channels):
    """x, whose axis 1 has ``channels``; ValueError if it has others."""
    found = x.shape[1:2]
    if any(isinstance(n, int) and n != channels for n in found):
        raise ValueError(f"{name}: x must have {channels} channels, got shape {x.shape}")
    return settled(x, 1, [channels][:len(found)])
